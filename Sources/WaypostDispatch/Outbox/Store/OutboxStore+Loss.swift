import Waypost
import WaypostSystem

// What is told of a loss. It is kept in the file that lacks the entries: a tracker may stop, or be cut off, before anybody was told.
extension OutboxStore {
    /// The notes of a loss; one that is not there is unknown, false or nothing.
    private enum LossNote: String, CaseIterable {
        /// When it was found, milliseconds since 1970; 0 when the time was not known. There is no loss without this note.
        case time = "loss_time"
        case count = "loss_count"
        case isAtMost = "loss_at_most"
        case waiting = "loss_waiting"
        case lastEntry = "loss_entry"
        case newestPosition = "loss_position"
        case aside = "loss_aside"
        case wasRemoved = "loss_removed"
        case beginsAtOldest = "loss_oldest"
    }

    /// The names of these notes.
    static let lossNoteNames = Set(LossNote.allCases.map { SQLiteValue.text($0.rawValue) })
    /// The note that events of the log are still to be brought back into the file.
    static let interrupted = "interrupted"

    /// Stores what is told of a loss; nil, and a recovery that lost nothing, remove it.
    func keepLoss(_ recovery: OutboxRecovery?) throws(SQLiteError) {
        var notes: [LossNote: Int64] = [:]
        if let recovery, recovery.lostCount != 0 {
            notes[.time] = max(0, recovery.foundAt?.millisecondsSince1970 ?? 0)
            notes[.count] = recovery.lostCount.map(Int64.init)
            notes[.isAtMost] = recovery.isLostCountExact ? nil : 1
            notes[.waiting] = Int64(recovery.waitingCount)
            notes[.lastEntry] = Int64(clamping: recovery.lastEntry)
            notes[.newestPosition] = Int64(clamping: recovery.newestPosition)
            notes[.aside] = recovery.asidePath.flatMap { $0.split(separator: "-").last }.flatMap { Int64($0) }
            notes[.wasRemoved] = recovery.wasRemoved ? 1 : nil
            notes[.beginsAtOldest] = recovery.beginsAtOldest ? 1 : nil
        }
        let isKept = try note(LossNote.time.rawValue) != nil
        if notes.isEmpty, !isKept { return }
        try database.transaction { () throws(SQLiteError) in
            for note in LossNote.allCases { try setNote(note.rawValue, notes[note].map { min($0, SQLiteValue.largestNumber) }) }
        }
    }

    /// The loss that is still to be told; nil when there is none.
    ///
    /// - Parameter isInterrupted: whether events that are counted as lost may come back from the log.
    func keptLoss(isInterrupted: Bool = false) throws(SQLiteError) -> OutboxRecovery? {
        var notes: [LossNote: Int64] = [:]
        for note in LossNote.allCases { notes[note] = try self.note(note.rawValue) }
        guard let time = notes[.time] else { return nil }
        var recovery = OutboxRecovery(reason: "it was damaged in an earlier run")
        recovery.foundAt = time > 0 ? UTCTime(millisecondsSince1970: time) : nil
        recovery.lostCount = notes[.count].map(Int.init)
        recovery.isLostCountExact = notes[.isAtMost] == nil && !isInterrupted
        recovery.waitingCount = Int(notes[.waiting] ?? 0)
        recovery.lastEntry = UInt64(notes[.lastEntry] ?? 0)
        recovery.newestPosition = UInt64(notes[.newestPosition] ?? 0)
        recovery.asidePath = notes[.aside].map { OutboxSalvage.asidePath(database.path, number: $0) }
        recovery.wasRemoved = notes[.wasRemoved] != nil
        recovery.beginsAtOldest = notes[.beginsAtOldest] != nil
        return recovery
    }
}

extension OutboxRecovery {
    /// Adds what an earlier damage took, which is still to be told.
    mutating func add(_ earlier: OutboxRecovery) {
        lostCount = lostCount.flatMap { count in earlier.lostCount.map { count + $0 } }
        isLostCountExact = isLostCountExact && earlier.isLostCountExact
    }
}

extension Outbox {
    /// Stores the newest state of what is told of a loss.
    ///
    /// A full disk leaves the last one.
    func keepLoss() {
        try? openStore?.keepLoss(recovery)  // It is told in this run.
    }

    /// How long ago the damage was found, milliseconds: since its time is known; 0 before.
    package func recoveryAge() -> Int64 {
        guard recovery != nil, let now = clock.confirmedTime() else { return 0 }
        guard let found = recovery?.foundAt else {
            recovery?.foundAt = now
            keepLoss()
            return 0
        }
        return max(0, now.millisecondsSince1970 - found.millisecondsSince1970)
    }

    /// Ends the telling of a loss.
    package func forgetRecovery() {
        recovery = nil
        keepLoss()
    }
}
