import Synchronization
import Waypost
import WaypostSystem

/// The time at which the machine was started; it stays the same while the clock is only steered, not set.
///
/// So a record that is sent again, also to another destination or after a restart of the tracker, has exactly the same time as before, not
/// one that is a few milliseconds off.
struct BootMoment: Sendable, Equatable {
    /// Milliseconds since 1970; nil before it is known.
    private(set) var milliseconds: Int64?
    /// A clock that differs by more than this was set rather than steered.
    private static let steeredMilliseconds: Int64 = 1_000

    /// An unknown moment, or the one that an earlier run found for this start of the machine.
    init(milliseconds: Int64? = nil) {
        self.milliseconds = milliseconds
    }

    /// The time of a moment of this start of the machine; nil when the time of day is unknown.
    mutating func time(of moment: RecordMoment, by clock: DispatchClock) -> UTCTime? {
        guard moment.bootIdentity == BootIdentity.bytes, let now = clock.confirmedTime() else { return nil }
        let found = now.millisecondsSince1970 - clock.bootMilliseconds()
        if milliseconds.map({ abs($0 - found) > BootMoment.steeredMilliseconds }) ?? true { milliseconds = found }
        return milliseconds.map { UTCTime(millisecondsSince1970: $0 + moment.bootMilliseconds) }
    }
}

extension Outbox {
    static let bootTime = "boot_time"
    static let bootName = "boot_name"

    /// The identity of this start of the machine, in the form of a note.
    static let thisBoot = Int64(BootIdentity.bytes.prefix(7).reduce(0) { $0 << 8 | UInt64($1) })

    /// The moment that an earlier run found for this start of the machine.
    static func bootMoment(in store: OutboxStore?) -> BootMoment {
        // An unreadable one is found again.
        guard let store, let name = try? store.note(bootName), name == thisBoot else { return BootMoment() }  // See above.
        return BootMoment(milliseconds: (try? store.note(bootTime)).flatMap { $0 })  // See above.
    }

    /// The time of a moment of this start of the machine, the same each time; nil when the time of day is unknown.
    nonisolated func time(of moment: RecordMoment) -> UTCTime? {
        bootMoment.withLock { $0.time(of: moment, by: clock) }
    }

    /// Stores the result of ``time(of:)`` across restarts; a disk that refuses to write is reported elsewhere.
    func keepBootMoment() {
        let known = bootMoment.withLock { $0 }
        guard known != keptBootMoment, let milliseconds = known.milliseconds, milliseconds >= 0 else { return }
        do {
            try use { (store) throws(SQLiteError) in
                try store.setNote(Outbox.bootTime, milliseconds)
                try store.setNote(Outbox.bootName, Outbox.thisBoot)
            }
            keptBootMoment = known
        } catch {
            return
        }
    }
}
