import Waypost
import WaypostSystem

/// Where the log may have records that a lost outbox had.
package struct OutboxInterruption: Sendable, Hashable {
    /// A destination, and the place from which it may lack events of the log; those with the earliest place come first.
    package struct Destination: Sendable, Hashable {
        /// Its name.
        package let name: String
        /// Up to this number of the log it has every event, or should not get it.
        package let events: UInt64
        /// The last event of the log that is meant for it; nil when later ones are, too.
        package var through: UInt64?
    }

    /// The destinations.
    package let destinations: [Destination]
    /// Up to this number every event of the log had been accepted; nil when that is not known.
    package let takenThrough: UInt64?
    /// How many entries may be missing that not every destination has according to the marks; nil when that is unknown.
    let missingCount: Int?
    /// The entries that were taken back so far: what is accepted meanwhile is for every destination.
    var takenBack = SettledAhead()
}

// How destinations continue when the outbox is lost.
extension Outbox {
    /// How often the marks follow the destinations' progress, milliseconds.
    private static let markInterval: Int64 = 3_600_000

    // MARK: - After a loss

    /// Restores destinations that the marks know and a lost outbox does not; nil when there is nothing to bring back.
    static func resume(
        _ store: OutboxStore, _ reading: DestinationMarkFile.Reading, after recovery: OutboxRecovery?, known: OutboxTally?
    ) throws(SQLiteError) -> OutboxInterruption? {
        if case .missing = reading {
            try store.setNote(OutboxStore.interrupted, nil)
            return nil
        }
        // A stop or a crash may have come between the creation of a new file and the end of this.
        let left = try store.note(OutboxStore.interrupted)
        if recovery == nil, left == nil, try store.note(OutboxStore.beginsAtOldest) == nil { return nil }
        guard case .known(let marks) = reading else {
            // Their progress is unknown: better to send twice than never.
            store.noteLogged(through: 0)
            return OutboxInterruption(
                destinations: [], takenThrough: known?.logged.map(UInt64.init), missingCount: nil)
        }
        let first = marks.min { $0.events < $1.events }
        if recovery?.lostCount != 0, let first { store.noteLogged(through: first.events) }
        let names = Set(try store.destinations().map(\.name))
        try store.database.transaction { () throws(SQLiteError) in
            for mark in marks {
                if !names.contains(mark.name) { try store.restore(mark) }
                // What is left may be from before something was discarded.
                try store.advance(to: mark)
            }
            // Destinations without a mark are new.
            try store.setNote(OutboxStore.beginsAtOldest, nil)
        }
        guard let first else {
            try store.setNote(OutboxStore.interrupted, nil)
            return nil
        }
        var missingCount: Int?
        if let known {
            let entryCount = try store.database.integer(
                "SELECT count(*) FROM entry WHERE number > ? AND number <= ?", [SQLiteValue(first.entry), .integer(known.last)])
            missingCount = max(0, Int(known.last) - Int(clamping: first.entry) - Int(entryCount ?? 0))
        }
        return OutboxInterruption(
            destinations: marks.sorted { $0.events < $1.events }.map { .init(name: $0.name, events: $0.events, through: $0.eventsThrough) },
            takenThrough: known?.logged.map(UInt64.init), missingCount: missingCount)
    }

    /// Accepts events of the log again; those that are already there are accepted once.
    ///
    /// - Parameters:
    ///   - entries: the events of the log, in their order.
    ///   - number: up to which number of the log every event is accepted with these.
    ///   - lostCount: how many of the log's events up to there are gone.
    /// - Returns: how many were not there yet.
    package func takeBack(_ entries: [OutboxEntry], loggedThrough number: UInt64, lostCount: Int = 0) throws(OutboxError) -> Int {
        let encoded = try entries.map { (entry) throws(OutboxError) in try encode(entry) }
        let earliest = earliest
        let taken = try use { (store) throws(SQLiteError) in
            let last = store.lastEntryNumber
            if try !store.isOptedOut() {
                try store.insert(encoded, earliest: earliest)
                try store.countLostEvents(lostCount)
            }
            return PositionCursor.Stretch(after: UInt64(last), through: UInt64(store.lastEntryNumber))
        }
        interruption?.takenBack.insert(taken)
        openStore?.noteLogged(through: number)
        return Int(taken.through - taken.after)
    }

    /// Notes that a destination has, or should not get, all events that were taken back so far.
    package func skipTakenBack(for name: String) throws(OutboxError) {
        guard let interruption else { return }
        try use { (store) throws(SQLiteError) in
            guard var state = try store.destinations().first(where: { $0.name == name }) else { return }
            for stretch in interruption.takenBack.stretches { state.settledEvents.insert(stretch) }
            try store.database.transaction { () throws(SQLiteError) in try store.keep(state.settledEvents, of: .events, for: name) }
        }
    }

    /// Notes that a destination should not get what is taken back from here on, and nothing that comes later: it was removed then.
    package func endTakenBack(for name: String) throws(OutboxError) {
        try use { (store) throws(SQLiteError) in
            guard let state = try store.destinations().first(where: { $0.name == name }), state.closedEvents == nil else { return }
            try store.closeEvents(of: name)
        }
    }

