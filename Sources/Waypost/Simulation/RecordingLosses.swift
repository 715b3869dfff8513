/// Where the position was lost in a recording that does not say so itself.
///
/// Between two fixes the recording's own rhythm decides (``RecordingRhythm``); where the receiver reported that it had no fix, the rule of
/// receivers does (``PositionLossRule``). Let it foresee each fix before it is processed, some 32 fixes ahead where the recording has as many.
package struct RecordingLosses: Sendable {
    private var rhythm = RecordingRhythm(longestMilliseconds: ReplaySchedule.longestStep.milliseconds)
    private var receiver = PositionLossRule()
    private var last: Int64?
    /// Whether the receiver has reported since the last fix that it had none.
    private var hasSaidNone = false

    /// Starts with nothing known and nothing lost.
    package init() {}

    /// The moment from which on the position is lost unless another fix comes; nil before the first fix.
    package var timeoutMilliseconds: Int64? { last.map { $0 + receiver.timeoutMilliseconds } }

    /// Learns from the time of a fix that will be processed later.
    package mutating func foresee(_ time: UTCTime?) { rhythm.learn(time, beginsSegment: false) }

    /// Processes the next fix; true when the position was lost before it and no report has said so.
    package mutating func addFix(at time: UTCTime?) -> Bool {
        let before = last
        last = time?.millisecondsSince1970 ?? last
        let (wasLost, isTimeout) = (receiver.isLost, receiver.addFix(at: time))
        defer { hasSaidNone = false }
        guard !wasLost, time != nil, let before, let last else { return false }
        if hasSaidNone, isTimeout { return true }
        let (step, isOverflow) = last.subtractingReportingOverflow(before)
        return isOverflow ? last > before : rhythm.isLoss(stepMilliseconds: step)
    }

    /// Processes a report without a fix; true when the position has just been lost.
    package mutating func addNoFix(at time: UTCTime?) -> Bool {
        hasSaidNone = true
        return receiver.addNoFix(at: time)
    }

    /// Notes that the recording itself says that the position was lost.
    package mutating func lose() { _ = receiver.lose() }

    /// Whether the position is lost.
    package var isLost: Bool { receiver.isLost }
}
