import WaypostSystem

/// The serial line of one run of a ``SerialSource``: opens, sets the speed, closes, each of which may wait for the device.
///
/// - Concurrency: an actor on a thread of its own, which neither the event loop nor the cooperative pool waits for.
actor SerialLine {
    /// A line that is open.
    struct Opened: Sendable {
        /// The device, links resolved.
        var device: String
        /// What the device's speed is remembered by.
        var identity: String
        /// The speed it has now.
        var baudRate: Int
        /// To read from; whoever takes it closes it.
        var descriptor: Int32
    }

    private let executor: ThreadExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let source: SerialSource
    private var port: SerialPort?

    /// - Errors: no thread is left.
    init(source: SerialSource) throws(SystemError) {
        executor = try ThreadExecutor(name: "serial")
        self.source = source
    }

    /// Opens the line that the source asks for, as far as nobody else has it.
    func open() throws(SerialRefusal) -> Opened {
        close()
        switch source.port {
        case .path(let path): return try open(path, identity: path, gpsdDevices: nil)
        case .automatic:
            let receivers = source.catalogue.devices().filter(\.isKnownGNSS)
            if receivers.isEmpty { throw .noKnownReceiver }
            let gpsdDevices = GPSDDevices.list(port: source.gpsdPort)
            var refusal = SerialRefusal.noKnownReceiver
            for receiver in receivers {
                do {
                    return try open(receiver.path, identity: receiver.lastingName, gpsdDevices: gpsdDevices)
                } catch {
                    refusal = error
                }
            }
            throw refusal
        }
    }

    /// Changes the speed; false when the device cannot do it.
    func setBaudRate(_ baudRate: Int) throws(SystemError) -> Bool {
        do {
            guard port != nil else { return false }
            try port?.setBaudRate(baudRate)
            return true
        } catch {
            if error.isInvalidArgument { return false }
            throw error
        }
    }

    /// Whether gpsd has come to list the device since it was opened; then it is gpsd's.
    ///
    /// - Cost: as ``GPSDDevices/list(port:)``.
    func isClaimedByGPSD(_ device: String) -> Bool {
        GPSDDevices.list(port: source.gpsdPort).contains(device)
    }

    /// The speed was right: remembers it.
    func remember(_ baudRate: Int, for identity: String) {
        source.memory.remember(baudRate, for: identity)
    }

    /// Gives the line back.
    func close() {
        port = nil
    }

    private func open(_ path: String, identity: String, gpsdDevices: [String]?) throws(SerialRefusal) -> Opened {
        switch Syscalls.kind(path) {
        case .missing: throw .missing(path: path)
        case .regular, .folder: throw .notALine(path: path)
        case .other: break
        }
        // Asked before the line is touched.
        let device = Syscalls.resolvingLinks(path)
        if (gpsdDevices ?? GPSDDevices.list(port: source.gpsdPort)).contains(device) { throw .heldByGPSD(path: path) }
        let baudRate = source.search(for: identity).baudRate
        do throws(SystemError) {
            switch try SerialPort.open(device, baudRate: baudRate) {
            case .held: break
            case .opened(let opened):
                let descriptor = try opened.makeReadingDescriptor()
                port = consume opened
                return Opened(device: device, identity: identity, baudRate: baudRate, descriptor: descriptor)
            }
        } catch {
            throw SerialRefusal(error, path: path, baudRate: baudRate)
        }
        let isOwn = DeviceHolder.all(of: device).contains(where: \.isThisProcess)
        throw .held(path: path, by: SerialDeviceHolder.all(of: device, gpsdDevices: []), isOwn: isOwn)
    }
}

extension SerialRefusal {
    fileprivate init(_ error: SystemError, path: String, baudRate: Int) {
        if error.isPermissionDenied {
            self = .denied(path: path, group: Syscalls.groupName(of: path))
        } else if error.meansDeviceGone {
            self = .vanished(path: path)
        } else if error.isNoTerminal {
            self = .notALine(path: path)
        } else if error.isInvalidArgument {
            self = .noSuchSpeed(path: path, baudRate: baudRate)
        } else {
            self = .failed(path: path, reason: error.reason)
        }
    }
}
