import WaypostSystem

// The outbox's file: opened, checked, and replaced when it is damaged.
extension Outbox {
    /// Checks whether the file is still in its place, whether a program that locked it still does, and whether entries are accepted again
    /// after some were not.
    public func check() throws(OutboxError) {
        try keepPlace()
        checkMarks()
        openStore?.keepTally()
        do throws(SQLiteError) { try openStore?.database.checkHold() } catch { throw OutboxError(error) }
        guard refusal != nil else { return }
        try use { (store) throws(SQLiteError) in try store.rehearse() }
        refusal = nil
    }

    /// How many entries the ``OutboxLimits`` removed while a destination still waited for them, since the outbox was opened.
    public var limitDropCount: Int { openStore?.limitDropCount ?? 0 }

    /// Brings everything into the one file before a stop, so that damage to its log can do no harm.
    public func checkpoint() throws(OutboxError) {
        try writeMarks()
        try use { (store) throws(SQLiteError) in try store.endUse() }
    }

    /// Does something with the file; a damaged one is first replaced by its readable content.
    func use<Result>(_ body: (OutboxStore) throws(SQLiteError) -> Result) throws(OutboxError) -> Result {
        try reopenIfClosed()
        try keepPlace()
        do throws(SQLiteError) { return try perform(body) } catch { try mend(damage(behind: error)) }
        do throws(SQLiteError) { return try perform(body) } catch { throw OutboxError(error) }
    }

    /// Does something that must stay done: it is in the file itself when this returns, and no loss of the file's log undoes it.
    func settleForGood<Result>(_ body: (OutboxStore) throws(SQLiteError) -> Result) throws(OutboxError) -> Result {
        let result = try use(body)
        // Without room in the file it is at least in the log.
        do throws(SQLiteError) { try openStore?.database.merge() } catch { return result }
        return result
    }

    private func perform<Result>(_ body: (OutboxStore) throws(SQLiteError) -> Result) throws(SQLiteError) -> Result {
        let store = try store()
        try store.beginUse()
        defer { store.noteProgress() }
        return try body(store)
    }

    private func store() throws(SQLiteError) -> OutboxStore {
        if let openStore { return openStore }
        let store = try OutboxStore(SQLiteDatabase(path: path), limits: limits, known: OutboxTallyFile.read(ofOutbox: path))
        try store.countWaiting()
        openStore = store
        return store
    }

    /// Written values are always valid; when one is refused, there may be a damaged row.
    private func damage(behind error: SQLiteError) -> SQLiteError {
        guard error.kind == .constraint, let openStore else { return error }
        do throws(SQLiteError) { try openStore.database.checkIntegrity() } catch { return error }
        return error
    }

    /// Does what can be done about an error before another attempt.
    private func mend(_ error: SQLiteError) throws(OutboxError) {
        guard error.kind == .constraint else { return try replaceDamaged(because: error) }
        // A program without the lock has written to it: its numbers are used, and the next ones are counted anew.
        openStore = nil
    }

    private func replaceDamaged(because error: SQLiteError) throws(OutboxError) {
        guard error.kind == .corrupt else { throw OutboxError(error) }
        // The log is read before the file is closed, because closing empties it.
        let log = try? SQLiteLog(besideDatabase: path)  // An unreadable log counts as missing.
        let known = openStore?.tally ?? OutboxTallyFile.read(ofOutbox: path)
        // It is closed, as it is, before its files are renamed.
        openStore?.isInUse = false
        openStore = nil
        recovery = try OutboxSalvage.run(path, because: error.reason, log: log, known: known)
        do throws(SQLiteError) {
            let store = try store()
            // The workers know the destinations' progress when the file does not.
            for state in attached.values { try store.restore(state) }
            let reading = markFile?.kept.map(DestinationMarkFile.Reading.known) ?? .missing
            interruption = try Outbox.resume(store, reading, after: recovery, known: known)
            recovery?.lastEntry = UInt64(store.lastEntryNumber)
            keepLoss()
        } catch {
            throw OutboxError(error)
        }
    }

    // MARK: - Its place

    /// Whether the file was removed, so that anything written to it disappears with the process.
    var isGone: Bool { if case .gone = openStore?.database.place() { true } else { false } }

    /// Makes sure that writes go to the file of that name.
    private func keepPlace() throws(OutboxError) {
        guard let store = openStore else { return }
        switch store.database.place() {
        case .known: break
        case .odd(let error): throw OutboxError(error)
        case .withoutLog:
            do throws(SQLiteError) { try store.database.checkpoint() } catch { return try replaceDamaged(because: error) }
            openStore = nil
        case .gone:
            // Without a folder there is no place, and a strange file in its place belongs to another program.
            let mayWrite = Syscalls.exists(path) ? isEarlierState(of: store) : true
            guard mayWrite, Syscalls.kind(Outbox.folder(of: path)) == .folder else { throw .gone(path: path) }
            // The lock's file may be gone, too, and another one in its place.
            lock = nil
            lock = try Outbox.lock(path)
            try writeAnew(store)
            openStore = nil
        }
    }

    /// Whether the file of that name is this outbox as it was before: a file system that covered it was unmounted, or a copy was put back.
    private func isEarlierState(of store: OutboxStore) -> Bool {
        do throws(SQLiteError) {
            let earlier = try SQLiteDatabase(path: path, isReadOnly: true)
            guard try OutboxSchema.version(of: earlier) == OutboxSchema.version, let series = try OutboxSchema.series(of: earlier) else {
                return false
            }
            let last = try earlier.integer("SELECT max(number) FROM entry") ?? 0
            return try series == OutboxSchema.series(of: store.database) && last <= store.lastEntryNumber
        } catch {
            return false
        }
    }

