import Waypost
import WaypostSystem

/// A setting of a receiver that can be changed.
package enum ReceiverChange: Sendable, Equatable {
    /// Milliseconds between fixes.
    case period(milliseconds: Int)
    /// The line's speed, one of `SerialPort.baudRates`.
    case baudRate(Int)
    /// The receiver's model of movement, by its name: `automotive`, `fitness`.
    case movement(String)
    /// Whether it sends GST.
    case gst(Bool)
}

/// Reads and changes the settings of a u-blox or MediaTek receiver.
///
/// - Concurrency: every call opens the port, blocks its thread while it waits for the receiver, some seconds, or a minute if its speed has to be found and it
///   reports rarely, and closes the port.
package struct ReceiverConfigurator: Sendable {
    private let path: String
    private let baudRate: Int?
    private let gpsdPorts: [UInt16]

    /// A configurator for the receiver on a port.
    ///
    /// - Parameters:
    ///   - path: the port.
    ///   - baudRate: the line's speed; nil finds it.
    ///   - gpsdPorts: the ports on which gpsds of this machine listen, whose receivers are left alone.
    package init(path: String, baudRate: Int? = nil, gpsdPorts: [UInt16] = [2_947]) {
        self.path = path
        self.baudRate = baudRate
        self.gpsdPorts = gpsdPorts
    }

    /// The receiver's settings.
    package func state() throws(ReceiverError) -> ReceiverState {
        try withReceiver { (receiver) throws(ReceiverError) in try receiver.state() }
    }

    /// Changes a setting and reads it back.
    ///
    /// - Parameters:
    ///   - change: the setting and its new value.
    ///   - keeps: whether it should survive a loss of power, as far as the receiver can do that.
    /// - Errors: `refused` when the receiver does not do it, `notKept` when it reports a different value afterwards.
    package func apply(_ change: ReceiverChange, keeps: Bool = false) throws(ReceiverError) -> ReceiverState {
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
        for _ in 0..<2 {
            if let state = try greet(line, wasSilent: false, body) { return state }
        }
        // One that sends only NMEA, as our own serial reader leaves it, must first be allowed to answer. Ctrl-C waits until that is undone.
        let state = try Signals.holdingStopRequests { () throws(ReceiverError) -> ReceiverState? in
            for _ in 0..<2 {
                try line.send(UBXSettings.setAnswering(true, baudRate: line.baudRate).flatMap(\.bytes))
                if let state = try greet(line, wasSilent: true, body) { return state }
            }
            return nil
        }
        if let state { return state }
        throw .unknown("\(path): the receiver answers neither as a u-blox (UBX) nor as a MediaTek (PMTK) does")
    }

    /// Greets the receiver, and holds the dialogue with it; nil when it does not answer.
    private func greet(
        _ line: ReceiverLine, wasSilent: Bool, _ body: (any ReceiverDialogue) throws(ReceiverError) -> ReceiverState
    ) throws(ReceiverError) -> ReceiverState? {
        // Each ignores commands in the other's protocol.
        try line.send(UBXSettings.poll(UBXSettings.Kinds.version).bytes + Array(PMTKSentence.askRelease.line.utf8))
        let answer = try line.answer { answer in
            switch answer {
            case .frame(let frame): frame.kind == UBXSettings.Kinds.version
            case .sentence(let sentence): sentence.number == MediaTekDialogue.releaseNumber
            }
        }
        switch answer {
        case .sentence(let release): return try body(MediaTekDialogue(line, release: release))
        case .frame(let version): return try converse(UBloxDialogue(line, version: version, wasSilent: wasSilent), body)
        case nil: return nil
        }
    }

    /// Restores the receiver's output settings, however the dialogue ends.
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
    /// The difference from the requested change, in words; nil when there is none, or the receiver does not report it.
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
    /// The settings.
    func state() throws(ReceiverError) -> ReceiverState
    /// Changes a setting.
    func apply(_ change: ReceiverChange, keeps: Bool) throws(ReceiverError)
}
