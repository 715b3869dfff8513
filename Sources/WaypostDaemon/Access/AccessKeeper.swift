import Logging
import Synchronization
import Waypost
import WaypostConfiguration
import WaypostControl
import WaypostSystem

/// Keeps who may know the position: the policy file, what was granted since, and who asks.
///
/// The policy file is looked at when somebody asks for something and, at most once a second, while positions are delivered; a tracker at rest is
/// not woken for it. Where it or the list of grants cannot be read, nobody but root may know anything.
/// - Concurrency: from anywhere.
final class AccessKeeper: PeerAuthority {
    private struct State {
        var book: AccessBook
        var stamp: FileStamp?
        /// The list of grants as it was read or written last.
        var grantsStamp: FileStamp?
        var hasLooked = false
        var lookedAt: Int64 = 0
        var readAt: Int64 = 0
        var notices: [String] = []
        /// Whether there was a policy file in this run.
        var hadFile = false
        var server: ControlServer?
        var noteChange: (@Sendable (_ isDecided: Bool) async -> Void)?
        var expiry: Task<Void, Never>?
        /// Who has full accuracy for a purpose, by connection, as the audit says.
        var audited: [Int: AccessQuestion] = [:]
        /// Whether nobody may know anything because the list of grants was removed or changed.
        var areGrantsGone = false
        /// How often users have asked lately, since when.
        var questions: [UInt32: (count: Int, since: Int64)] = [:]
    }

    /// The policy file.
    let file: PolicyFile
    private let store: GrantStore
    /// Where decisions are written.
    let trail: AuditTrail
    private let logger: Logger
    private let state: Mutex<State>
    /// Held while grants are changed and stored.
    private let changing = Mutex(())

    /// The shortest time between two looks at the policy file while positions are delivered, milliseconds.
    private static let lookInterval: Int64 = 1_000
    /// The pause before a policy file with names that this system does not have is read again: the account may have been made, milliseconds.
    private static let noticeInterval: Int64 = 60_000
    /// How many questions of a user the message log has in an hour.
    private static let mostQuestions = 10

    /// What is known at the start.
    init(_ file: PolicyFile, stateFolder: String, logger: Logger) {
        let store = GrantStore(folder: stateFolder)
        let standard = PeerPolicy.standard()
        var book = AccessBook(ownUserID: standard.ownUserID, trustedGroupID: standard.trustedGroupID)
        do throws(GrantStore.Problem) {
            book = AccessBook(ownUserID: standard.ownUserID, trustedGroupID: standard.trustedGroupID, grants: try store.load())
        } catch {
            book.grantsProblem = error.description
            logger.error("\(error.description): nobody but root may know the position")
        }
        (self.file, self.store, self.logger) = (file, store, logger)
        trail = AuditTrail(folder: stateFolder, logger: logger)
        state = Mutex(State(book: book, grantsStamp: FileStamp(of: store.path)))
        look()
    }

    /// The time that grants go by: it goes on while the device sleeps.
    static var now: Int64 { BootClock.milliseconds }

    /// Where changes are told.
    ///
    /// - Parameters:
    ///   - server: whose clients are told.
    ///   - noteChange: is called when somebody may know more or less, and whether that was decided, or came of a fault or the end of a connection.
    func open(_ server: ControlServer, noteChange: @escaping @Sendable (_ isDecided: Bool) async -> Void) {
        state.withLock { ($0.server, $0.noteChange) = (server, noteChange) }
    }

    /// Why nobody but root may know anything, for people; nil when all is well.
    var problem: String? { state.withLock { $0.book.problem } }

    /// Whether all that was decided is understood; a name that this system does not have may be a mistake.
    var isSound: Bool { state.withLock { $0.book.problem == nil && $0.notices.isEmpty } }

    /// What is odd about the policy and keeps nothing from working: names in it that this system does not have.
    var notes: [String] { state.withLock { $0.book.problem == nil ? $0.notices : [] } }

    /// What is wrong, for the list of problems: a broken policy, and doors that stay shut for it.
    func problems(ofDoors doors: [AccessPolicy.Door]) -> [String] {
        state.withLock { state in
            if let problem = state.book.problem { return [problem + "; nobody but root may know the position"] }
            return doors.filter { state.book.level(of: $0) == .none && state.book.isSilent(about: $0) }.map { door in
                "\(door.words) is configured, but the policy does not name it, so it gives nothing: write \(door.rawValue) = \"full\" "
                    + "(or \"none\") below [door] in \(file.path)"
            }
        }
    }

    /// What a client may know and do now.
    func access(of peer: PeerCredentials) -> PeerAccess {
        look()
        return state.withLock { $0.book.access(of: AccessBook.Peer(peer), at: AccessKeeper.now) }
    }

