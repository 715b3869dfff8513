import Synchronization
import Waypost
import WaypostSystem

/// One run of a live NMEA source, over all its connections: incoming bytes leave as events through an ``EventQueue``.
///
/// - Concurrency: the event loop feeds it, the source's task reports the state of the connection; each may at any time. Nothing waits: the
///   queue must be one that drops the oldest.
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

    /// A connection is open; `peer` names the other side for people.
    func connected(to peer: String) { deliver { $0.connected(to: peer, at: MonotonicClock.milliseconds) } }

    /// A line is open whose speed has to be found.
    func searchSpeed() { interpreter.withLock { $0.searchSpeed(at: MonotonicClock.milliseconds) } }

    /// Each speed has been tried once.
    func noteEverySpeedTried() { interpreter.withLock { $0.noteEverySpeedTried() } }

    /// There are no positions until further notice; reported once until the next fix.
    func lose(_ reason: LossReason) {
        deliver { $0.lose(reason) }
        queue.noteLook()
    }

    /// A warning for people; reported once until the next loss.
    func warn(_ text: String) { deliver { $0.warn(text) } }

    /// Processes the next bytes of the connection, cut anywhere.
    func receive(_ bytes: Span<UInt8>) { deliver { $0.process(bytes, at: MonotonicClock.milliseconds) } }

    /// Bytes have come, at a wrong speed or in an unknown format, that could not be read so far.
    func noteNoise(_ byteCount: Int) { interpreter.withLock { $0.noteNoise(byteCount, at: MonotonicClock.milliseconds) } }

    /// The line has fallen quiet: the open epoch is complete.
    func endEpoch() { deliver { $0.endEpoch() } }

    /// Whether the silence is a loss now; that is reported, and so is a fix that comes again and again.
    func checkSilence() -> Bool {
        let now = MonotonicClock.milliseconds
        deliver { $0.judge(at: now) }
        guard now >= silenceDeadline else { return false }
        queue.noteLook()
        return true
    }

    /// The moment of the monotonic clock, in milliseconds, at which silence becomes a loss.
    var silenceDeadline: Int64 { interpreter.withLock { $0.silenceDeadline } }

    /// The moment of the monotonic clock, in milliseconds, of the next ``checkSilence()``.
    var judgementDeadline: Int64 { interpreter.withLock { $0.judgementDeadline } }

    /// The moment of the monotonic clock, in milliseconds, at which the lack of a new fix becomes a loss.
    var fixDeadline: Int64 { interpreter.withLock { $0.fixDeadline } }

    /// The moment of the monotonic clock, in milliseconds, from which a silent connection may be given up.
    var closingDeadline: Int64 { interpreter.withLock { $0.closingDeadline } }

    /// The moment of the last whole sentence, or of the connection if none has come: milliseconds of the monotonic clock.
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
