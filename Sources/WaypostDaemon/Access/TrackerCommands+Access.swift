import Waypost
import WaypostConfiguration
import WaypostControl
import WaypostSystem

// What is asked about who may know the position.

extension AuthorisationRequest: TrackerVerb {
    func answer(by tracker: TrackerCommands, to caller: ControlCaller) async throws(ControlRefusal) -> Answer {
        var answer = Answer()
        if let purpose {
            let words = tracker.access.read { $0.purposes[purpose] }
            guard let words else {
                throw ControlRefusal(
                    .notFound, what: "purpose \"\(purpose)\"", why: "is not explained in the policy",
                    next: "the tracker's administrator may add it below [purpose] in \(tracker.access.file.path)")
            }
            guard caller.access.level.isAllowed else {
                throw ControlRefusal(
                    .notAuthorised, what: "purpose \"\(purpose)\"",
                    why: "full accuracy is for those who may know at least roughly where it is",
                    next: "ask for that first: waypost request --reason WHY")
            }
            answer.purposeText = words
        }
        if reason != nil || purpose != nil {
            let question = AccessQuestion(
                peer: AccessBook.Peer(caller.peer), processID: caller.peer.processID, reason: reason ?? "", purpose: purpose,
                askedAt: AccessKeeper.now)
            answer.isAsked = tracker.access.ask(question, on: caller.connection, by: caller.peer)
            if !tracker.connections.contains(caller.connection) { tracker.access.connectionEnded(caller.connection) }
        }
        answer.authorisation = tracker.access.access(of: caller.peer).authorisation
        return answer
    }
}

extension GrantRequest: TrackerVerb {
    func answer(by tracker: TrackerCommands, to caller: ControlCaller) async throws(ControlRefusal) -> Answer {
        let subject = try AccessSubject(of: who)
        guard tracker.access.read({ $0.mayBeDecided(about: subject) }) else {
            throw ControlRefusal(
                .badRequest, what: "grant",
                why: "root, the tracker's user and group \(PeerPolicy.trustedGroupName) may always know everything",
                next: "grant it to another user or group, by name or number")
        }
        if let purpose {
            guard tracker.access.read({ $0.purposes[purpose] }) != nil else {
                throw ControlRefusal(
                    .notFound, what: "purpose \"\(purpose)\"", why: "is not explained in the policy",
                    next: "add it below [purpose] in \(tracker.access.file.path)")
            }
            guard level == .full else {
                throw ControlRefusal(.badRequest, what: "grant", why: "a purpose is for full accuracy", next: "grant full with it")
            }
        }
        let end = seconds.map { AccessKeeper.now + Int64($0) * 1_000 }
        // Who is given something, if only for an hour, must lose neither registrations nor what waits for them.
        let before = level == .none ? nil : tracker.access.read { $0.base(of: subject, at: AccessKeeper.now)?.scope }
        let scope = scope ?? before ?? .attached
        try tracker.access.grant(AccessGrant(subject, level, scope, purpose: purpose, end: end), by: caller.peer)
        return GrantChanged(subject, count: 0, tracker.access)
    }
}

extension RevokeRequest: TrackerVerb {
    func answer(by tracker: TrackerCommands, to caller: ControlCaller) async throws(ControlRefusal) -> Answer {
        let subject = try AccessSubject(of: who)
        let count = try tracker.access.revoke(subject, by: caller.peer)
        return GrantChanged(subject, count: count, tracker.access)
    }
}

extension GrantChanged {
    fileprivate init(_ subject: AccessSubject, count: Int, _ access: AccessKeeper) {
        self.init()
        (who, self.count, problem) = (subject.name, count, access.problem)
        let now = access.read { $0.base(of: subject, at: AccessKeeper.now) }
        (level, scope) = (now?.level, now?.scope)
    }
}