    /// What a user may know whose programs are not connected, by the groups that the system has for that user.
    func authorisation(ofUser userID: UInt32) -> Authorisation {
        lookNowAndThen()
        let peer = AccessBook.Peer(userID: userID, groupIDs: SystemAccounts.groupIDs(ofUser: userID))
        return state.withLock { $0.book.access(of: peer, at: AccessKeeper.now) }.authorisation
    }

    /// What a door gives.
    func level(of door: AccessPolicy.Door) -> AuthorisationLevel {
        lookNowAndThen()
        return state.withLock { $0.book.level(of: door) }
    }

    /// Reads and changes the book; clients are told what changes for them.
    ///
    /// - Parameter isDecided: whether somebody has decided so.
    private func change<Result: Sendable>(isDecided: Bool, _ body: (inout AccessBook) -> Result) -> Result {
        let result = state.withLock { state in
            let result = body(&state.book)
            if let end = state.book.nextEnd { schedule(end, &state) }
            return result
        }
        tell(isDecided: isDecided)
        return result
    }

    private func tell(isDecided: Bool) {
        noteTemporary()
        let (server, noteChange) = state.withLock { ($0.server, $0.noteChange) }
        server?.reassess()
        if let noteChange { Task { await noteChange(isDecided) } }
    }

    /// Notes who has got or lost full accuracy for a purpose: by asking, by a grant, by a policy, or with the connection.
    private func noteTemporary() {
        state.withLock { state in
            let given = state.book.temporary(at: AccessKeeper.now)
            for (connection, question) in state.audited where given[connection]?.purpose != question.purpose {
                note("full ends", question)
            }
            for (connection, question) in given where state.audited[connection]?.purpose != question.purpose { note("full", question) }
            state.audited = given
        }
    }

    private func note(_ action: String, _ question: AccessQuestion) {
        var entry = AuditTrail.Entry(action, userID: question.peer.userID, processID: question.processID)
        entry.purpose = question.purpose
        if action == "full" { entry.reason = question.reason }
        trail.noteHabit(entry)
    }

    /// Reads the book.
    func read<Result: Sendable>(_ body: (AccessBook) -> Result) -> Result { state.withLock { body($0.book) } }

    // MARK: - Grants

    /// Grants something; it is on the disk when this returns.
    ///
    /// - Parameter peer: who decides.
    func grant(_ grant: AccessGrant, by peer: PeerCredentials) throws(ControlRefusal) {
        var entry = AuditTrail.Entry("grant", by: peer)
        (entry.subject, entry.level, entry.scope, entry.purpose) = (grant.subject, grant.level, grant.scope, grant.purpose)
        entry.seconds = grant.end.map { Int((max(0, $0 - AccessKeeper.now) + 999) / 1_000) }
        try changeGrants(noting: entry) { $0.grant(grant) }
    }

    /// Takes back all grants of a user or group; returns how many there were.
    func revoke(_ subject: AccessSubject, by peer: PeerCredentials) throws(ControlRefusal) -> Int {
        var count = 0
        var entry = AuditTrail.Entry("revoke", by: peer)
        entry.subject = subject
        try changeGrants(noting: entry) { book in
            count = book.revoke(subject)
            return true
        }
        return count
    }

    /// Changes the grants as one: what cannot be stored does not hold either.
    private func changeGrants(noting entry: AuditTrail.Entry, _ body: (inout AccessBook) -> Bool) throws(ControlRefusal) {
        look()
        try changing.withLock { (_) throws(ControlRefusal) in
            var book = read { $0 }
            if let problem = book.grantsProblem {
                throw ControlRefusal(.cannotStore, what: "grants", why: problem, next: "mend or remove the file, and restart the tracker")
            }
            guard body(&book) else {
                throw ControlRefusal(.notPermitted, what: "grants", why: "there are \(AccessBook.mostGrants) already", next: "revoke some")
            }
            let grants = book.grants
            do throws(SystemError) { try store.save(grants) } catch { throw ControlRefusal(cannotKeep: "the grants", error) }
            state.withLock { $0.grantsStamp = FileStamp(of: store.path) }
            // First what was decided, then what has come of it.
            trail.note(entry)
            change(isDecided: true) { $0.replaceGrants(grants) }
        }
    }

    /// Writes the grants into a new state folder.
    func writeAnew() throws(SystemError) {
        try changing.withLock { (_) throws(SystemError) in
            try store.save(read(\.grants))
            state.withLock { state in
                state.grantsStamp = FileStamp(of: store.path)
                if state.areGrantsGone { (state.areGrantsGone, state.book.grantsProblem) = (false, nil) }
            }
        }
        tell(isDecided: false)
    }

