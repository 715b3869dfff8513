import Waypost

/// Decides which fixes are logged and where the track is interrupted.
///
/// The rule, in this order:
///
/// 1. A fix without a time (or with one outside the years 1 to 9999) has no place in a track: left out.
/// 2. A fix that does not come from satellites (dead reckoning alone, simulated, entered by hand) is left out unless asked for.
/// 3. A fix with the time of the last one is a repetition: left out.
/// 4. A new segment begins at the first fix, after a loss or restart that was noted, when the time goes backward, and when it jumps forward
///    by more than ten minutes. Times therefore grow within a segment.
public struct TrackSegmenter: Sendable, Hashable {
    /// What happens to a fix.
    public enum Decision: Sendable, Hashable {
        /// The fix goes into the track, in a new segment if there is a break.
        case log(after: SegmentBreak?)
        /// The fix is left out.
        case leaveOut(Reason)
    }

    /// Why a fix is not logged.
    public enum Reason: Sendable, Hashable, CaseIterable {
        /// The receiver has not reported a date.
        case untimed
        /// Dead reckoning, simulated or entered by hand.
        case notMeasured
        /// The fix has the same time as the last one.
        case repeated
    }

    /// The longest step between two fixes of one segment, in milliseconds.
    public static let maximumStepMilliseconds: Int64 = 600_000

    private let includesNotMeasured: Bool
    private var lastTime: UTCTime?
    private var notedBreak: SegmentBreak?

    /// Creates a segmenter before the first fix, whose segment begins for that reason.
    public init(includesNotMeasured: Bool = false, beginning: SegmentBreak = .start) {
        self.includesNotMeasured = includesNotMeasured
        notedBreak = beginning
    }

    /// Notes that the track is interrupted here; the first reason counts.
    public mutating func note(_ reason: SegmentBreak) {
        if notedBreak == nil { notedBreak = reason }
    }

    /// Decides about the next fix.
    public mutating func process(_ position: Position) -> Decision {
        guard let time = position.time, time.hasFourDigitYear else { return .leaveOut(.untimed) }
        guard includesNotMeasured || position.status.isMeasured else { return .leaveOut(.notMeasured) }
        if time == lastTime { return .leaveOut(.repeated) }
        let reason = notedBreak ?? (isJump(to: time) ? .jump : nil)
        lastTime = time
        notedBreak = nil
        return .log(after: reason)
    }

    private func isJump(to time: UTCTime) -> Bool {
        guard let lastTime else { return false }
        let step = time.millisecondsSince1970 - lastTime.millisecondsSince1970
        return step < 0 || step > TrackSegmenter.maximumStepMilliseconds
    }
}
