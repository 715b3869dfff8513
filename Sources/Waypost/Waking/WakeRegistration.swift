/// What a program that is not running may be woken by.
public enum WakeKind: String, Sendable, Hashable, CaseIterable {
    /// The device has gone at least 500 m and 5 min from the last such place (``SignificantChangeRule``).
    case significant
    /// A fence was entered.
    case enter
    /// A fence was left.
    case exit
    /// A stay inside a fence has become long.
    case dwell
    /// The device has passed through a fence between two fixes.
    case pass

    /// Whether somebody who may know so much is woken by it: whoever may only know roughly where the device is learns of no fence.
    package func wakes(at level: AuthorisationLevel) -> Bool { level == .full || level == .reduced && self == .significant }
}

/// Whose registration it is, and its name: a user's registrations have different names.
package struct WakeKey: Sendable, Hashable, Comparable {
    /// The user.
    package var userID: UInt32
    /// The name: 1 to 64 letters, digits, `-`, `_` and `.`.
    package var name: String

    /// A key.
    package init(userID: UInt32, name: String) {
        (self.userID, self.name) = (userID, name)
    }

    /// By user, then by name.
    package static func < (left: WakeKey, right: WakeKey) -> Bool { (left.userID, left.name) < (right.userID, right.name) }
}

/// A program that wants to be woken, as the tracker knows it: by whom it is registered and for what, not how it is started.
package struct WakeRegistration: Sendable, Hashable {
    /// Whose it is, and its name.
    package var key: WakeKey
    /// What wakes it.
    package var kinds: Set<WakeKind>
    /// Whether it is a unit of systemd, which acknowledges its events itself; a program does that with its exit code 0.
    package var isUnit: Bool
    /// What is started, for people.
    package var program: String
    /// The time of the last position that was known when it was made, which is the time that events go by; nil when there was none.
    package var since: UTCTime?

    /// A registration.
    package init(key: WakeKey, kinds: Set<WakeKind>, isUnit: Bool = false, program: String, since: UTCTime? = nil) {
        (self.key, self.kinds, self.isUnit, self.program, self.since) = (key, kinds, isUnit, program, since)
    }
}

/// Something that wakes a program.
package struct WakeEvent: Sendable, Hashable {
    /// Its name for ever: an event that is told twice has the same.
    package var id: String
    /// When it was; of a reduced position the start of its quarter of an hour; nil when that is not known.
    package var time: UTCTime?
    /// How much of the position it tells.
    package var level: AuthorisationLevel
    /// The event as a program gets it: one line of JSON.
    package var json: [UInt8]

    /// An event.
    package init(id: String, time: UTCTime? = nil, level: AuthorisationLevel, json: [UInt8]) {
        (self.id, self.time, self.level, self.json) = (id, time, level, json)
    }

    /// Whether it tells of a stretch of time.
    func isOf(_ stretch: Range<UTCTime>) -> Bool {
        guard let time else { return false }
        guard level == .reduced else { return stretch.contains(time) }
        return PositionReduction.span(ofQuarterAt: time).overlaps(stretch)
    }
}

/// How a start of a program ended.
package struct WakeRun: Sendable, Hashable {
    /// When it ended; nil when the time is not known.
    package var time: UTCTime?
    /// The exit code; nil when it was ended, or could not be started.
    package var exitCode: Int?
    /// What went wrong, or what the program wrote, for people.
    package var words: String
    /// The ids of the events that it was started with, the newest last.
    package var eventIDs: [String]
    /// Whether it ran at all; false when it could not be started.
    package var wasStarted: Bool

    /// A run.
    package init(time: UTCTime?, exitCode: Int?, words: String, eventIDs: [String], wasStarted: Bool = true) {
        (self.time, self.exitCode, self.words, self.eventIDs, self.wasStarted) = (time, exitCode, words, eventIDs, wasStarted)
    }
}