    /// Looks whether the list of grants is still what was written: what it takes away must not come back because somebody has removed it.
    private func lookAtGrants() {
        // While it is being written it is neither.
        let isGone = changing.withLockIfAvailable { _ in
            let stamp = FileStamp(of: store.path)
            return state.withLock { state in
                guard stamp != state.grantsStamp, state.book.grantsProblem == nil else { return false }
                state.areGrantsGone = true
                state.book.grantsProblem =
                    "grants \(store.path): was removed or changed; put it back, or grant anew what is needed, and restart the tracker"
                return true
            }
        }
        guard isGone == true else { return }
        logger.error("grants \(store.path): was removed or changed by somebody: nobody but root may know the position")
        tell(isDecided: false)
    }

    // MARK: - Questions

    /// Notes that a client asks for more; returns whether the question waits for an answer.
    func ask(_ question: AccessQuestion, on connection: ControlConnectionID, by peer: PeerCredentials) -> Bool {
        let (before, isOpen) = change(isDecided: false) { book in
            let before = book.questions[connection.number]
            book.ask(question, on: connection.number)
            return (before, book.isOpen(question, at: AccessKeeper.now))
        }
        trail.flush()
        if before?.reason == question.reason, before?.purpose == question.purpose { return isOpen }
        var entry = AuditTrail.Entry("ask", by: peer)
        (entry.reason, entry.purpose) = (question.reason, question.purpose)
        if question.purpose == nil || isOpen, isMentioned(questionOf: peer.userID) { trail.mention(entry) }
        return isOpen
    }

    /// Whether the message log gets a question: whoever may ask as often as they like must not fill it.
    private func isMentioned(questionOf userID: UInt32) -> Bool {
        let now = AccessKeeper.now
        return state.withLock { state in
            var (count, since) = state.questions[userID] ?? (0, now)
            if now - since >= 3_600_000 { (count, since) = (0, now) }
            state.questions[userID] = (count + 1, since)
            return count < AccessKeeper.mostQuestions
        }
    }

    /// Notes that a connection has ended.
    ///
    /// - Concurrency: also on the thread of the connections, which the disk must not stop.
    func connectionEnded(_ connection: ControlConnectionID) {
        guard read({ $0.questions[connection.number] }) != nil else { return }
        _ = change(isDecided: false) { $0.end(connection.number) }
    }

    /// Writes what the audit does not have yet: the tracker ends.
    func end() { trail.end() }

    // MARK: - Looking

    /// Looks at the policy file, and at the time of the grants, if that was long ago.
    func lookNowAndThen() {
        let (isDue, isOver) = state.withLock { state in
            guard MonotonicClock.milliseconds - state.lookedAt >= AccessKeeper.lookInterval else { return (false, false) }
            state.lookedAt = MonotonicClock.milliseconds
            return (true, state.book.nextEnd.map { $0 <= AccessKeeper.now } ?? false)
        }
        if isDue { look() }
        // Whoever asks may be a thread that the disk must not stop.
        if isOver { Task { expire() } }
    }

    /// Reads the policy file if it has changed.
    private func look() {
        lookAtGrants()
        let (stamp, now) = (FileStamp(of: file.path), MonotonicClock.milliseconds)
        let isDue = state.withLock { state in
            !state.hasLooked || state.stamp != stamp
                || (!state.notices.isEmpty && now - state.readAt >= AccessKeeper.noticeInterval)
        }
        guard isDue else { return }
        var (source, notices) = file.read()
        let isNew = state.withLock { state in
            if case .missing = source {
                // An editor may be about to write it: that must not open every door.
                if state.hadFile { source = .broken("policy \(file.path): was removed; restart the tracker to do without") }
            } else {
                state.hadFile = true
            }
            let isNew = state.book.source != source
            (state.stamp, state.hasLooked, state.readAt) = (stamp, true, now)
            (state.book.source, state.notices) = (source, notices)
            return isNew
        }
        guard isNew else { return }
        var isDecided = false
        switch source {
        case .missing:
            logger.info(
                """
                there is no policy \(file.path): root, the tracker's user, group waypost and those who were granted it know the position, and \
                each door that is configured gives everything
                """)
        case .read:
            isDecided = true
            logger.notice("policy \(file.path) is in force")
        case .broken(let reason): logger.error("\(reason): nobody but root may know the position")
        }
        for notice in notices { logger.warning("\(notice)") }
        tell(isDecided: isDecided)
    }

    /// Ends grants when their time is over.
    private func schedule(_ end: Int64, _ state: inout State) {
        state.expiry?.cancel()
        state.expiry = Task { [weak self] in
            let pause = Duration.milliseconds(max(0, end - AccessKeeper.now) + 1)
            guard (try? await Task.sleep(for: pause)) != nil else { return }  // Another one is due first.
            self?.expire()
        }
    }

    private func expire() {
        for grant in change(isDecided: true, { $0.expire(at: AccessKeeper.now) }) {
            var entry = AuditTrail.Entry("grant ends", userID: 0, processID: 0)
            (entry.subject, entry.level, entry.purpose) = (grant.subject, grant.level, grant.purpose)
            trail.note(entry)
        }
    }
}
