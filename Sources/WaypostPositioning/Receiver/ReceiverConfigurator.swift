import Waypost

/// A setting of a receiver that can be changed.
public enum ReceiverChange: Sendable, Equatable {
    /// Milliseconds between fixes.
    case period(milliseconds: Int)
    /// The line's speed, one of `SerialPort.baudRates`.
    case baudRate(Int)
    /// How it is told that it moves, by its name: `automotive`, `fitness`.
    case movement(String)
    /// Whether it sends GST.
    case gst(Bool)
}

/// Asks a u-blox or MediaTek receiver how it is set, and changes that.
///
/// - Concurrency: every call opens the port, makes its thread wait for the receiver, some seconds at most, and closes the port.
public struct ReceiverConfigurator: Sendable {
    private let path: String
    private let baudRate: Int?
    private let gpsdPorts: [UInt16]

    /// A desk for the receiver on a port.
    ///
    /// - Parameters:
    ///   - path: the port.
    ///   - baudRate: the line's speed; nil finds it.
    ///   - gpsdPorts: where gpsds of this machine listen, whose receivers are left alone.
    public init(path: String, baudRate: Int? = nil, gpsdPorts: [UInt16] = [2_947]) {
        self.path = path
        self.baudRate = baudRate
        self.gpsdPorts = gpsdPorts
    }

    /// How the receiver is set.
    public func state() throws(ReceiverError) -> ReceiverState {
        try withReceiver { (receiver) throws(ReceiverError) in try receiver.state() }
    }

    /// Changes a setting, and reads back what it is now.
    ///
    /// - Parameters:
    ///   - change: the setting and what it is to be.
    ///   - keeps: whether it should outlast a loss of power, as far as the receiver can.
    /// - Errors: `refused` when the receiver does not do it, `notKept` when it says otherwise afterwards.
    public func apply(_ change: ReceiverChange, keeps: Bool = false) throws(ReceiverError) -> ReceiverState {
        try withReceiver { (receiver) throws(ReceiverError) in
            try receiver.apply(change, keeps: keeps)
            let state = try receiver.state()
            if let words = state.difference(from: change) { throw .notKept("\(path): the receiver took the setting, and says \(words)") }
            return state
        }
    }

    private func withReceiver(_ body: (any ReceiverDialogue) throws(ReceiverError) -> ReceiverState) throws(ReceiverError) -> ReceiverState
    {
        let line = try ReceiverLine.open(path, baudRate: baudRate, gpsdPorts: gpsdPorts)
        // Each ignores what is said in the other's language. One that sends NMEA alone, as our own serial reader leaves it, has to be
        // told first that it may answer.
        let greeting = UBXSettings.poll(UBXSettings.Kinds.version).bytes + Array(PMTKSentence.askRelease.line.utf8)
        for attempt in 0..<4 {
            let isSilent = attempt >= 2
            if isSilent { try line.send(UBXSettings.setAnswering(true, baudRate: line.baudRate).flatMap(\.bytes)) }
            try line.send(greeting)
            let answer = try line.answer { answer in
                switch answer {
                case .frame(let frame): frame.kind == UBXSettings.Kinds.version
                case .sentence(let sentence): sentence.number == MediaTekDialogue.releaseNumber
                }
            }
            switch answer {
            case .sentence(let release): return try body(MediaTekDialogue(line, release: release))
            case .frame(let version): return try converse(UBloxDialogue(line, version: version, wasSilent: isSilent), body)
            case nil: break
            }
        }
        throw .unknown("\(path): the receiver answers neither as a u-blox (UBX) nor as a MediaTek (PMTK) does")
    }

    /// Leaves the receiver's answers as they were, however it ends.
    private func converse(
        _ ublox: UBloxDialogue, _ body: (any ReceiverDialogue) throws(ReceiverError) -> ReceiverState
    ) throws(ReceiverError) -> ReceiverState {
        let result: Result<ReceiverState, ReceiverError>
        do throws(ReceiverError) { result = .success(try body(ublox)) } catch { result = .failure(error) }
        try ublox.end()
        return try result.get()
    }
}

extension ReceiverState {
    /// What is otherwise than the change asked for, in words; nil when all is so, or the receiver does not say.
    fileprivate func difference(from change: ReceiverChange) -> String? {
        switch change {
        case .period(let milliseconds): periodMilliseconds.flatMap { $0 == milliseconds ? nil : "a fix every \($0) ms" }
        case .baudRate(let rate): baudRate.flatMap { $0 == rate ? nil : "\($0) baud" }
        case .movement(let name): movement.flatMap { $0 == name ? nil : $0 }
        case .gst(let isOn): sendsGST.flatMap { $0 == isOn ? nil : $0 ? "that GST is sent" : "that GST is not sent" }
        }
    }
}

/// The dialogue with one maker's receivers.
protocol ReceiverDialogue {
    /// How it is set.
    func state() throws(ReceiverError) -> ReceiverState
    /// Changes a setting.
    func apply(_ change: ReceiverChange, keeps: Bool) throws(ReceiverError)
}
