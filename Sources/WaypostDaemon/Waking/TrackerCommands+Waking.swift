import Waypost
import WaypostControl
import WaypostSystem

// What is asked about programs that are woken.

extension RegisterRequest: TrackerVerb {
    func answer(by tracker: TrackerCommands, to caller: ControlCaller) async throws(ControlRefusal) -> Answer {
        let known = caller.access.authorisation
        let user = SystemAccounts.name(ofUser: caller.peer.userID)
        let level = known.scope == .always ? known.level : .none
        for kind in WakeKind.allCases where kinds.contains(kind) {
            guard let obstacle = WakeObstacle(of: user, knowing: level, to: [kind]) else { continue }
            throw ControlRefusal(.notAuthorised, what: "registration", why: obstacle.why, next: obstacle.next)
        }
        let key = WakeKey(userID: caller.peer.userID, name: registration)
        let new = WakeRegistration(
            key: key, kinds: Set(kinds), isUnit: isUnit, program: program, since: tracker.watches.last?.position.time)
        try await tracker.wakes.change { (ledger) throws(ControlRefusal) in
            do throws(WakeLedger.Refusal) { try ledger.register(new) } catch {
                throw ControlRefusal(
                    .notPermitted, what: "registration",
                    why: "there are too many: \(WakeLedger.mostOfUser) for a user, \(WakeLedger.most) in all",
                    next: "unregister some")
            }
        }
        var entry = AuditTrail.Entry("register", by: caller.peer)
        entry.reason = "\(registration): \(program)"
        tracker.access.trail.noteHabit(entry)
        return try await RegistrationChanged(key, tracker)
    }
}

extension UnregisterRequest: TrackerVerb {
    func answer(by tracker: TrackerCommands, to caller: ControlCaller) async throws(ControlRefusal) -> Answer {
        let key = WakeKey(userID: caller.peer.userID, name: registration)
        let isRunning = try await tracker.wakes.change { (ledger) throws(ControlRefusal) in
            let isRunning = ledger.entries[key]?.runs ?? false
            if !ledger.unregister(key) { throw ControlRefusal(noRegistration: key.name) }
            return isRunning
        }
        var entry = AuditTrail.Entry("unregister", by: caller.peer)
        entry.reason = registration
        tracker.access.trail.noteHabit(entry)
        var answer = try await RegistrationChanged(key, tracker)
        answer.isRunning = isRunning
        return answer
    }
}

extension RehearseRequest: TrackerVerb {
    func answer(by tracker: TrackerCommands, to caller: ControlCaller) async throws(ControlRefusal) -> Answer {
        let key = WakeKey(userID: caller.peer.userID, name: registration)
        let level = caller.access.authorisation.scope == .always ? caller.access.level : .none
        guard let kinds = await tracker.wakes.entries[key]?.registration.kinds else { throw ControlRefusal(noRegistration: key.name) }
        if let obstacle = WakeObstacle(of: SystemAccounts.name(ofUser: key.userID), knowing: level, to: kinds) {
            throw ControlRefusal(.notAuthorised, what: "registration \"\(key.name)\"", why: obstacle.why, next: obstacle.next)
        }
        guard !tracker.watches.reduced.isPrivate else {
            throw ControlRefusal(
                .notPermitted, what: "registration \"\(key.name)\"", why: "private mode is on, in which nobody is woken",
                next: "end it with waypost private off")
        }
        let position = level == .full ? tracker.watches.last?.position : tracker.watches.reduced.told?.position
        let time = tracker.clock.likelyNow
        let id = try await tracker.wakes.change { (ledger) throws(ControlRefusal) in
            guard ledger.entries[key] != nil else { throw ControlRefusal(noRegistration: key.name) }
            guard let id = ledger.rehearse(key, at: position, time: time, level: level) else {
                throw ControlRefusal(
                    .notAuthorised, what: "registration \"\(key.name)\"", why: "this user may not know what wakes it any more")
            }
            return id
        }
        var answer = try await RegistrationChanged(key, tracker)
        answer.id = id
        return answer
    }
}

/// Why nothing wakes a user's program, and what mends that.
private struct WakeObstacle {
    var why: String
    var next: String

    /// The obstacle for a user who may always know so much, and wants to be woken by one of these; nil when one of them does it.
    init?(of user: String, knowing level: AuthorisationLevel, to kinds: Set<WakeKind>) {
        guard !kinds.contains(where: { $0.wakes(at: level) }) else { return nil }
        next = "as root: sudo waypost grant \(shellWord(user)) full --scope always"
        guard level.isAllowed else {
            why = "user \(user) may not know the position always, which a program that is woken needs"
            return
        }
        let words = WakeKind.allCases.filter(kinds.contains).map(\.rawValue).joined(separator: ", ")
        why = "user \(user) may only know roughly where the device is, and is woken by significant changes, not by \(words)"
        next = "register for significant; or \(next)"
    }
}

