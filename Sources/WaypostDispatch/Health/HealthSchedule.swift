/// When each destination is told how the tracker is: a minute after the start, or sooner when it wants to know more often, then every interval.
///
/// - Units: milliseconds of one monotonic clock, given by the caller.
/// - Concurrency: a value; one step per occurrence.
public struct HealthSchedule: Sendable, Hashable {
    /// So long after the start everybody is told at the latest; a tracker that ends at once, again and again, tells nothing.
    private static let firstMilliseconds: Int64 = 60_000

    private var turns: [Turn]

    private struct Turn: Sendable, Hashable {
        var name: String
        var interval: Int64
        var dueAt: Int64
    }

    /// A schedule that begins now.
    ///
    /// - Parameters:
    ///   - intervals: how often each destination is told; below a second: never.
    ///   - now: milliseconds of a clock that never jumps.
    public init(_ intervals: [(name: String, interval: Duration)], at now: Int64) {
        turns = intervals.compactMap { name, interval in
            let milliseconds = Int64(interval / .milliseconds(1))
            guard milliseconds >= 1_000 else { return nil }
            return Turn(name: name, interval: milliseconds, dueAt: now + min(milliseconds, HealthSchedule.firstMilliseconds))
        }
    }

    /// How long until somebody is due; nil when nobody ever is.
    public func milliseconds(at now: Int64) -> Int64? { turns.map { max(0, $0.dueAt - now) }.min() }

    /// Who is due; each is due again an interval later.
    ///
    /// What was missed in a long sleep is told once.
    public mutating func takeDue(at now: Int64) -> [String] {
        var names: [String] = []
        for index in turns.indices where turns[index].dueAt <= now {
            names.append(turns[index].name)
            let missed = (now - turns[index].dueAt) / turns[index].interval
            turns[index].dueAt += (missed + 1) * turns[index].interval
        }
        return names
    }
}