extension AccessSubject {
    fileprivate init(of who: String) throws(ControlRefusal) {
        guard let subject = AccessSubject(who) else {
            let what = who.hasPrefix("@") ? "group" : "user"
            guard UInt64(who.hasPrefix("@") ? who.dropFirst() : who[...]) == nil else {
                throw ControlRefusal(
                    .invalidValue, what: "\(what) \"\(oneLine(who, limit: 40))\"", why: "is a number that no \(what) has",
                    next: "the largest is \(UInt32.max - 1)")
            }
            throw ControlRefusal(
                .notFound, what: "\(what) \"\(oneLine(who, limit: 40))\"", why: "does not exist on this system",
                next: what == "user" ? "for a group write @ before its name" : "getent group lists them")
        }
        self = subject
    }
}

extension ListGrantsRequest: TrackerVerb {
    func answer(by tracker: TrackerCommands, to caller: ControlCaller) async throws(ControlRefusal) -> Answer {
        let now = AccessKeeper.now
        let (book, policy) = (tracker.access.read { $0 }, tracker.access.file)
        var answer = Answer()
        answer.policy = policy.path
        if case .missing = book.source {} else { answer.hasPolicy = true }
        answer.problem = book.problem
        let policyEntries = book.rules.flatMap { subject, rule in
            var entry = GrantEntry(subject, rule.authorisation)
            entry.origin = .policy
            return [entry]
                + rule.purposes.sorted().map { purpose in
                    entry.level = .full
                    entry.purpose = purpose
                    return entry
                }
        }
        let granted = book.grants.map { grant in
            var entry = GrantEntry(grant.subject, Authorisation(grant.level, grant.scope))
            entry.purpose = grant.purpose
            entry.seconds = grant.end.map { Int(max(0, $0 - now) / 1_000) }
            return entry
        }
        answer.grants = book.builtIn + (policyEntries + granted).sorted { ($0.who, $0.purpose ?? "") < ($1.who, $1.purpose ?? "") }
        answer.doors = tracker.doors.map { DoorEntry(name: $0.rawValue, level: book.level(of: $0)) }
        answer.questions = book.questions.values.filter { book.isOpen($0, at: now) }.sorted { $0.askedAt < $1.askedAt }.map { question in
            var entry = QuestionEntry()
            entry.who = SystemAccounts.name(ofUser: question.peer.userID)
            entry.processID = question.processID > 0 ? Int(question.processID) : nil
            entry.reason = question.reason.isEmpty ? nil : question.reason
            entry.purpose = question.purpose
            entry.seconds = Int((now - question.askedAt) / 1_000)
            return entry
        }
        answer.purposes = book.purposes.mapValues(JSONValue.string)
        if !caller.access.isOperator { answer.keepOnly(of: caller.peer) }
        return answer
    }
}

extension GrantReport {
    /// Leaves out what is said of others.
    fileprivate mutating func keepOnly(of peer: PeerCredentials) {
        let names = Set([SystemAccounts.name(ofUser: peer.userID)] + peer.groupIDs.map { "@\(SystemAccounts.name(ofGroup: $0))" })
        grants.removeAll { !names.contains($0.who) }
        questions.removeAll { !names.contains($0.who) }
        (doors, purposes, problem) = ([], [:], nil)
    }
}

extension GrantEntry {
    fileprivate init(_ subject: AccessSubject, _ authorisation: Authorisation) {
        self.init()
        (who, level, scope) = (subject.name, authorisation.level, authorisation.scope)
    }
}

extension AccessBook {
    /// What is always so.
    fileprivate var builtIn: [GrantEntry] {
        var subjects: [AccessSubject] = [.user(0)]
        if ownUserID != 0 { subjects.append(.user(ownUserID)) }
        if let trustedGroupID, problem == nil { subjects.append(.group(trustedGroupID)) }
        return subjects.map { subject in
            var entry = GrantEntry(subject, Authorisation(.full, .always))
            entry.origin = .builtIn
            return entry
        }
    }
}
