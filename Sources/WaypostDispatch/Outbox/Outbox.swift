import Synchronization
import Waypost
import WaypostSystem

/// The records that wait to be sent, on the disk: entries for all destinations, and each destination's progress in the entries and in the log.
///
/// ```swift
/// let outbox = try Outbox(path: "/var/lib/fleet/outbox.sqlite")
/// try await outbox.accept([.track(call)])           // on the disk when it returns
/// ```
/// Accepted entries stay until every destination has a receipt for them, through kill -9, power cuts, months without a network and
/// changes of the configuration; only ``OutboxLimits``, ``discard(_:newestPosition:)`` and ``erase(from:to:)`` remove more. A full disk
/// refuses new entries and leaves everything as it was. A damaged file or log is set aside, its readable content stays in use, and
/// `recovery` reports it, with the number of lost entries. A file that is removed while it is in use is rewritten as soon as its folder
/// exists; until then nothing is accepted. The file of a later version is left as it is.
///
/// An outbox has one owner, who holds the lock of a file beside it: opening it a second time is an error, in any program, until the
/// first owner has closed it or is gone.
/// - Concurrency: an actor on its own thread. Entries of several callers that come while the disk is busy share one commit.
/// - Cost: one commit, which waits once for the disk, per group of callers.
public actor Outbox {
    /// The path of the file.
    public nonisolated let path: String
    /// What was done about a damaged file, in this run or before, when its loss is still to be told; nil when there is nothing to tell.
    package internal(set) var recovery: OutboxRecovery?

    let limits: OutboxLimits
    nonisolated let clock: DispatchClock
    nonisolated let bootMoment: Mutex<BootMoment>
    /// The part of it that is on the disk.
    var keptBootMoment: BootMoment
    private let executor: ThreadExecutor
    private nonisolated let waiting = Monitor<[Acceptance]>([])
    var openStore: OutboxStore?
    /// The progress of the attached destinations, for a file that has lost it.
    private(set) var attached: [String: DestinationState] = [:]
    /// Where the log may have lost entries; nil when there is nothing to bring back from there.
    package internal(set) var interruption: OutboxInterruption?
    var markFile: DestinationMarkFile?
    /// Whether the marks follow the destinations: before all of these are attached, they describe the previous run.
    private(set) var keepsMarks = false
    var marksWrittenAt: Int64 = 0
    /// Keeps others out; nil when it is closed, and where nothing can be locked.
    var lock: FileLock?
    private(set) var isClosed = false
    /// Why the last entries were not accepted; nil when they were.
    var refusal: OutboxError?
    /// What is to be erased and could not be yet: nobody gets any of it.
    var unerased: [UnfinishedErasure] = []

    /// The outbox's own thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Opens an outbox, or creates it when it is missing; its folder must exist.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - limits: how much it stores.
    ///   - clock: the clocks.
    ///   - marksPath: the file for the destinations' progress, in case the outbox is lost: on another disk, or in another folder.
    ///   - logHasJournals: whether the log there has journals: without that file, an empty outbox is then a lost one.
    /// - Errors: `inUse`: another has it open; `otherVersion`: the file was not touched; `cannotOpen`, `full`, `cannotAccess`.
    public init(
        path: String, limits: OutboxLimits = OutboxLimits(), clock: DispatchClock = .system, marksPath: String? = nil,
        logHasJournals: Bool = false
    ) throws(OutboxError) {
        self.path = path
        self.limits = limits
        self.clock = clock
        do { executor = try ThreadExecutor(name: "outbox") } catch { throw .cannotOpen(path: path, reason: error.reason) }
        let lock = try Outbox.lock(path)
        var markFile = marksPath.map(DestinationMarkFile.init)
        let (store, recovery, interruption) = try Outbox.open(
            path, limits, markFile?.read() ?? .missing, logHasJournals: logHasJournals)
        keptBootMoment = Outbox.bootMoment(in: store)
        bootMoment = Mutex(keptBootMoment)
        (openStore, self.recovery, self.interruption, self.markFile) = (store, recovery, interruption, markFile)
        self.lock = lock
    }

    /// Forgets the file and what was known of it, and gives up the lock.
    func forget() {
        (openStore, attached, keepsMarks, isClosed) = (nil, [:], false, true)
        lock = nil
    }

    /// Takes the lock of a closed outbox again.
    func reopenIfClosed() throws(OutboxError) {
        guard isClosed else { return }
        lock = try Outbox.lock(path)
        isClosed = false
    }

    // MARK: - Accepting entries

    /// Accepts entries; they are on the disk when it returns.
    ///
    /// An entry with a known id is already there and is accepted once.
    ///
    /// - Parameters:
    ///   - entries: the entries to send, in that order.
    ///   - number: up to which number of the log every event is accepted with these; nil when they do not cover the log.
    ///   - lostCount: how many of the log's events up to there are gone: for every destination they count as dropped.
    /// - Errors: `full`, `cannotAccess`: none of them was accepted; `tooLong`, `tooDeep`.
    public nonisolated func accept(
        _ entries: [OutboxEntry], loggedThrough number: UInt64? = nil, lostCount: Int = 0
    ) async throws(OutboxError) {
        let encoded = try entries.map { (entry) throws(OutboxError) in try encode(entry) }
        let acceptance = Acceptance(encoded, loggedThrough: number, lostCount: lostCount)
        waiting.withLock { $0.append(acceptance) }
        await commitWaiting()
        if let failure = acceptance.failure.withLock({ $0 }) { throw failure }
    }

    nonisolated func encode(_ entry: OutboxEntry) throws(OutboxError) -> EncodedEntry {
        guard entry.isShallow else { throw .tooDeep(limit: OutboxEntry.maximumDepth) }
        let body = RecordCodec.bytes(entry.content, id: entry.id)
        guard body.count <= OutboxEntry.maximumByteCount else {
            throw .tooLong(byteCount: body.count, limit: OutboxEntry.maximumByteCount)
        }
        let moment = RecordMoment(
            bootIdentity: BootIdentity.bytes, bootMilliseconds: max(0, clock.bootMilliseconds()),
            time: (entry.time ?? clock.confirmedTime()).flatMap { $0.hasFourDigitYear ? $0 : nil })
        return EncodedEntry(id: entry.id, moment: moment, body: body)
    }

    /// All entries that came while the disk was busy go into one commit; a caller that finds none left knows that its own are stored.
    private func commitWaiting() {
        let acceptances = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        if acceptances.isEmpty { return }
        do throws(OutboxError) {
            let earliest = earliest
            try use { (store) throws(SQLiteError) in
                if try store.isOptedOut() { return }
                try store.insert(acceptances.flatMap(\.entries), earliest: earliest)
                try store.countLostEvents(acceptances.reduce(0) { $0 + $1.lostCount })
            }
            // Data written to a file without a name is not safe on the disk.
            if isGone { throw .gone(path: path) }
            if let number = acceptances.compactMap(\.loggedThrough).max() { noteLogged(through: number) }
            refusal = nil
        } catch {
            refusal = error
            for acceptance in acceptances { acceptance.failure.withLock { $0 = error } }
        }
    }

    /// Up to this number of the log every event was accepted; nil when that is not known, as in a new outbox.
    public var loggedNumber: UInt64? {
        guard let openStore else { return nil }
        return openStore.tally.logged.map(UInt64.init) ?? markFile?.kept?.map(\.events).min()
    }

    /// Notes that every event of the log up to that number was accepted, or is not for any destination; not while lost ones come back.
    public func noteLogged(through number: UInt64) { if interruption == nil { openStore?.noteLogged(through: number) } }

    /// Everything before this moment is too old; nil when nothing is.
    var earliest: UTCTime? {
        guard let age = limits.maximumAge, let now = clock.certainTime() else { return nil }
        return now.advanced(byMilliseconds: -age.milliseconds)
    }

    /// Accepts the circles among the fences unless these destinations already got the same ones, in this run or an earlier one.
    ///
    /// - Parameters:
    ///   - fences: all fences.
    ///   - names: the destinations that want them.
    public func acceptWaypoints(_ fences: [Geofence], for names: [String]) async throws(OutboxError) {
        if try isOptedOut() { return }
        let entry = OutboxEntry.waypoints(fences)
        // The id belongs to this entry; only the list counts.
        let told = names.sorted().flatMap { Array($0.utf8) + [0] } + RecordCodec.bytes(entry.content, id: "")
        let checksum = Int64(CRC32C.checksum(told.span.bytes))
        let isKnown = try use { (store) throws(SQLiteError) in try store.note(Outbox.waypoints) == checksum }
        if isKnown { return }
        try await accept([entry])
        try use { (store) throws(SQLiteError) in try store.setNote(Outbox.waypoints, checksum) }
    }

    static let waypoints = "waypoints"

    // MARK: - Opting out

    /// Whether sending is switched off: then not even entries are accepted.
    public func isOptedOut() throws(OutboxError) -> Bool {
        try use { (store) throws(SQLiteError) in try store.isOptedOut() }
    }

    /// Opts out, or in again, across restarts; waiting records are dropped both times, so that nothing from the time between is sent later.
    ///
    /// After opting out no trace of the events that waited, nor of refused ones, is left in the file.
    public func setOptedOut(_ isOptedOut: Bool, newestPosition: UInt64) throws(OutboxError) {
        // Nothing from the time between is sent to anyone.
        if isOptedOut { try writeMarks { $0 = [] } }
        try settleForGood { (store) throws(SQLiteError) in
            let settled = store.tally.settled
            try store.setNote(Outbox.optOut, isOptedOut ? 1 : nil)
            try store.setNote(Outbox.waypoints, nil)
            for destination in try store.destinations() { _ = try store.discard(destination.name, newestPosition: newestPosition) }
            if isOptedOut { try store.eraseEntries(after: settled) }
        }
        try readAttached()
        try writeMarks()
    }

    static let optOut = "opted_out"

    // MARK: - Destinations

    /// Registers a destination.
    ///
    /// A new one begins with new records; a known one continues where it was, whatever its settings are. Positions that are logged while none
    /// are sent to it are not meant for it, then or later; what waited before waits on.
    ///
    /// - Parameters:
    ///   - name: the destination.
    ///   - newestPosition: the number of the newest position in the log.
    ///   - takesPositions: whether positions of the log are sent to it.
    public func attach(_ name: String, newestPosition: UInt64, takesPositions: Bool = true) throws(OutboxError) -> DestinationState {
        try use { (store) throws(SQLiteError) in
            try store.attach(name, newestPosition: newestPosition, takesPositions: takesPositions)
        }
        let state = try state(of: name)
        attached[name] = state
        try writeMarks()
        return state
    }

    /// All destinations that were ever attached.
    public func destinations() throws(OutboxError) -> [DestinationState] {
        try use { (store) throws(SQLiteError) in try store.destinations() }
    }

    /// The progress of a destination.
    public func state(of name: String) throws(OutboxError) -> DestinationState {
        guard let state = try destinations().first(where: { $0.name == name }) else { throw .unknownDestination(name: name) }
        return state
    }

    /// Pauses a destination or lets it continue; the setting survives restarts.
    public func setPaused(_ isPaused: Bool, _ name: String) throws(OutboxError) { try setPaused(isPaused, [name]) }

    /// Pauses destinations or lets them continue, all of them or none.
    func setPaused(_ isPaused: Bool, _ names: [String]) throws(OutboxError) {
        let unknown = try settleForGood { (store) throws(SQLiteError) in try store.setPaused(isPaused, names) }
        if let unknown { throw .unknownDestination(name: unknown) }
        // It is done: an order that is refused changes nothing.
        try? writeMarks()  // The next update comes soon.
    }

    /// Drops everything that waits for a destination, which counts as discarded rather than dropped; its dead letters stay.
    public func discard(_ name: String, newestPosition: UInt64) throws(OutboxError) {
        // First, so that discarded records do not come back when the outbox is lost.
        let (entry, logged) = try use { (store) throws(SQLiteError) in (UInt64(store.lastEntryNumber), store.tally.logged) }
        try writeMarks { marks in
            for index in marks.indices where marks[index].name == name {
                marks[index].positions = max(marks[index].positions, newestPosition)
                (marks[index].events, marks[index].entry) = (logged.map(UInt64.init) ?? newestPosition, entry)
            }
        }
        let isKnown = try settleForGood { (store) throws(SQLiteError) in
            // The waypoints may be among the discarded entries.
            try store.setNote(Outbox.waypoints, nil)
            return try store.discard(name, newestPosition: newestPosition)
        }
        if !isKnown { throw .unknownDestination(name: name) }
        try readAttached()
    }

    /// Ends the state after damage in which new destinations begin with the oldest records because the old progress was lost.
    func forgetDamage() throws(OutboxError) {
        try use { (store) throws(SQLiteError) in try store.setNote(OutboxStore.beginsAtOldest, nil) }
        keepsMarks = markFile != nil
        try writeMarks()
    }

    /// Gives no new records to destinations that were removed from the configuration.
    func close(except names: Set<String>, newestPosition: UInt64) throws(OutboxError) {
        try settleForGood { (store) throws(SQLiteError) in try store.close(except: names, newestPosition: newestPosition) }
        try readAttached()
        try writeMarks()
    }

    /// Moves the waiting records of one destination, and its dead letters, to another; records that the other already has are sent to it again.
    ///
    /// - Parameters:
    ///   - newestPosition: the number of the newest position in the log, after which the first one begins anew.
    ///   - isForgotten: whether the first one is forgotten instead.
    func move(_ name: String, to other: String, newestPosition: UInt64, isForgotten: Bool) throws(OutboxError) {
        try writeMarks { marks in
            guard let from = marks.first(where: { $0.name == name }) else { return }
            for index in marks.indices where marks[index].name == other { marks[index] = marks[index].joined(with: from) }
        }
        let isKnown = try settleForGood { (store) throws(SQLiteError) in
            try store.move(name, to: other, newestPosition: newestPosition, isForgotten: isForgotten)
        }
        if !isKnown { throw .unknownDestination(name: name) }
        try readAttached()
        try writeMarks()
    }

    /// Forgets a destination: its waiting records, its dead letters and its receipts.
    func forget(_ name: String) throws(OutboxError) {
        try writeMarks { marks in marks.removeAll { $0.name == name } }
        let isKnown = try settleForGood { (store) throws(SQLiteError) in try store.forget(name) }
        if !isKnown { throw .unknownDestination(name: name) }
        try readAttached()
    }

    /// Reads the attached destinations again, which have changed or are gone.
    private func readAttached() throws(OutboxError) {
        let states = try destinations()
        attached = attached.compactMapValues { known in states.first { $0.name == known.name } }
    }

    // MARK: - Sending

    /// The number of the newest entry; 0 when there never was one.
    package func newestNumber() throws(OutboxError) -> UInt64 {
        try use { (store) throws(SQLiteError) in UInt64(clamping: store.lastEntryNumber) }
    }

    /// Stores the fate of a lane's records; it is on the disk when it returns.
    ///
    /// - Parameters:
    ///   - positions: the destination's new progress in the log; nil leaves it unchanged.
    ///   - ahead: the lane's records that it has beyond the settled part; nil leaves them unchanged.
    func settle(
        _ settlement: Settlement, _ positions: PositionCursor?, _ ahead: SettledAhead? = nil, for name: String
    ) throws(OutboxError) {
        defer { noteProgress() }
        let now = clock.confirmedTime()
        try use { (store) throws(SQLiteError) in try store.settle(settlement, positions, ahead, for: name, at: now) }
        guard var state = attached[name] else { return }
        if settlement.lane == .events { state.eventCursor = max(state.eventCursor, settlement.through) }
        if let positions { state.positions = positions }
        if let ahead, settlement.lane == .events { state.settledEvents = ahead } else if let ahead { state.settledPositions = ahead }
        attached[name] = state
    }

    /// Stores a destination's progress in the log.
    func keep(_ cursor: PositionCursor, for name: String) throws(OutboxError) {
        try use { (store) throws(SQLiteError) in
            try store.database.transaction { () throws(SQLiteError) in try store.keep(cursor, for: name) }
        }
        attached[name]?.positions = cursor
    }

    // MARK: - Dead letters

    /// Schedules one dead letter, or all of a destination, or all, for another attempt; returns how many.
    public func retryDeadLetters(number: Int64? = nil, of destination: String? = nil) throws(OutboxError) -> Int {
        try settleForGood { (store) throws(SQLiteError) in try store.retry(number, destination: destination) }
    }

    /// Removes one dead letter, or all of a destination, or all; returns how many.
    public func dropDeadLetters(number: Int64? = nil, of destination: String? = nil) throws(OutboxError) -> Int {
        try settleForGood { (store) throws(SQLiteError) in try store.drop(number, destination: destination) }
    }

    func settle(deadLetter letter: DeadLetter, refusedBecause reason: String) throws(OutboxError) {
        try use { (store) throws(SQLiteError) in try store.settle(deadLetter: letter.number, refusedBecause: reason) }
    }

    /// Notes that a dead letter was finally accepted, and stores the receipt.
    func settle(deadLetter letter: DeadLetter, answer: String) throws(OutboxError) {
        let now = clock.confirmedTime()
        try use { (store) throws(SQLiteError) in try store.settle(deadLetter: letter, answer: answer, at: now) }
    }
}

/// The entries of one caller, and the result of accepting them.
private final class Acceptance: Sendable {
    let entries: [EncodedEntry]
    let loggedThrough: UInt64?
    let lostCount: Int
    let failure = Mutex<OutboxError?>(nil)

    init(_ entries: [EncodedEntry], loggedThrough: UInt64?, lostCount: Int) {
        (self.entries, self.loggedThrough, self.lostCount) = (entries, loggedThrough, lostCount)
    }
}
