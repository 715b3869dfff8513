import Synchronization
import Waypost
import WaypostSystem

/// One run of a live NMEA source, over all its connections: what comes in leaves as events through an ``EventQueue``.
///
/// - Concurrency: the event loop feeds it, the source's task tells it what becomes of the connection; each may at any time. Nothing waits:
///   the queue must be one that drops the oldest.
final class NMEASession: Sendable {
    private let queue: EventQueue
    private let interpreter: Mutex<NMEAInterpreter>

    /// A session without a connection.
    ///
    /// - Parameters:
    ///   - name: the source that every position carries.
    ///   - correctsWeekRollover: whether dates before 2020 get 1024 weeks added.
    init(name: String, queue: EventQueue, correctsWeekRollover: Bool = true) {
        self.queue = queue
        interpreter = Mutex(NMEAInterpreter(name: name, correctsWeekRollover: correctsWeekRollover, at: MonotonicClock.milliseconds))
    }

    /// A connection stands; `peer` says in a person's words to what.
    func connected(to peer: String) { deliver { $0.connected(to: peer, at: MonotonicClock.milliseconds) } }

    /// There are no positions until further notice; told once until the next fix.
    func lose(_ reason: LossReason) {
        deliver { $0.lose(reason) }
        queue.noteLook()
    }

    /// Something that a person should know; told once until the next loss.
    func warn(_ text: String) { deliver { $0.warn(text) } }

    /// Takes the next bytes of the connection, cut anywhere.
    func receive(_ bytes: Span<UInt8>) { deliver { $0.process(bytes, at: MonotonicClock.milliseconds) } }

    /// Bytes have come at a speed, or in a language, that nothing can be read from so far.
    func noteNoise(_ byteCount: Int) { interpreter.withLock { $0.noteNoise(byteCount, at: MonotonicClock.milliseconds) } }

    /// The line has fallen quiet: the open epoch is complete.
    func endEpoch() { deliver { $0.endEpoch() } }

    /// Whether silence is a loss by now, which is then told.
    func checkSilence() -> Bool {
        let now = MonotonicClock.milliseconds
        deliver { $0.checkSilence(at: now) }
        guard now >= silenceDeadline else { return false }
        queue.noteLook()
        return true
    }

    /// The moment of the monotonic clock, in milliseconds, at which silence will be a loss.
    var silenceDeadline: Int64 { interpreter.withLock { $0.silenceDeadline } }

    /// When the last whole sentence came, or the connection if none has: milliseconds of the monotonic clock.
    var lastSentenceAt: Int64 { interpreter.withLock { $0.lastSentenceAt } }

    /// Whether an epoch waits for its end.
    var isEpochOpen: Bool { interpreter.withLock { $0.isEpochOpen } }

    // The events leave under the lock, so that two callers cannot swap theirs.
    private func deliver(_ events: (inout NMEAInterpreter) -> [PositionSourceEvent]) {
        interpreter.withLock { interpreter in
            _ = queue.send(events(&interpreter))
        }
    }
}