    /// Notes that the log has nothing more to bring back.
    ///
    /// - Parameters:
    ///   - count: how many events came back that had been accepted before.
    ///   - newest: the number of the newest position in the log.
    package func endInterruption(broughtBack count: Int, newestPosition newest: UInt64) throws(OutboxError) {
        guard let interruption else { return }
        let tally = try use { (store) throws(SQLiteError) in
            try store.countWaiting()
            try store.setNote(OutboxStore.interrupted, nil)
            return store.tally
        }
        self.interruption = nil
        defer { keepLoss() }
        recovery?.waitingCount = Int(tally.waiting)
        recovery?.lastEntry = UInt64(tally.last)
        recovery?.newestPosition = newest
        guard let lost = recovery?.lostCount else { return }
        guard let missing = interruption.missingCount else {
            // Some that came back may be among those that are counted.
            if lost > 0, count > 0 { recovery?.isLostCountExact = false }
            return
        }
        // An event that came back may or may not have waited; this is the most that can be lost.
        let most = min(lost, max(0, missing - count))
        recovery?.lostCount = most
        recovery?.isLostCountExact = most == 0 || most == max(0, lost - count)
    }

    /// Whether the attached destinations have everything that a damaged or lost outbox had left for them.
    package var isRecovered: Bool {
        guard let recovery, interruption == nil, let states = try? destinations() else { return false }  // It is asked again.
        return states.allSatisfy { state in
            attached[state.name] == nil
                || (state.waitingEventCount == 0 || state.eventCursor >= recovery.lastEntry)
                    && (!state.takesPositions || state.positions.first >= recovery.newestPosition)
        }
    }

    // MARK: - Keeping marks

    /// Writes that there are no destinations yet, unless the file exists.
    ///
    /// - Parameter path: the file for the destinations' progress.
    package static func noteNoDestinations(at path: String) {
        var file = DestinationMarkFile(path: path)
        if file.read() == .missing { file.write([]) }
    }

    /// Updates the marks to the destinations' progress, once all of them are attached.
    ///
    /// - Parameter change: a further change of the marks, made before the outbox changes.
    func writeMarks(_ change: (inout [DestinationMark]) -> Void = { _ in }) throws(OutboxError) {
        guard keepsMarks else { return }
        let known = markFile?.kept ?? []
        let isInterrupted = interruption != nil
        var marks = try use { (store) throws(SQLiteError) in
            if try store.isOptedOut() { return [] as [DestinationMark] }
            // Events that are still to be brought back count as missing everywhere.
            return try store.marks(since: known).map { mark in isInterrupted ? known.first { $0.name == mark.name } ?? mark : mark }
        }
        change(&marks)
        markFile?.write(marks)
        marksWrittenAt = clock.bootMilliseconds()
    }

    /// Updates the marks when the last update was long ago.
    func noteProgress() {
        guard keepsMarks, clock.bootMilliseconds() - marksWrittenAt >= Outbox.markInterval else { return }
        try? writeMarks()  // The next update comes soon.
    }

    /// The number of the log up to which every event is in the outbox, and none waits that only the log would have if the outbox were lost.
    package var eventsKeptThrough: UInt64 {
        let marks = markFile?.kept ?? []
        if interruption != nil { return marks.map(\.events).min() ?? 0 }
        let waiting = ((try? destinations()) ?? []).filter { $0.waitingEventCount > 0 }  // Whoever sends reports the error.
        let owed = waiting.map { state in marks.first { $0.name == state.name }?.events ?? 0 }
        return min(owed.min() ?? .max, loggedNumber ?? .max)
    }

    /// Writes marks that are missing because the log was recreated or its disk was full.
    func checkMarks() {
        guard keepsMarks, let markFile, !markFile.isInPlace else { return }
        try? writeMarks()  // They are checked again.
    }
}

extension OutboxStore {
    /// Restores a destination from its mark.
    func restore(_ mark: DestinationMark) throws(SQLiteError) {
        let positions = mark.positionsThrough.map {
            PositionCursor(live: UInt64(SQLiteValue.largestNumber), gating: [.init(after: mark.positions, through: $0)])
        }
        try restore(
            DestinationState(
                name: mark.name, eventCursor: mark.entry, positions: positions ?? PositionCursor(live: mark.positions), liveSequence: 0,
                historySequence: 0, isPaused: mark.isPaused, sentCount: 0, droppedCount: 0, lateCount: 0, waitingEventCount: 0,
                deadLetterCount: 0, takesPositions: mark.takesPositions))
        if mark.isPaused { try database.run("UPDATE destination SET is_paused = 1 WHERE name = ?", [.text(mark.name)]) }
    }

    /// The marks of all destinations; where events wait, the mark from before they did.
    func marks(since known: [DestinationMark]) throws(SQLiteError) -> [DestinationMark] {
        try destinations().map { (state) throws(SQLiteError) in
            let old = known.first { $0.name == state.name }
            var mark = DestinationMark(
                name: state.name, positions: state.positions.first, events: old?.events ?? 0, entry: old?.entry ?? 0,
                dropped: max(0, state.droppedCount - (try goneCount(of: state))), takesPositions: state.takesPositions,
                isPaused: state.isPaused)
            if state.closedEvents != nil { mark.eventsThrough = old?.eventsThrough ?? tally.logged.map(UInt64.init) }
            if !state.positions.isOpen { mark.positionsThrough = state.positions.stretches.last?.through ?? state.positions.live }
            if state.waitingEventCount == 0, let logged = tally.logged {
                (mark.events, mark.entry) = (UInt64(logged), UInt64(lastEntryNumber))
            }
            return mark
        }
    }
}
