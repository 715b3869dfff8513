/// Periods that are being erased, or were a moment ago: their last fixes may still be on their way from the receiver.
///
/// The positioning manager, the fences and the log all ignore them.
package struct RecentErasures: Sendable {
    private struct Erasure {
        let stretch: Range<UTCTime>
        /// When the last late fix may come, in monotonic nanoseconds.
        var until = Int64.max
    }

    private var erasures: [Erasure] = []

    /// How long a fix may take, in nanoseconds.
    static let lateness: Int64 = 2_000_000_000

    /// Nothing was erased.
    package init() {}

    /// Notes that a period is being erased from now on.
    ///
    /// - Parameter stretch: from its first moment up to but not including the last one.
    package mutating func begin(_ stretch: Range<UTCTime>) { erasures.append(Erasure(stretch: stretch)) }

    /// Notes that the whole period is erased.
    ///
    /// - Parameters:
    ///   - stretch: the period.
    ///   - now: monotonic nanoseconds.
    package mutating func end(_ stretch: Range<UTCTime>, now: Int64) {
        erasures.removeAll { $0.until <= now }
        guard let index = erasures.firstIndex(where: { $0.stretch == stretch && $0.until == .max }) else { return }
        erasures[index].until = now + RecentErasures.lateness
    }

    /// Notes a period that is erased at once.
    ///
    /// - Parameters:
    ///   - stretch: the period.
    ///   - now: monotonic nanoseconds.
    package mutating func add(_ stretch: Range<UTCTime>, now: Int64) {
        begin(stretch)
        end(stretch, now: now)
    }

    /// Whether a fix of that time is a late one of a period.
    ///
    /// - Parameters:
    ///   - time: the time of the fix.
    ///   - now: monotonic nanoseconds.
    package func covers(_ time: UTCTime, now: Int64) -> Bool { erasures.contains { now < $0.until && $0.stretch.contains(time) } }

    /// Whether an event, or the fix that caused it, is a late one of a period.
    ///
    /// - Parameters:
    ///   - event: the event.
    ///   - now: monotonic nanoseconds.
    package func covers(_ event: TrackerEvent, now: Int64) -> Bool {
        [event.time, event.position?.time].contains { $0.map { covers($0, now: now) } ?? false }
    }
}
