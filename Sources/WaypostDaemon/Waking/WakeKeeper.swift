import Logging
import Waypost
import WaypostControl
import WaypostPositioning
import WaypostSystem

/// Keeps who wants to be woken and what has happened for them, and tells those who start programs.
///
/// It starts nothing itself. A program that is attached gets its events on its connection; else the user's `waypost agent`, if one is connected, is
/// told to start it; else a file with the user's number in the folder `wake` of the state calls the system's path unit, which starts such an agent as that user.
/// - Registrations and events are on the disk before anybody hears of them.
/// - Nothing wakes up while nothing waits.
actor WakeKeeper: PositioningConsumer {
    private var ledger: WakeLedger
    private var savedText: [UInt8]
    private let path: String
    private let markerFolder: String
    private let access: AccessKeeper
    private let reduced: ReducedPositions
    private let hold: PositioningHold
    private let logger: Logger
    private var server: ControlServer?
    /// The connections of those who start a user's programs.
    private var agents: [UInt32: [ControlConnectionID]] = [:]
    /// Which programs an agent was told to start and has not reported.
    private var launching: [WakeKey: ControlConnectionID] = [:]
    /// The connections of attached programs, and which events they were sent.
    private var attached: [WakeKey: (connection: ControlConnectionID, sentIDs: Set<String>)] = [:]
    private var markedUsers: Set<UInt32> = []
    private var isStationary = false
    private var timer: (task: Task<Void, Never>, due: Int64)?
    private var problem: String?

    /// What earlier runs have left.
    init(folder: String, access: AccessKeeper, reduced: ReducedPositions, hold: PositioningHold, logger: Logger) {
        (path, markerFolder) = (folder + "/registrations", folder + "/wake")
        (self.access, self.reduced, self.hold, self.logger) = (access, reduced, hold, logger)
        var text: [UInt8] = []
        do throws(SystemError) { text = try Syscalls.contents(of: path, limit: 32 << 20, as: .own) ?? [] } catch {
            problem = "registrations \(path): cannot be read: \(error.reason)"
        }
        let (ledger, damagedCount) = WakeLedger.read(text)
        self.ledger = ledger
        savedText = text
        if damagedCount > 0 { problem = "registrations \(path): \(counted(damagedCount, "line")) damaged; register these programs again" }
        if let problem { logger.error("\(problem)") }
    }

    /// Where lines go; what an earlier run has left is told now.
    func open(_ server: ControlServer) {
        self.server = server
        tellNeed()
        deliver()
    }

    /// What is wrong, for people.
    var problems: [String] {
        [problem].compactMap { $0 }
            + ledger.entries.filter { $1.phase == .failed }.keys.sorted().map { key in
                "the program \(key.name) of user \(SystemAccounts.name(ofUser: key.userID)) has failed too often: waypost register --list"
            }
    }

    // MARK: - What happens

    func consume(_ update: PositioningUpdate) {
        guard !ledger.entries.isEmpty else { return }
        switch update {
        case .position(let position):
            let told = reduced.process(position)
            if ledger.process(position, told: told, level: level) {
                save()
                deliver()
            }
            tellNeed()
        case .stationary(let isStationary):
            self.isStationary = isStationary
            tellNeed()
        case .lost(.withheld):
            // Where the position must stay secret, the last one before it is not kept either.
            ledger.forgetPlaces()
            save()
        case .lost, .failed, .finished, .matched, .noFix, .paused, .resumed, .significantChange, .sky, .status: break
        }
    }

    /// Notes events of fences; returns those that could not be stored, so that the fences keep them.
    func process(_ events: [TrackerEvent]) -> Set<String> {
        guard !ledger.entries.isEmpty else { return [] }
        var ids: Set<String> = []
        for event in events where ledger.process(event, level: level) { ids.insert(event.id) }
        guard !ids.isEmpty else { return [] }
        let isSaved = save()
        deliver()
        return isSaved ? [] : ids
    }

    /// What a user may know always; registrations need that.
    private func level(_ userID: UInt32) -> AuthorisationLevel {
        let known = access.authorisation(ofUser: userID)
        return known.scope == .always ? known.level : .none
    }

    private func tellNeed() { hold.need = ledger.need(isStationary: isStationary) }

    // MARK: - Telling

    /// Gives each program that has events to those who can start it, or to itself.
    private func deliver() {
        guard let server else { return }
        let now = AccessKeeper.now
        var marked: Set<UInt32> = []
        ledger.expire(at: now)
        for key in ledger.entries.keys.sorted() where !(ledger.entries[key]?.events.isEmpty ?? true) {
            let count = ledger.limit(key, to: level(key.userID))
            if count > 0 { logger.warning("\(counted(count, "event")) for \(key.name) dropped: its user may not know them any more") }
            guard let agent = agents[key.userID]?.last else {
                _ = ledger.announce(key, at: now)
                continue
            }
            guard let events = ledger.take(key, at: now) else { continue }
            launching[key] = agent
            let order = LaunchOrder(registration: key.name, events: events.map { JSONText(bytes: $0.json) }, ids: events.map(\.id))
            server.send(order.line, to: [agent], needing: .notDetermined)
        }
        for (key, entry) in ledger.entries { if case .announced = entry.phase { marked.insert(key.userID) } }
        for (key, place) in attached { send(key, place, server) }
        mark(marked)
        save()
        schedule()
    }

    /// Sends an attached program the events that it was not sent yet.
    private func send(_ key: WakeKey, _ place: (connection: ControlConnectionID, sentIDs: Set<String>), _ server: ControlServer) {
        let level = access.authorisation(ofUser: key.userID).level
        _ = ledger.limit(key, to: level)
        for event in ledger.entries[key]?.events ?? [] where !place.sentIDs.contains(event.id) {
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

    /// Looks again when a back-off or somebody's time is over.
    private func schedule() {
        let due = ledger.nextDue(after: AccessKeeper.now)
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

    @discardableResult
    private func save() -> Bool {
        let text = ledger.entries.isEmpty && savedText.isEmpty ? [] : ledger.text
        guard text != savedText else { return true }
        do throws(SystemError) {
            try AtomicFile.write(text, to: path, mode: 0o600)
            savedText = text
            problem = nil
            return true
        } catch {
            let words = "registrations \(path): cannot be written: \(error.reason)"
            if problem != words { logger.error("\(words)") }
            problem = words
            return false
        }
    }

    /// Writes everything into a new state folder.
    func writeAnew() {
        (savedText, markedUsers) = ([], [])
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
            throw ControlRefusal(.cannotStore, what: "registration", why: problem ?? "cannot be stored", next: "make room, and try again")
        }
        tellNeed()
        deliver()
        return result
    }

    /// The registrations.
    var entries: [WakeKey: WakeLedger.Entry] { ledger.entries }

    /// Whether somebody is connected who starts a user's programs.
    func hasAgent(_ userID: UInt32) -> Bool { agents[userID]?.isEmpty == false }

    /// A connection starts a user's programs from now on; returns how many are to be started.
    func addAgent(_ userID: UInt32, on connection: ControlConnectionID) -> Int {
        agents[userID, default: []].append(connection)
        let count = dueCount(of: userID)
        // The answer comes first.
        Task { deliver() }
        return count
    }

    /// A start has ended; returns how many programs of the user are still to be started now.
    func finish(_ key: WakeKey, _ run: WakeRun, ids: [String]) -> Int {
        launching[key] = nil
        ledger.finish(key, run, eventIDs: ids, at: AccessKeeper.now)
        save()
        let count = dueCount(of: key.userID)
        Task { deliver() }
        return count
    }

    private func dueCount(of userID: UInt32) -> Int {
        ledger.entries.count { key, entry in
            guard key.userID == userID, !entry.events.isEmpty, !entry.isAttached else { return false }
            switch entry.phase {
            case .idle, .announced, .underWay: return true
            case .waiting(let until): return until <= AccessKeeper.now
            case .failed: return false
            }
        }
    }

    /// A program is connected from now on; returns how many events wait for it.
    func attach(_ key: WakeKey, on connection: ControlConnectionID) -> Int {
        attached[key] = (connection, [])
        ledger.setAttached(true, key)
        Task { deliver() }
        return ledger.entries[key]?.events.count ?? 0
    }

    /// A connection has ended, and what it was for.
    func connectionEnded(_ connection: ControlConnectionID) {
        var hasChanged = false
        for (userID, connections) in agents where connections.contains(connection) {
            agents[userID] = connections.filter { $0 != connection }
            hasChanged = true
        }
        for (key, agent) in launching where agent == connection {
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
