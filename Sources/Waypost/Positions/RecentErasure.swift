/// A period that is being erased, or was a moment ago: its last fixes may still be on their way from the receiver.
///
/// The positioning manager, the fences and the log all ignore them.
package struct RecentErasure: Sendable {
    let stretch: Range<UTCTime>
    /// When the last late fix may come, in monotonic nanoseconds.
    private var until = Int64.max

    /// How long a fix may take, in nanoseconds.
    static let lateness: Int64 = 2_000_000_000

    /// Creates the erasure of a period that is being erased from now on.
    ///
    /// - Parameter stretch: from its first moment up to but not including the last one.
    package init(stretch: Range<UTCTime>) {
        self.stretch = stretch
    }

    /// Notes that the whole period is erased.
    ///
    /// - Parameter now: monotonic nanoseconds.
    package mutating func end(now: Int64) { until = now + RecentErasure.lateness }

    /// Whether a fix of that time is a late one of the period.
    ///
    /// - Parameters:
    ///   - time: the time of the fix.
    ///   - now: monotonic nanoseconds.
    package func covers(_ time: UTCTime, now: Int64) -> Bool { now < until && stretch.contains(time) }

    /// Whether an event, or the fix that caused it, is a late one of the period.
    ///
    /// - Parameters:
    ///   - event: the event.
    ///   - now: monotonic nanoseconds.
    package func covers(_ event: TrackerEvent, now: Int64) -> Bool {
        [event.time, event.position?.time].contains { $0.map { covers($0, now: now) } ?? false }
    }
}
