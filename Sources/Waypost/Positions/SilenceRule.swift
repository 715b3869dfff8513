/// How long a receiver may send nothing before it counts as silent: 5 seconds or three of its periods, whichever is longer.
///
/// The period is the shortest of the last four steps between reports, so that one long pause does not lengthen it. Times are the
/// receiver's own, or those of any one clock; a step backward or of more than a minute is ignored.
package struct SilenceRule: Sendable, Equatable {
    /// The shortest time that counts as silence, in milliseconds.
    package static let leastMilliseconds: Int64 = 5_000
    /// How many periods without a report count as silence.
    package static let periods: Int64 = 3
    private static let longestPeriodMilliseconds: Int64 = 60_000
    private static let stepsToLearn = 4

    private let leastMilliseconds: Int64
    private var last: Int64?
    private var steps: [Int64] = []
    private var next = 0

    /// Creates a rule that knows nothing yet.
    ///
    /// - Parameter leastMilliseconds: the shortest time that counts as silence.
    package init(leastMilliseconds: Int64 = SilenceRule.leastMilliseconds) {
        self.leastMilliseconds = leastMilliseconds
    }

    /// How often the receiver reports, in milliseconds; nil until two times are known.
    package var periodMilliseconds: Int64? { steps.min() }

    /// How long this receiver may go without a report before it counts as silent, in milliseconds.
    package var limitMilliseconds: Int64 { max(leastMilliseconds, SilenceRule.periods * (periodMilliseconds ?? 0)) }

    /// Learns from a report at this moment, in milliseconds.
    package mutating func addReport(atMilliseconds moment: Int64) {
        defer { last = moment }
        guard let last, (1...SilenceRule.longestPeriodMilliseconds).contains(moment - last) else { return }
        if steps.count < SilenceRule.stepsToLearn {
            steps.append(moment - last)
        } else {
            steps[next] = moment - last
            next = (next + 1) % SilenceRule.stepsToLearn
        }
    }

    /// Knows what the other rule knows, and nothing else; the shortest silence stays its own.
    package mutating func adopt(_ other: SilenceRule) { (last, steps, next) = (other.last, other.steps, other.next) }

    /// Notes that the receiver sleeps: nothing is learned from the step to the next report.
    package mutating func pause() {
        last = nil
    }

    /// Learns from a report at this moment; a report without a time is ignored.
    package mutating func addReport(at time: UTCTime?) {
        if let time { addReport(atMilliseconds: time.millisecondsSince1970) }
    }
}
