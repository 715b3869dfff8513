import Foundation
import Synchronization
import Waypost
import WaypostSystem

/// A MediaTek receiver on a pseudo terminal: it sends NMEA, and answers PMTK sentences at its speed.
public final class MediaTekReceiver: Sendable {
    /// The receiver's settings.
    public struct Settings: Sendable, Equatable {
        /// Milliseconds between epochs.
        public var periodMilliseconds = 200
        /// Its speed.
        public var baudRate: Int
        /// The sentences it sends, as in PMTK314.
        public var sentences = Array(repeating: "0", count: 19)
        /// The movement it is set to expect.
        public var navigationMode = 0
    }

    /// The line.
    public let terminal: PseudoTerminal
    private let state: Mutex<Settings>
    private let isStopped = Mutex(false)
    private let keepsItsSpeed: Bool

    /// A receiver that is switched on.
    ///
    /// - Parameters:
    ///   - baudRate: its speed.
    ///   - keepsItsSpeed: whether it ignores the sentence that changes it.
    public init(baudRate: Int, keepsItsSpeed: Bool = false) throws {
        terminal = try PseudoTerminal()
        self.keepsItsSpeed = keepsItsSpeed
        state = Mutex(Settings(baudRate: baudRate))
        Thread { [self] in run() }.start()
    }

    /// The current settings.
    public var settings: Settings { state.withLock { $0 } }

    /// Ends it and hangs up the line.
    public func unplug() {
        isStopped.withLock { $0 = true }
        terminal.unplug()
    }

    private func run() {
        var line: [UInt8] = []
        var index = 0
        var next = MonotonicClock.milliseconds
        while !isStopped.withLock({ $0 }) {
            for byte in terminal.received() where terminal.baudRate == settings.baudRate {
                if byte == UInt8(ascii: "$") { line = [] }
                line.append(byte)
                if byte == UInt8(ascii: "\n"), let sentence = PMTKSentence(line: line) { answer(sentence) }
            }
            if MonotonicClock.milliseconds >= next {
                send(SimulatedReceiver(periodMilliseconds: settings.periodMilliseconds).epoch(index).text)
                index += 1
                next += Int64(settings.periodMilliseconds)
            }
            usleep(5_000)
        }
    }

    private func send(_ text: String) {
        let bytes = Array(text.utf8)
        // At another speed than the far end's it arrives as noise; on an unplugged line it is lost.
        try? terminal.write(terminal.baudRate == settings.baudRate ? bytes : bytes.map { $0 &* 31 | 0x80 })
    }

    private func acknowledge(_ number: Int, _ outcome: PMTKSentence.Outcome) {
        send(PMTKSentence(1, ["\(number)", "\(outcome.rawValue)"]).line)
    }

    private func answer(_ sentence: PMTKSentence) {
        let first = sentence.fields.first.flatMap { Int($0) }
        switch (sentence.number, first) {
        case (605, _): send(PMTKSentence(705, ["AXN_2.31_3339_13101700", "5632", "PA6H", "1.0"]).line)
        case (400, _): send(PMTKSentence(500, ["\(settings.periodMilliseconds)", "0", "0", "0.0", "0.0"]).line)
        case (414, _): send(PMTKSentence(514, settings.sentences).line)
        case (220, let period?) where (100...10_000).contains(period):
            state.withLock { $0.periodMilliseconds = period }
            acknowledge(220, .done)
        case (220, _): acknowledge(220, .invalid)
        case (314, _):
            state.withLock { $0.sentences = sentence.fields }
            acknowledge(314, .done)
        case (886, let mode?):
            state.withLock { $0.navigationMode = mode }
            acknowledge(886, .done)
        case (251, _) where keepsItsSpeed: break
        case (251, let rate?): state.withLock { $0.baudRate = rate }
        default: acknowledge(sentence.number, .unsupported)
        }
    }
}