extension RegistrationChanged {
    fileprivate init(_ key: WakeKey, _ tracker: TrackerCommands) async throws(ControlRefusal) {
        self.init()
        registration = key.name
        hasAgent = await tracker.wakes.hasAgent(key.userID)
    }
}

extension ControlRefusal {
    fileprivate init(noRegistration name: String) {
        self.init(.notFound, what: "registration \"\(name)\"", why: "does not exist", next: "waypost register --list shows yours")
    }
}

extension ListRegistrationsRequest: TrackerVerb {
    func answer(by tracker: TrackerCommands, to caller: ControlCaller) async throws(ControlRefusal) -> Answer {
        let now = AccessKeeper.now
        let all = await tracker.wakes.entries
        var answer = Answer()
        answer.registrations = all.keys.sorted().filter { caller.access.isOperator || $0.userID == caller.peer.userID }.compactMap { key in
            all[key].map { RegistrationEntry($0, at: now) }
        }
        return answer
    }
}

extension RegistrationEntry {
    fileprivate init(_ entry: WakeLedger.Entry, at now: Int64) {
        self.init()
        let registration = entry.registration
        (name, user) = (registration.key.name, SystemAccounts.name(ofUser: registration.key.userID))
        kinds = WakeKind.allCases.filter(registration.kinds.contains)
        program = registration.program
        (eventCount, droppedCount, failureCount) = (entry.events.count, entry.droppedCount, entry.failureCount)
        switch entry.phase {
        case _ where entry.isAttached: state = .attached
        case .failed: state = .failed
        case .underWay: state = .running
        case _ where entry.tellable.isEmpty: state = .idle
        case .waiting(let until): (state, nextSeconds) = (.retrying, Int(max(0, until - now) / 1_000))
        case .announced, .unheard: state = .due
        case .idle: state = .due
        }
        if let obstacle = WakeObstacle(of: user, knowing: entry.level, to: registration.kinds) {
            self.obstacle = "\(obstacle.why); \(obstacle.next)"
        }
        guard let run = entry.lastRun else { return }
        (lastTime, lastExitCode, wasStarted, lastEventIDs) = (run.time, run.exitCode, run.wasStarted, run.eventIDs)
        lastWords = run.words.isEmpty ? nil : run.words
    }
}

extension AttachRequest: TrackerVerb {
    func answer(by tracker: TrackerCommands, to caller: ControlCaller) async throws(ControlRefusal) -> Answer {
        let key = WakeKey(userID: caller.peer.userID, name: registration)
        guard await tracker.wakes.entries[key] != nil else { throw ControlRefusal(noRegistration: registration) }
        var answer = Answer()
        answer.eventCount = try await tracker.wakes.attach(key, on: caller.connection, of: caller.peer.processID)
        await tracker.endIfGone(caller.connection)
        return answer
    }
}

extension AcknowledgeEventRequest: TrackerVerb {
    func answer(by tracker: TrackerCommands, to caller: ControlCaller) async throws(ControlRefusal) -> Answer {
        let key = WakeKey(userID: caller.peer.userID, name: registration)
        var answer = Answer()
        let id = id
        answer.wasWaiting = try await tracker.wakes.change { (ledger) throws(ControlRefusal) in
            guard ledger.entries[key] != nil else { throw ControlRefusal(noRegistration: key.name) }
            return ledger.acknowledge(id, for: key)
        }
        return answer
    }
}

extension AgentRequest: TrackerVerb {
    func answer(by tracker: TrackerCommands, to caller: ControlCaller) async throws(ControlRefusal) -> Answer {
        var answer = Answer()
        answer.dueCount = try await tracker.wakes.addAgent(
            caller.peer.userID, on: caller.connection, running: running.map { ($0, ids) })
        await tracker.endIfGone(caller.connection)
        return answer
    }
}

extension TrackerCommands {
    /// Takes back what a connection has been given while it ended.
    fileprivate func endIfGone(_ connection: ControlConnectionID) async {
        if !connections.contains(connection) { await wakes.connectionEnded(connection) }
    }
}

extension RanRequest: TrackerVerb {
    func answer(by tracker: TrackerCommands, to caller: ControlCaller) async throws(ControlRefusal) -> Answer {
        let key = WakeKey(userID: caller.peer.userID, name: registration)
        let run = WakeRun(time: tracker.clock.likelyNow, exitCode: exitCode, words: words, eventIDs: ids, wasStarted: wasStarted)
        var answer = Answer()
        answer.dueCount = try await tracker.wakes.finish(key, run, ids: ids, on: caller.connection)
        return answer
    }
}
