import Waypost

/// Keeps the fixes of two sources apart when one takes over from the other.
///
/// The first fix of the new source must be at least a second newer than the last one before it; earlier ones are dropped. If its clock is
/// permanently behind (five seconds bring nothing newer), it is believed: a gap is better than no positions.
///
/// - Concurrency: a value; milliseconds of one monotonic clock, given by the caller.
struct FallbackGate {
    /// What to do with a fix.
    enum Verdict: Equatable {
        case passes
        /// It passes although the clock of its source is behind the previous source's by this many milliseconds.
        case passesBehind(Int64)
        case isDropped
    }

    private static let leastStep: Int64 = 1_000
    private static let patience: Int64 = 5_000

    private var last: (member: Int, time: UTCTime?, at: Int64)?
    private var waitsSince: Int64?

    /// Decides about a fix of the member in use.
    mutating func admit(_ time: UTCTime?, from member: Int, at now: Int64) -> Verdict {
        var verdict = Verdict.passes
        if let last, last.member != member {
            let step = time.flatMap { new in
                last.time.map { new.millisecondsSince1970 - $0.millisecondsSince1970 }
            }
            if step ?? (now - last.at) < FallbackGate.leastStep {
                let start = waitsSince ?? now
                waitsSince = start
                guard let step, now - start >= FallbackGate.patience else { return .isDropped }
                verdict = .passesBehind(-step)
            }
        }
        waitsSince = nil
        last = (member, time, now)
        return verdict
    }

    /// Forgets the last fix: its source has ended, and its times no longer count.
    mutating func reset() {
        last = nil
        waitsSince = nil
    }
}
