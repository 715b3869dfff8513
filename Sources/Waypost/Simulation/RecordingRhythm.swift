/// How far apart in time two points of a recording may be and still belong together, judged by the recording's own rhythm.
///
/// A receiver's recording has a beat, and a gap of more than three beats (and 5 seconds) is a loss. Telephones, watches and logs that leave
/// out points have no beat: the distance between their points depends on how straight the route is, and only a new segment or a very long gap
/// is a loss. A recording is of that kind when a tenth of its steps are a quarter longer or shorter than the median, or a fiftieth of them
/// are gaps.
///
/// It learns from points before they are played, so that the first gap is judged like the later ones.
/// - Cost: a few instructions per point; at a step of more than 5 seconds a sort of 256 numbers.
public struct RecordingRhythm: Sendable {
    /// How many of the latest steps are judged together.
    static let stepsJudged = 256
    /// With fewer steps there is no rhythm yet.
    static let leastSteps = 8

    private let longestMilliseconds: Int64
    private var last: Int64?
    private var steps: [Int64] = []
    private var next = 0

    /// Creates a rhythm that knows nothing yet.
    ///
    /// - Parameter longestMilliseconds: a longer step is a loss whatever the rhythm.
    public init(longestMilliseconds: Int64) {
        self.longestMilliseconds = longestMilliseconds
    }

    /// Learns from the time of the next point; a point without a time is ignored.
    public mutating func learn(_ time: UTCTime?, beginsSegment: Bool) {
        guard let moment = time?.millisecondsSince1970 else { return }
        defer { last = moment }
        guard !beginsSegment, let last else { return }
        let (step, isOverflow) = moment.subtractingReportingOverflow(last)
        guard !isOverflow, step > 0, step <= longestMilliseconds else { return }
        if steps.count < RecordingRhythm.stepsJudged {
            steps.append(step)
        } else {
            steps[next] = step
            next = (next + 1) % RecordingRhythm.stepsJudged
        }
    }

    /// Whether a step between two points of one segment is so long that they do not belong together.
    public func isLoss(stepMilliseconds step: Int64) -> Bool {
        if step > longestMilliseconds { return true }
        guard step > SilenceRule.leastMilliseconds, steps.count >= RecordingRhythm.leastSteps else { return false }
        let sorted = steps.sorted()
        let middle = sorted[sorted.count / 2]
        let limit = max(SilenceRule.leastMilliseconds, SilenceRule.periods * middle)
        guard step > limit else { return false }
        let oddCount = sorted.count { abs($0 - middle) > middle / 4 }
        let gapCount = sorted.count { $0 > limit }
        let hasBeat = oddCount * 10 < sorted.count && (gapCount < 2 || gapCount * 50 < sorted.count)
        return hasBeat
    }
}