    /// All of it is still there, in files without names.
    private func writeAnew(_ store: OutboxStore) throws(OutboxError) {
        let copy = path + ".copied"
        do {
            try Syscalls.remove(copy)
            try store.database.copy(to: copy)
            let file = try Syscalls.openOwnForReading(copy)
            defer { Syscalls.close(file) }
            try Syscalls.setMode(file, 0o600, path: copy)
            try Syscalls.synchronize(file, path: copy)
            for suffix in SQLiteDatabase.suffixes { try Syscalls.remove(OutboxSalvage.rescuePath(path) + suffix) }
            // The log of an earlier state must not be applied to the copy.
            if Syscalls.exists(path) { try SQLiteDatabase(path: path).checkpoint() }
            // From here on a crash leaves it whole.
            try Syscalls.rename(copy, to: OutboxSalvage.rescuePath(path))
            try OutboxSalvage.takeName(path)
        } catch {
            throw OutboxError(error, at: path)
        }
        recovery = OutboxRecovery(
            reason: "it was removed while it was in use", wasRemoved: true, entryCount: Int(store.tally.waiting),
            waitingCount: Int(store.tally.waiting), lostCount: 0, lastEntry: UInt64(store.lastEntryNumber))
    }

    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    }

    // MARK: - Opening

    static func open(
        _ path: String, _ limits: OutboxLimits, _ found: DestinationMarkFile.Reading, logHasJournals: Bool
    ) throws(OutboxError) -> (OutboxStore, OutboxRecovery?, OutboxInterruption?) {
        do { try OutboxSalvage.finishRenaming(path) } catch { throw .cannotOpen(path: path, reason: error.reason) }
        // Before SQLite opens it, which discards everything after a damaged part.
        let log = try? SQLiteLog(besideDatabase: path)  // An unreadable log counts as missing.
        let known = OutboxTallyFile.read(ofOutbox: path)
        let wasThere = Syscalls.exists(path)
        let hadFile = log != nil || wasThere
        var marks = found
        // A tally or a destination's mark without an outbox belongs to a lost one. A log has marks before its first journal: one with journals
        // and without marks has lost them.
        let isWithoutMarks = logHasJournals && marks == .missing
        let wasKnown = isWithoutMarks || ![.missing, .known([])].contains(marks) || Syscalls.exists(OutboxTallyFile.path(ofOutbox: path))
        var recovery: OutboxRecovery?
        while true {
            let version: Int
            do throws(SQLiteError) {
                let database = try SQLiteDatabase(path: path)
                version = try OutboxSchema.version(of: database)
                if [0, OutboxSchema.version].contains(version) {
                    try database.checkIntegrity()
                    if version == OutboxSchema.version { try OutboxSchema.check(database) }
                    if version == 0, isWithoutMarks { marks = .unreadable }
                    if recovery == nil {
                        if version > 0 { try checkLog(of: database, log: log, known: known) }
                        try checkForLoss(database, isLost: version == 0 && wasKnown, log: log, known: known)
                    }
                    let store = try OutboxStore(database, limits: limits, known: known, marks: marks.marks)
                    try store.checkEntries()
                    let interruption = try resume(store, marks, after: recovery, known: known)
                    recovery?.beginsAtOldest = try store.note(OutboxStore.beginsAtOldest) != nil
                    try store.countWaiting()
                    try database.merge()
                    try store.beginUse()
                    store.noteProgress()
                    recovery?.lastEntry = UInt64(store.lastEntryNumber)
                    if recovery != nil {
                        try store.keepLoss(recovery)
                    } else {
                        recovery = try store.keptLoss(isInterrupted: interruption != nil)
                    }
                    return (store, recovery, interruption)
                }
            } catch {
                // One rescue is enough, because its result is whole. Tables other than ours count as damaged, too.
                guard error.kind == .corrupt || error.kind == .other, recovery == nil else { throw OutboxError(error) }
                recovery = try OutboxSalvage.run(
                    path, because: error.reason, log: log, known: known, hadFile: hadFile, wasRemoved: !wasThere)
                continue
            }
            throw .otherVersion(path: path, version: version)
        }
    }

    /// Without its log, or with one that was cut off, what was in use is an earlier state; only a tally says whether anything is missing.
    private static func checkLog(of database: SQLiteDatabase, log: SQLiteLog?, known: OutboxTally?) throws(SQLiteError) {
        guard try OutboxStore.isInUse(database) else { return }
        guard let known else { throw .damaged("its tally was removed or cannot be read", path: database.path) }
        guard log?.isThere != true, let progress = known.progress, try progress != OutboxStore.progress(in: database) else { return }
        throw .damaged("its log was removed or cannot be read", path: database.path)
    }

    /// SQLite may accept an earlier state as whole.
    private static func checkForLoss(
        _ database: SQLiteDatabase, isLost: Bool, log: SQLiteLog?, known: OutboxTally?
    ) throws(SQLiteError) {
        let isHidden = (log?.hiddenCommitCount ?? 0) > 0
        let missingCount: Int
        if !isLost, let known, known.waiting > 0 {
            missingCount = try OutboxStore.missingCount(of: known, in: database)
        } else {
            missingCount = 0
        }
        // The last one may come from a power cut, before any caller got its confirmation.
        guard isLost || missingCount > 0 || log?.hasConfirmedHiddenCommit == true else { return }
        throw .damaged(
            isHidden ? "its log is damaged" : isLost ? "it is missing or empty" : "its log was cut off or removed",
            path: database.path)
    }
}
