import Logging
import Waypost
import WaypostControl
import WaypostPositioning
import WaypostSystem

/// Keeps who wants to be woken and what has happened for them, and tells those who start programs.
///
/// It starts nothing itself. A program that is attached gets its events on its connection; else the user's `waypost agent`, if one is connected, is
/// told to start it, one program after the other; else a file with the user's number in the folder `wake` of the state calls the system's path unit,
/// which starts such an agent as that user.
/// - Registrations and events are on the disk before anybody hears of them; while they cannot be stored nobody does.
/// - What a user may not know now is withheld. It is only removed when somebody has decided so: by a grant, or a policy that is understood.
/// - Nothing wakes up while nothing waits.
actor WakeKeeper: PositioningConsumer {
    /// Somebody who was told to start a program.
    private struct Launch {
        var agent: ControlConnectionID
        /// When an answer does not come any more.
        var end: Int64
        /// What the program has been given, which nobody else gets meanwhile; a unit gets nothing.
        var ids: Set<String>
    }

    /// A program that is attached, and what it was sent.
    private struct Place {
        var connection: ControlConnectionID
        var processID: Int32?
        var sentIDs: Set<String> = []
    }

    private var ledger: WakeLedger
    private var store: WakeStore
    private let markerFolder: String
    private let access: AccessKeeper
    private let reduced: ReducedPositions
    private let hold: PositioningHold
    private let logger: Logger
    private var server: ControlServer?
    /// The connections of those who start a user's programs: one for each.
    private var agents: [UInt32: ControlConnectionID] = [:]
    /// Which programs an agent was told to start and has not reported.
    private var launching: [WakeKey: Launch] = [:]
    /// The connections of attached programs, and which events they were sent.
    private var attached: [WakeKey: Place] = [:]
    private var markedUsers: Set<UInt32>
    private var isStationary = false
    private var timer: (task: Task<Void, Never>, due: Int64)?
    /// Events of fences that are not on the disk.
    private var unkeptIDs: Set<String> = []
    /// When the ledger is tried to be written again; nil while it is on the disk.
    private var saveAt: Int64?
    /// The period that was erased a moment ago.
    private var erasures = RecentErasures()
    private var hasEnded = false

    /// The pause after a failed write, milliseconds.
    private static let savePause: Int64 = 10_000

    /// What earlier runs have left.
    ///
    /// - Parameter erased: stretches that were erased from the log while no tracker ran.
    init(
        folder: String, access: AccessKeeper, reduced: ReducedPositions, hold: PositioningHold, erased: [Range<UTCTime>] = [],
        logger: Logger
    ) {
        markerFolder = folder + "/wake"
        (self.access, self.reduced, self.hold, self.logger) = (access, reduced, hold, logger)
        var store = WakeStore(folder: folder, logger: logger)
        var ledger = store.load()
        for stretch in erased { _ = ledger.forget(stretch) }
        (self.store, self.ledger) = (store, ledger)
        let names = try? Syscalls.names(inFolder: markerFolder)  // As a rule nobody was ever woken: there is no such folder.
        markedUsers = Set((names ?? []).compactMap(UInt32.init))
    }

    /// Where lines go; what an earlier run has left is told now.
    func open(_ server: ControlServer) {
        self.server = server
        reduced.observe { told in Task { [weak self] in await self?.process(told) } }
        process(reduced.told)
        deliver()
    }

    /// Takes the markers away: who is woken from now on, the next run says.
    func end() {
        hasEnded = true
        timer?.task.cancel()
        mark([])
    }

    /// What is wrong, for people.
    var problems: [String] {
        store.problems
            + ledger.entries.filter { $1.phase == .failed }.keys.sorted().map { key in
                "the program \(key.name) of user \(SystemAccounts.name(ofUser: key.userID)) has failed too often: waypost register --list"
            }
    }

    // MARK: - What happens

    func consume(_ update: PositioningUpdate) {
        switch update {
        case .position(let position):
            guard !ledger.entries.isEmpty, !isErased(position.time) else { return }
            if ledger.process(position, level: level) { deliver() }
            tellNeed()
        case .stationary(let isStationary):
            self.isStationary = isStationary
            tellNeed()
        case .lost(.withheld):
            // Where the position must stay secret, the last one before it is not kept either.
            ledger.concealPlaces()
            save()
        case .lost, .failed, .finished, .matched, .noFix, .paused, .resumed, .significantChange, .sky, .status: break
        }
    }

    /// Notes what is new for those who may only know roughly where the device is.
    func process(_ told: PositionReduction.Told?) {
        guard !ledger.entries.isEmpty else { return }
        if let told, !isErased(told.position.time) { _ = ledger.process(told, level: level) }
        deliver()
    }

    /// Notes events of fences; returns all that could not be stored so far, so that the fences keep them.
    ///
    /// - Parameter areRetold: whether the run before may have told them.
    func process(_ events: [TrackerEvent], areRetold: Bool = false) -> Set<String> {
        var hasChanged = false
        for event in events where !isErased(event.time) && ledger.process(event, isRetold: areRetold, level: level) {
            unkeptIDs.insert(event.id)
            hasChanged = true
        }
        if hasChanged { deliver() }
        return unkeptIDs
    }

    /// Notes that somebody may know more or less from now on.
    ///
    /// - Parameter isDecided: whether that is somebody's will, and no fault or the end of a connection.
    func noteChange(isDecided: Bool) {
        guard !ledger.entries.isEmpty else { return }
        setLevels()
        if isDecided, access.isSound {
            for (key, count) in ledger.removeWithheld() {
                logger.warning("\(counted(count, "event")) for \(key.name) removed: its user may not know them any more")
            }
        }
        deliver()
    }

    /// Removes what is known of a stretch of time; returns why it may still be on the disk, for people.
    func forget(_ stretch: Range<UTCTime>) -> String? {
        erasures.add(stretch, now: MonotonicClock.nanoseconds)
        _ = ledger.forget(stretch)
        guard save() else { return store.obstacle ?? "registrations cannot be stored" }
        do throws(SystemError) { try store.removeAside() } catch { return error.description }
        return nil
    }

    /// Whether all that was forgotten is off the disk.
    var isSaved: Bool { store.has(ledger) }

    private func isErased(_ time: UTCTime?) -> Bool { time.map { erasures.covers($0, now: MonotonicClock.nanoseconds) } ?? false }

    /// What a user may know always; registrations need that.
    private func level(_ userID: UInt32) -> AuthorisationLevel {
        let known = access.authorisation(ofUser: userID)
        return known.scope == .always ? known.level : .none
    }

    private func setLevels() { ledger.setLevels(isPrivate: reduced.isPrivate, isHeldBack: reduced.isHeldBack, level) }

    private func tellNeed() { hold.need = ledger.need(isStationary: isStationary) }

    // MARK: - Telling

    /// Gives each program that has events to those who can start it, or to itself; what is not on the disk is told to nobody.
    private func deliver() {
        guard let server, !hasEnded else { return }
        let now = AccessKeeper.now
        ledger.expire(at: now)
        setLevels()
        launching = launching.filter { $1.end > now }
        tellNeed()
        defer { schedule() }
        guard save() else { return }
        for key in ledger.entries.keys.sorted() { start(key, server, at: now) }
        for (key, place) in attached { send(key, place, server) }
        // Whose agent is here needs no call, although it was called before.
        mark(Set(ledger.entries.filter { $1.isAnnounced && agents[$0.userID] == nil }.keys.map(\.userID)))
    }

    /// Tells somebody to start a program, or calls for somebody.
    private func start(_ key: WakeKey, _ server: ControlServer, at now: Int64) {
        guard let agent = agents[key.userID] else {
            _ = ledger.announce(key, at: now)
            return
        }
        // One program of a user after the other, whoever starts them: the next gets what has not been acknowledged by then.
        guard !launching.keys.contains(where: { $0.userID == key.userID }), let events = ledger.take(key, at: now) else { return }
        noteLaunch(key, events.map(\.id), by: agent, at: now)
        let order = LaunchOrder(registration: key.name, events: events.map { JSONText(bytes: $0.json) }, ids: events.map(\.id))
        server.send(order.line, to: [agent], needing: events.map(\.level).max() ?? .reduced)
    }

    private func noteLaunch(_ key: WakeKey, _ ids: [String], by agent: ControlConnectionID, at now: Int64) {
        let isUnit = ledger.entries[key]?.registration.isUnit == true
        launching[key] = Launch(agent: agent, end: now + WakeLedger.handedOutMilliseconds, ids: isUnit ? [] : Set(ids))
    }

    /// Sends an attached program the events that it was not sent yet; what one has that still runs waits for its end.
    private func send(_ key: WakeKey, _ place: Place, _ server: ControlServer) {
        let taken = launching[key]?.ids ?? []
        for event in ledger.entries[key]?.tellable ?? [] where !place.sentIDs.contains(event.id) && !taken.contains(event.id) {
            attached[key]?.sentIDs.insert(event.id)
            let line = WakeLine(registration: key.name, id: event.id, event: JSONText(bytes: event.json))
            server.send(line.line, to: [place.connection], needing: event.level)
        }
    }

    /// Leaves a marker for each of these users, and for nobody else.
    private func mark(_ users: Set<UInt32>) {
        guard users != markedUsers else { return }
        do throws(SystemError) {
            if !Syscalls.isFolder(markerFolder) { try Syscalls.createFolders(markerFolder, mode: 0o750) }
            for user in users.subtracting(markedUsers) { try AtomicFile.write([], to: "\(markerFolder)/\(user)", mode: 0o640) }
            for user in markedUsers.subtracting(users) { _ = try Syscalls.remove("\(markerFolder)/\(user)") }
            markedUsers = users
        } catch {
            logger.error("programs cannot be woken: \(error.description)")
        }
    }

    /// Looks again when a back-off or somebody's time is over, or what could not be stored is tried again.
    private func schedule() {
        let due = [ledger.nextDue(after: AccessKeeper.now), saveAt].compactMap { $0 }.min()
        guard due != timer?.due else { return }
        timer?.task.cancel()
        timer = due.map { due in
            let task = Task { [weak self] in
                let pause = Duration.milliseconds(max(0, due - AccessKeeper.now) + 10)
                guard (try? await Task.sleep(for: pause)) != nil else { return }  // Another moment is due first.
                await self?.timeIsOver()
            }
            return (task, due)
        }
    }

    private func timeIsOver() {
        timer = nil
        deliver()
    }

    /// Writes the ledger; where that fails it is tried again after a while.
    @discardableResult
    private func save() -> Bool {
        let isSaved = store.save(ledger)
        if isSaved { unkeptIDs = [] }
        saveAt = isSaved ? nil : AccessKeeper.now + WakeKeeper.savePause
        if !isSaved { schedule() }
        return isSaved
    }

    /// Writes everything into a new state folder.
    func writeAnew() {
        store.forgetFile()
        markedUsers = []
        save()
        deliver()
    }

    // MARK: - Connections

    /// Changes the registrations as somebody asks; what cannot be stored is refused.
    func change<Result: Sendable>(_ body: (inout WakeLedger) throws(ControlRefusal) -> Result) throws(ControlRefusal) -> Result {
        let before = ledger
        let result = try body(&ledger)
        guard save() else {
            ledger = before
            throw refusal
        }
        deliver()
        return result
    }

    private var refusal: ControlRefusal {
        ControlRefusal(
            .cannotStore, what: "registration", why: store.obstacle ?? "cannot be stored", next: "make room, and try again")
    }

    /// The registrations.
    var entries: [WakeKey: WakeLedger.Entry] { ledger.entries }

    /// Whether somebody is connected who starts a user's programs.
    func hasAgent(_ userID: UInt32) -> Bool { agents[userID] != nil }

    /// A connection starts a user's programs from now on, unless another one does; returns how many are to be started.
    ///
    /// - Parameter running: the registration whose program it still runs for an earlier run of the tracker, and the events that one was given.
    func addAgent(
        _ userID: UInt32, on connection: ControlConnectionID, running: (name: String, ids: [String])? = nil
    ) async throws(ControlRefusal) -> Int {
        if await isHeld({ agents[userID] }, byOtherThan: connection) {
            throw ControlRefusal(
                .unavailable, what: "agent", why: "another agent of this user starts the programs", next: "end that one first")
        }
        agents[userID] = connection
        if let running {
            let (key, now) = (WakeKey(userID: userID, name: running.name), AccessKeeper.now)
            if ledger.resume(key, at: now) { noteLaunch(key, running.ids, by: connection, at: now) }
        }
        setLevels()
        // So that the answer is mostly on its way first.
        Task { deliver() }
        return dueCount(of: userID)
    }

    /// A start has ended; returns how many programs of the user are still to be started now.
    ///
    /// What cannot be stored holds as long as this run, and is refused.
    /// - Parameter connection: who says so; of a start that somebody else was told since, only what it acknowledges counts.
    func finish(_ key: WakeKey, _ run: WakeRun, ids: [String], on connection: ControlConnectionID) throws(ControlRefusal) -> Int {
        if let launch = launching[key], launch.agent != connection {
            if run.exitCode == 0, ledger.entries[key]?.registration.isUnit == false {
                for id in ids { _ = ledger.acknowledge(id, for: key) }
            }
        } else {
            launching[key] = nil
            ledger.finish(key, run, eventIDs: ids, at: AccessKeeper.now)
        }
        Task { deliver() }
        guard save() else { throw refusal }
        return dueCount(of: key.userID)
    }

    private func dueCount(of userID: UInt32) -> Int {
        ledger.entries.count { key, entry in
            guard key.userID == userID, !entry.tellable.isEmpty, !entry.isAttached else { return false }
            switch entry.phase {
            case .idle, .announced, .unheard, .underWay: return true
            case .waiting(let until): return until <= AccessKeeper.now
            case .failed: return false
            }
        }
    }

    /// A program is connected from now on, unless another one is; returns how many events wait for it.
    ///
    /// - Parameter processID: the program's process, for people.
    func attach(_ key: WakeKey, on connection: ControlConnectionID, of processID: Int32?) async throws(ControlRefusal) -> Int {
        if await isHeld({ attached[key]?.connection }, byOtherThan: connection) {
            let holder = attached[key]?.processID.map { "process \($0)" } ?? "another program"
            throw ControlRefusal(
                .unavailable, what: "registration \"\(key.name)\"", why: "\(holder) is attached already, and gets the events",
                next: "end that one first")
        }
        attached[key] = Place(connection: connection, processID: processID)
        ledger.setAttached(true, key)
        setLevels()
        Task { deliver() }
        return ledger.entries[key]?.tellable.count ?? 0
    }

    /// Whether another connection has a place; one that has just ended is waited for.
    private func isHeld(_ holder: () -> ControlConnectionID?, byOtherThan connection: ControlConnectionID) async -> Bool {
        for _ in 0..<20 {
            guard let other = holder(), other != connection else { return false }
            try? await Task.sleep(for: .milliseconds(50))  // The tracker ends.
        }
        return holder().map { $0 != connection } ?? false
    }

    /// A connection has ended, and what it was for.
    func connectionEnded(_ connection: ControlConnectionID) {
        var hasChanged = false
        for (userID, agent) in agents where agent == connection {
            agents[userID] = nil
            hasChanged = true
        }
        for (key, launch) in launching where launch.agent == connection {
            launching[key] = nil
            ledger.lose(key, at: AccessKeeper.now)
            hasChanged = true
        }
        for (key, place) in attached where place.connection == connection {
            attached[key] = nil
            ledger.setAttached(false, key)
            hasChanged = true
        }
        if hasChanged { deliver() }
    }
}

extension WakeLedger.Entry {
    fileprivate var isAnnounced: Bool { if case .announced = phase { true } else { false } }
}
