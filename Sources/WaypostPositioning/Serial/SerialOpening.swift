import WaypostSystem

/// Opens a serial line at the first speed of a search that the device can do, unless another program has it.
struct SerialOpening {
    /// Why a line was not opened.
    enum Failure: Error {
        /// There is no such device now.
        case missing
        /// It is a file or a folder, and will never be a line.
        case notALine
        /// gpsd has it on its list.
        case heldByGPSD
        /// Another program has it, or another part of this one.
        case held(by: [SerialDeviceHolder], isOwn: Bool)
        /// The system refused it at that speed.
        case refused(SystemError, baudRate: Int)
    }

    /// The device, links resolved.
    let device: String

    /// Checks whether the path may belong to a line.
    init(_ path: String) throws(Failure) {
        switch Syscalls.kind(path) {
        case .missing: throw .missing
        case .regular, .folder: throw .notALine
        case .other: break
        }
        device = Syscalls.resolvingLinks(path)
    }

    /// Opens the line; nil when the task is cancelled before it is touched.
    ///
    /// - Parameters:
    ///   - gpsdDevices: the lines that gpsd has on its list.
    ///   - sparesHolders: whether to leave the line alone even if it could be opened although another program has it: root passes every lock.
    ///   - search: finds the line's speed, and skips speeds that the device cannot do.
    func open(
        gpsdDevices: [String], sparesHolders: Bool = false, at search: inout BaudSearch
    ) throws(Failure) -> SerialPort? {
        // Checked before the line is touched.
        if gpsdDevices.contains(device) { throw .heldByGPSD }
        if sparesHolders {
            guard DeviceIdentity.mayBeLine(device) else { throw .notALine }
            let holders = SerialDeviceHolder.all(of: device, gpsdDevices: [])
            if !holders.isEmpty { throw .held(by: holders, isOwn: false) }
        }
        attempts: while !Task.isCancelled {
            do throws(SystemError) {
                switch try SerialPort.open(device, baudRate: search.baudRate) {
                case .held: break attempts
                case .opened(let port): return port
                }
            } catch {
                // A device that cannot do the search's first speed may do the next.
                if error.isInvalidArgument, case .change = search.refuse(at: MonotonicClock.milliseconds) { continue }
                throw .refused(error, baudRate: search.baudRate)
            }
        }
        if Task.isCancelled { return nil }
        let isOwn = DeviceHolder.all(of: device).contains(where: \.isThisProcess)
        throw .held(by: SerialDeviceHolder.all(of: device, gpsdDevices: []), isOwn: isOwn)
    }
}
