import Synchronization
import Waypost
import WaypostSystem

/// What waits to be sent, on the disk: entries for all destinations, and how far each of them is in the entries and in the log.
///
/// ```swift
/// let outbox = try Outbox(path: "/var/lib/waypost/outbox.sqlite")
/// try await outbox.accept([.track(call)])           // on the disk when it returns
/// ```
/// What was accepted is there until every destination has a receipt for it, through kill -9, power cuts, months without a network and
/// changes of the configuration; only ``OutboxLimits``, ``discard(_:newestPosition:)`` and ``erase(from:to:)`` remove more. A full disk
/// refuses and leaves everything as it was. A damaged file or log of it is set aside, what can be read of it goes on, and ``recovery`` says
/// so, and how many entries are lost. A file that is removed while it is in use is written anew as soon as its folder is there; until then nothing
/// is taken. The file of a later version is left as it is.
/// - Concurrency: an actor on a thread of its own. Entries of several callers that come while the disk is busy share one commit.
/// - Cost: a commit, one wait for the disk, per crowd of callers.
public actor Outbox {
    /// Where it is.
    public nonisolated let path: String
    /// What was done about a damaged file since the start; nil when all was well.
    public internal(set) var recovery: OutboxRecovery?

    let limits: OutboxLimits
    nonisolated let clock: DispatchClock
    nonisolated let bootMoment: Mutex<BootMoment>
    /// What of it is on the disk.
    var keptBootMoment: BootMoment
    private let executor: ThreadExecutor
    private nonisolated let waiting = Monitor<[Acceptance]>([])
    var openStore: OutboxStore?
    /// How far the attached destinations are, for a file that knows nothing of them any more.
    private(set) var attached: [String: DestinationState] = [:]
    /// Where the log may have what was lost; nil when nothing is to be brought back from there.
    public internal(set) var interruption: OutboxInterruption?
    var markFile: DestinationMarkFile?
    /// Whether the marks follow the destinations: before all of these are attached, they say what was.
    private(set) var keepsMarks = false
    var marksWrittenAt: Int64 = 0

    /// The outbox's own thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Opens an outbox, which is made when it is missing; its folder must exist.
    ///
    /// - Parameters:
    ///   - path: where it is.
    ///   - limits: how much it takes.
    ///   - clock: what time it is.
    ///   - marksPath: where it is kept how far destinations are, for the case that the outbox is lost: on another disk, or in another folder.
    /// - Errors: `otherVersion`: the file was not touched; `cannotOpen`, `full`, `cannotAccess`.
    public init(
        path: String, limits: OutboxLimits = OutboxLimits(), clock: DispatchClock = .system, marksPath: String? = nil
    ) throws(OutboxError) {
        self.path = path
        self.limits = limits
        self.clock = clock
        do { executor = try ThreadExecutor(name: "outbox") } catch { throw .cannotOpen(path: path, reason: error.reason) }
        var markFile = marksPath.map(DestinationMarkFile.init)
        let (store, recovery, interruption) = try Outbox.open(path, limits, markFile?.read() ?? .missing)
        keptBootMoment = Outbox.bootMoment(in: store)
        bootMoment = Mutex(keptBootMoment)
        (openStore, self.recovery, self.interruption, self.markFile) = (store, recovery, interruption, markFile)
    }

    // MARK: - Taking entries

    /// Takes entries; they are on the disk when it returns.
    ///
    /// One whose id is known is there already, and taken once.
    ///
    /// - Parameters:
    ///   - entries: what is to be sent, in that order.
    ///   - number: up to which number of the log every event of it is taken with these; nil when they say nothing of that.
    /// - Errors: `full`, `cannotAccess`: none of them was taken; `tooLong`.
    public nonisolated func accept(_ entries: [OutboxEntry], loggedThrough number: UInt64? = nil) async throws(OutboxError) {
        let acceptance = Acceptance(try entries.map { (entry) throws(OutboxError) in try encode(entry) }, loggedThrough: number)
        waiting.withLock { $0.append(acceptance) }
        await commitWaiting()
        if let failure = acceptance.failure.withLock({ $0 }) { throw failure }
    }

    nonisolated func encode(_ entry: OutboxEntry) throws(OutboxError) -> EncodedEntry {
        let body = RecordCodec.bytes(entry.content, id: entry.id)
        guard body.count <= OutboxEntry.maximumByteCount else {
            throw .tooLong(byteCount: body.count, limit: OutboxEntry.maximumByteCount)
        }
        let moment = RecordMoment(
            bootIdentity: BootIdentity.bytes, bootMilliseconds: max(0, clock.bootMilliseconds()),
            time: (entry.time ?? clock.confirmedTime()).flatMap { $0.hasFourDigitYear ? $0 : nil })
        return EncodedEntry(id: entry.id, moment: moment, body: body)
    }

    /// Everything that came while the disk was busy is one commit; who finds nothing left knows that it is done.
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
            }
            // What was written to a file without a name is not on the disk.
            if isGone { throw .gone(path: path) }
            if let number = acceptances.compactMap(\.loggedThrough).max() { noteLogged(through: number) }
        } catch {
            for acceptance in acceptances { acceptance.failure.withLock { $0 = error } }
        }
    }

    /// Up to this number of the log, every event of it was taken; nil when that is not known, as in a new outbox.
    public var loggedNumber: UInt64? {
        guard let openStore else { return nil }
        return openStore.tally.logged.map(UInt64.init) ?? markFile?.kept?.map(\.events).min()
    }

    /// Says that every event of the log up to that number was taken, or is not for anybody here.
    public func noteLogged(through number: UInt64) { openStore?.noteLogged(through: number) }

    /// What happened before is too old; nil when nothing is.
    var earliest: UTCTime? {
        guard let age = limits.maximumAge, let now = clock.certainTime() else { return nil }
        return now.advanced(byMilliseconds: -age.components.seconds * 1_000)
    }

    /// Takes the circles among the fences unless they are what these destinations were told the last time, in this run or an earlier one.
    ///
    /// - Parameters:
    ///   - fences: all fences.
    ///   - names: who wants to know them.
    public func acceptWaypoints(_ fences: [Geofence], for names: [String]) async throws(OutboxError) {
        if try isOptedOut() { return }
        let entry = OutboxEntry.waypoints(fences)
        // The id is of this entry, the list is what counts.
        let told = names.sorted().flatMap { Array($0.utf8) + [0] } + RecordCodec.bytes(entry.content, id: "")
        let checksum = Int64(CRC32C.checksum(told.span.bytes))
        let isKnown = try use { (store) throws(SQLiteError) in try store.note(Outbox.waypoints) == checksum }
        if isKnown { return }
        try await accept([entry])
        try use { (store) throws(SQLiteError) in try store.setNote(Outbox.waypoints, checksum) }
    }

    static let waypoints = "waypoints"

    // MARK: - Opting out

    /// Whether somebody wants nothing to be sent: entries are not even taken.
    public func isOptedOut() throws(OutboxError) -> Bool {
        try use { (store) throws(SQLiteError) in try store.isOptedOut() }
    }

    /// Opts out, over restarts, or in again; what waits is dropped both times, so that nothing is sent later of the time between.
    public func setOptedOut(_ isOptedOut: Bool, newestPosition: UInt64) throws(OutboxError) {
        // Nothing of the time between is for anybody.
        if isOptedOut { try writeMarks { $0 = [] } }
        try use { (store) throws(SQLiteError) in
            try store.setNote(Outbox.optOut, isOptedOut ? 1 : nil)
            try store.setNote(Outbox.waypoints, nil)
            for destination in try store.destinations() { _ = try store.discard(destination.name, newestPosition: newestPosition) }
        }
        try readAttached()
        try writeMarks()
    }

    static let optOut = "opted_out"

    // MARK: - Destinations

    /// Makes a destination known.
    ///
    /// A new one begins with what comes from now on; a known one goes on where it was, whatever its settings are.
    ///
    /// - Parameters:
    ///   - name: the destination.
    ///   - newestPosition: the number of the newest position in the log.
    ///   - takesPositions: whether positions of the log are for it.
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

    /// How far a destination is.
    public func state(of name: String) throws(OutboxError) -> DestinationState {
        guard let state = try destinations().first(where: { $0.name == name }) else { throw .unknownDestination(name: name) }
        return state
    }

    /// Pauses a destination, over restarts, or lets it go on.
    public func setPaused(_ isPaused: Bool, _ name: String) throws(OutboxError) {
        let isKnown = try use { (store) throws(SQLiteError) in try store.setPaused(isPaused, name) }
        if !isKnown { throw .unknownDestination(name: name) }
        try writeMarks()
    }

    /// Drops everything that waits for a destination, which is counted; its dead letters stay.
    public func discard(_ name: String, newestPosition: UInt64) throws(OutboxError) {
        // First: what is discarded must not come back when the outbox is lost.
        let (entry, logged) = try use { (store) throws(SQLiteError) in (UInt64(store.lastEntryNumber), store.tally.logged) }
        try writeMarks { marks in
            for index in marks.indices where marks[index].name == name {
                marks[index].positions = max(marks[index].positions, newestPosition)
                (marks[index].events, marks[index].entry) = (logged.map(UInt64.init) ?? newestPosition, entry)
            }
        }
        let isKnown = try use { (store) throws(SQLiteError) in
            // What was told of the fences may be among it.
            try store.setNote(Outbox.waypoints, nil)
            return try store.discard(name, newestPosition: newestPosition)
        }
        if !isKnown { throw .unknownDestination(name: name) }
        try readAttached()
    }

    /// Ends that new destinations begin with the oldest, as they do after a damage that took how far the old ones were.
    func forgetDamage() throws(OutboxError) {
        try use { (store) throws(SQLiteError) in try store.setNote(OutboxStore.beginsAtOldest, nil) }
        keepsMarks = markFile != nil
        try writeMarks()
    }

    /// Lets what waits for one destination, and its dead letters, wait for another; what the other has of it is sent to it again.
    ///
    /// - Parameter newestPosition: where the first one begins anew; nil forgets it.
    func move(_ name: String, to other: String, newestPosition: UInt64?) throws(OutboxError) {
        try writeMarks { marks in
            guard let from = marks.first(where: { $0.name == name }) else { return }
            for index in marks.indices where marks[index].name == other { marks[index] = marks[index].joined(with: from) }
        }
        let isKnown = try use { (store) throws(SQLiteError) in try store.move(name, to: other, newestPosition: newestPosition) }
        if !isKnown { throw .unknownDestination(name: name) }
        try readAttached()
        try writeMarks()
    }

    /// Forgets a destination: what waits for it, its dead letters and its receipts.
    func forget(_ name: String) throws(OutboxError) {
        try writeMarks { marks in marks.removeAll { $0.name == name } }
        let isKnown = try use { (store) throws(SQLiteError) in try store.forget(name) }
        if !isKnown { throw .unknownDestination(name: name) }
        try readAttached()
    }

    /// What is attached has changed, or is gone.
    private func readAttached() throws(OutboxError) {
        let states = try destinations()
        attached = attached.compactMapValues { known in states.first { $0.name == known.name } }
    }

    // MARK: - Sending

    /// The entries after a number, in order.
    func entries(after number: UInt64, limit: Int) throws(OutboxError) -> [StoredEntry] {
        try use { (store) throws(SQLiteError) in try store.entries(after: number, limit: limit) }
    }

    /// Keeps what became of records of a lane; on the disk when it returns.
    ///
    /// - Parameters:
    ///   - positions: how far the destination is in the log now; nil for as far as before.
    ///   - ahead: what it has of the lane behind what is settled as a whole; nil for what it had before.
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

    /// Keeps how far a destination is in the log.
    func keep(_ cursor: PositionCursor, for name: String) throws(OutboxError) {
        try use { (store) throws(SQLiteError) in
            try store.database.transaction { () throws(SQLiteError) in try store.keep(cursor, for: name) }
        }
        attached[name]?.positions = cursor
    }

    // MARK: - Dead letters

    /// Dead letters of a destination or of all, oldest first.
    public func deadLetters(of destination: String? = nil, limit: Int = 1_000) throws(OutboxError) -> [DeadLetter] {
        try use { (store) throws(SQLiteError) in try store.deadLetters(of: destination, limit: limit) }
    }

    /// Lets one dead letter, or all of a destination, or all, be sent once more; how many.
    public func retryDeadLetters(number: Int64? = nil, of destination: String? = nil) throws(OutboxError) -> Int {
        try use { (store) throws(SQLiteError) in try store.retry(number, destination: destination) }
    }

    /// Removes one dead letter, or all of a destination, or all; how many.
    public func dropDeadLetters(number: Int64? = nil, of destination: String? = nil) throws(OutboxError) -> Int {
        try use { (store) throws(SQLiteError) in try store.drop(number, destination: destination) }
    }

    func dueDeadLetters(of destination: String, limit: Int) throws(OutboxError) -> [DeadLetter] {
        try use { (store) throws(SQLiteError) in try store.deadLetters(of: destination, dueOnly: true, limit: limit) }
    }

    func settle(deadLetter number: Int64, refusedBecause reason: String?) throws(OutboxError) {
        try use { (store) throws(SQLiteError) in try store.settle(deadLetter: number, refusedBecause: reason) }
    }

    /// Removes what happened from one moment on until before another from entries and dead letters; how many.
    public func erase(from: UTCTime, to: UTCTime) throws(OutboxError) -> Int {
        try use { (store) throws(SQLiteError) in try store.erase(from: from, to: to) }
    }
}

/// Entries of one caller, and what became of them.
private final class Acceptance: Sendable {
    let entries: [EncodedEntry]
    let loggedThrough: UInt64?
    let failure = Mutex<OutboxError?>(nil)

    init(_ entries: [EncodedEntry], loggedThrough: UInt64?) {
        (self.entries, self.loggedThrough) = (entries, loggedThrough)
    }
}
