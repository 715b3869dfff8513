/// When each destination gets a health report: a minute after the start, or sooner if its interval is shorter, then every interval.
///
/// - Units: milliseconds of one monotonic clock, given by the caller.
/// - Concurrency: a value; one step per occurrence.
package struct HealthSchedule: Sendable, Hashable {
    /// The longest time from the start to the first reports; a tracker that keeps ending at once sends none.
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
    ///   - intervals: how often each destination gets a report; less than a second means never.
    ///   - now: milliseconds of a clock that never jumps.
    package init(_ intervals: [(name: String, interval: Duration)], at now: Int64) {
        turns = intervals.compactMap { name, interval in
            let milliseconds = Int64(interval / .milliseconds(1))
            guard milliseconds >= 1_000 else { return nil }
            return Turn(name: name, interval: milliseconds, dueAt: now + min(milliseconds, HealthSchedule.firstMilliseconds))
        }
    }

    /// How long until a destination is due; nil when none ever is.
    package func milliseconds(at now: Int64) -> Int64? { turns.map { max(0, $0.dueAt - now) }.min() }

    /// The destinations that are due; each is due again an interval later.
    ///
    /// Reports missed in a long sleep are sent once.
    package mutating func takeDue(at now: Int64) -> [String] {
        var names: [String] = []
        for index in turns.indices where turns[index].dueAt <= now {
            names.append(turns[index].name)
            let missed = (now - turns[index].dueAt) / turns[index].interval
            turns[index].dueAt += (missed + 1) * turns[index].interval
        }
        return names
    }
}
