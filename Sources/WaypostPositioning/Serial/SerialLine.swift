import WaypostSystem

/// The serial line of one run of a ``SerialSource``: opens it, sets the speed and closes it, each of which may wait for the device.
///
/// - Concurrency: an actor on its own thread, so that neither the event loop nor the cooperative pool waits for it.
actor SerialLine {
    /// A line that is open.
    struct Opened: Sendable {
        /// The device, links resolved.
        var device: String
        /// The name by which the device's speed is remembered.
        var identity: String
        /// How its speed is found; the line already has the first speed of the search.
        var search: BaudSearch
        /// Whether a receiver that uses UBX may be asked to send NMEA.
        var mayBeToldToSpeakNMEA: Bool
        /// The descriptor to read from; its user closes it.
        var descriptor: Int32
    }

    private let executor: ThreadExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let source: SerialSource
    /// Whether nothing may be sent.
    nonisolated var neverWrites: Bool { source.neverWrites }
    private var port: SerialPort?

    /// - Errors: no thread is left.
    init(source: SerialSource) throws(SystemError) {
        executor = try ThreadExecutor(name: "serial")
        self.source = source
    }

    /// Opens the source's line, unless another program has it; nil when the task is cancelled before the line is touched.
    func open() throws(SerialRefusal) -> Opened? {
        close()
        switch source.port {
        case .path(let path): return try open(path, identity: path, gpsdDevices: nil)
        case .automatic:
            let devices = source.catalogue.devices()
            let receivers = devices.filter(\.isKnownGNSS)
            if receivers.isEmpty { throw .noKnownReceiver(candidates: SourceObstacle.Candidate.all(of: devices)) }
            let gpsdDevices = self.gpsdDevices()
            var refusal = SerialRefusal.noKnownReceiver(candidates: [])
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

    /// Sends bytes to the receiver.
    ///
    /// - Errors: the device has gone, or accepts nothing for a second.
    func write(_ bytes: [UInt8]) throws(SystemError) {
        try port?.write(bytes)
    }

    /// Whether gpsd has listed the device since it was opened; then gpsd gets it.
    ///
    /// - Cost: as ``GPSDDevices/list(port:)``.
    func isClaimedByGPSD(_ device: String) -> Bool {
        gpsdDevices().contains(device)
    }

    /// Closes the line for others to use.
    func close() {
        port = nil
    }

    /// Whether a device that uses UBX is known to be a u-blox: its port was named, or its USB ids say so.
    private func mayBeToldToSpeakNMEA(_ device: String) -> Bool {
        if source.neverWrites { return false }
        if case .path = source.port { return true }
        return source.catalogue.devices().contains { $0.path == device && $0.vendorID == GNSSProducts.ublox }
    }

    private func gpsdDevices() -> [String] { source.gpsdPorts.flatMap { GPSDDevices.list(port: $0) } }

    private func open(_ path: String, identity: String, gpsdDevices: [String]?) throws(SerialRefusal) -> Opened? {
        var search = source.search(for: identity)
        do throws(SerialOpening.Failure) {
            let opening = try SerialOpening(path)
            guard let opened = try opening.open(gpsdDevices: gpsdDevices ?? self.gpsdDevices(), at: &search) else { return nil }
            return try take(opened, of: opening.device, identity: identity, search)
        } catch {
            throw SerialRefusal(error, path: path)
        }
    }

    private func take(
        _ opened: consuming SerialPort, of device: String, identity: String, _ search: BaudSearch
    ) throws(SerialOpening.Failure) -> Opened {
        let descriptor: Int32
        do throws(SystemError) { descriptor = try opened.makeReadingDescriptor() } catch {
            throw .refused(error, baudRate: search.baudRate)
        }
        port = consume opened
        return Opened(
            device: device, identity: identity, search: search, mayBeToldToSpeakNMEA: mayBeToldToSpeakNMEA(device), descriptor: descriptor)
    }
}

extension SerialRefusal {
    fileprivate init(_ failure: SerialOpening.Failure, path: String) {
        switch failure {
        case .missing: self = .missing(path: path)
        case .notALine: self = .notALine(path: path)
        case .heldByGPSD: self = .heldByGPSD(path: path)
        case .held(let holders, let isOwn): self = SerialRefusal.held(path: path, by: holders, isOwn: isOwn).orConsole()
        case .refused(let error, let baudRate): self.init(error, path: path, baudRate: baudRate)
        }
    }

    private init(_ error: SystemError, path: String, baudRate: Int) {
        if error.isPermissionDenied {
            self = SerialRefusal.denied(path: path, group: Syscalls.groupName(of: path)).orConsole()
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
