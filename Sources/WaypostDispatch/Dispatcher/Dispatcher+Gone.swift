import Waypost
import WaypostSystem

// Positions that are no longer in the log.
extension Dispatcher {
    /// Notes that positions are about to be removed from the log: for destinations that still lack them they count as dropped.
    ///
    /// If a destination confirms some of them after all, because they were on their way, they no longer count. Positions that were counted are not
    /// counted again.
    /// - Parameters:
    ///   - gone: the numbers of positions, and of nothing else.
    ///   - key: the key of the limit that removes them.
    /// - Errors: the outbox's: nothing was counted.
    package nonisolated func noteGone(_ gone: [PositionCursor.Stretch], because key: String) async throws(OutboxError) {
        try await outbox.countGone(gone, because: key)
    }
}

/// Positions that were deleted from the log before every destination had them.
package struct GonePositions: Sendable, Hashable {
    /// How many: for the destination that lacks most of them.
    package var count: Int
    /// How long ago the last ones were deleted, as far as that is known.
    package var age: Duration
}

extension Outbox {
    /// The milliseconds between two moments, of which the first one comes from the file and may be any number.
    private static func span(from then: Int64, to now: Int64) -> Int64 { max(0, max(0, now) - max(0, then)) }

    /// After this time they are no longer reported.
    private static let goneMemory = Duration.seconds(3_600)

    /// Counts positions that the log deletes as dropped.
    func countGone(_ gone: [PositionCursor.Stretch], because key: String) throws(OutboxError) {
        let moments = [
            "gone_boot \(key)": Outbox.thisBoot, "gone_since \(key)": max(0, clock.bootMilliseconds()),
            "gone_time \(key)": clock.confirmedTime().map { max(0, $0.millisecondsSince1970) },
        ]
        try use { (store) throws(SQLiteError) in try store.countGone(gone, because: key, noting: moments) }
        // If the outbox is lost, those that have them do not count them.
        try? writeMarks()  // The next update comes soon.
    }

    /// The positions that limits deleted from the log in the last hour before every destination had them, by the key of the limit; also those of
    /// earlier runs.
    package func gonePositions() throws(OutboxError) -> [String: GonePositions] {
        let (boot, time) = (clock.bootMilliseconds(), clock.confirmedTime())
        return try use { (store) throws(SQLiteError) in
            var gone: [String: GonePositions] = [:]
            for (key, count) in try store.goneCounts() {
                var age: Int64 = 0
                if try store.note("gone_boot \(key)") == Outbox.thisBoot {
                    age = Outbox.span(from: try store.note("gone_since \(key)") ?? boot, to: boot)
                } else if let time, let then = try store.note("gone_time \(key)") {
                    age = Outbox.span(from: then, to: time.millisecondsSince1970)
                }
                let known = GonePositions(count: count, age: .milliseconds(age))
                if known.age < Outbox.goneMemory { gone[key] = known } else { try store.forgetGoneCounts(key) }
            }
            return gone
        }
    }
}
