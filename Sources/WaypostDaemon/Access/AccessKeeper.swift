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
        var hasLooked = false
        var lookedAt: Int64 = 0
        var notices: [String] = []
        var server: ControlServer?
        var expiry: Task<Void, Never>?
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
        state = Mutex(State(book: book))
        look()
    }

    /// The time that grants go by: it goes on while the device sleeps.
    static var now: Int64 { BootClock.milliseconds }

    /// Where changes are told.
    func open(_ server: ControlServer) { state.withLock { $0.server = server } }

    /// Why nobody but root may know anything, for people; nil when all is well.
    var problem: String? { state.withLock { $0.book.problem } }

    /// What is wrong, for the list of problems: a broken policy, names in it that this system does not have, and doors that stay shut for it.
    func problems(ofDoors doors: [AccessPolicy.Door]) -> [String] {
        state.withLock { state in
            if let problem = state.book.problem { return [problem + "; nobody but root may know the position"] }
            return state.notices
                + doors.filter { state.book.level(of: $0) == .none && state.book.isSilent(about: $0) }.map { door in
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
        let peer = AccessBook.Peer(userID: userID, groupIDs: SystemAccounts.groupIDs(ofUser: userID))
        return state.withLock { $0.book.access(of: peer, at: AccessKeeper.now) }.authorisation
    }

    /// What a door gives.
    func level(of door: AccessPolicy.Door) -> AuthorisationLevel { state.withLock { $0.book.level(of: door) } }

    /// Reads and changes the book; clients are told what changes for them.
    func change<Result: Sendable>(_ body: (inout AccessBook) -> Result) -> Result {
        let (result, server) = state.withLock { state in
            let result = body(&state.book)
            if let end = state.book.nextEnd { schedule(end, &state) }
            return (result, state.server)
        }
        server?.reassess()
        return result
    }

    /// Reads the book.
    func read<Result: Sendable>(_ body: (AccessBook) -> Result) -> Result { state.withLock { body($0.book) } }

    // MARK: - Grants

    /// Grants something; it is on the disk when this returns.
    ///
    /// - Parameter peer: who decides.
    func grant(_ grant: AccessGrant, by peer: PeerCredentials) throws(ControlRefusal) {
        try changeGrants { $0.grant(grant) }
        var entry = AuditTrail.Entry("grant", by: peer)
        (entry.subject, entry.level, entry.scope, entry.purpose) = (grant.subject, grant.level, grant.scope, grant.purpose)
        entry.seconds = grant.end.map { Int(($0 - AccessKeeper.now) / 1_000) }
        trail.note(entry)
    }

    /// Takes back all grants of a user or group; returns how many there were.
    func revoke(_ subject: AccessSubject, by peer: PeerCredentials) throws(ControlRefusal) -> Int {
        var count = 0
        try changeGrants { book in
            count = book.revoke(subject)
            return true
        }
        var entry = AuditTrail.Entry("revoke", by: peer)
        entry.subject = subject
        trail.note(entry)
        return count
    }

    /// Changes the grants as one: what cannot be stored does not hold either.
    private func changeGrants(_ body: (inout AccessBook) -> Bool) throws(ControlRefusal) {
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
            change { $0.replaceGrants(grants) }
        }
    }

    /// Writes the grants into a new state folder.
    func writeAnew() throws(SystemError) { try store.save(read(\.grants)) }

    // MARK: - Questions

    /// Notes that a client asks for more; returns whether the question waits for an answer.
    func ask(_ question: AccessQuestion, on connection: ControlConnectionID, by peer: PeerCredentials) -> Bool {
        let (isOpen, isGiven) = change { book in
            book.ask(question, on: connection.number)
            let isOpen = book.isOpen(question, at: AccessKeeper.now)
            return (isOpen, question.purpose != nil && !isOpen)
        }
        var entry = AuditTrail.Entry(isGiven ? "full" : "ask", by: peer)
        (entry.reason, entry.purpose) = (question.reason, question.purpose)
        trail.note(entry)
        return isOpen
    }

    /// Notes that a connection has ended.
    func connectionEnded(_ connection: ControlConnectionID) {
        guard read({ $0.questions[connection.number] }) != nil else { return }
        let question = change { $0.end(connection.number) }
        guard let question, let purpose = question.purpose else { return }
        var entry = AuditTrail.Entry("full ends", userID: question.peer.userID, processID: question.processID)
        entry.purpose = purpose
        trail.note(entry)
    }

    // MARK: - Looking

    /// Looks at the policy file if that was long ago: for the delivery of positions.
    func lookNowAndThen() {
        let isDue = state.withLock { state in
            guard MonotonicClock.milliseconds - state.lookedAt >= AccessKeeper.lookInterval else { return false }
            state.lookedAt = MonotonicClock.milliseconds
            return true
        }
        if isDue { look() }
    }

    /// Reads the policy file if it has changed.
    private func look() {
        let stamp = FileStamp(of: file.path)
        guard state.withLock({ !$0.hasLooked || $0.stamp != stamp }) else { return }
        let (source, notices) = file.read()
        let (isNew, server) = state.withLock { state in
            let isNew = state.book.source != source
            (state.stamp, state.hasLooked, state.book.source, state.notices) = (stamp, true, source, notices)
            return (isNew, state.server)
        }
        guard isNew else { return }
        switch source {
        case .missing: logger.info("there is no policy \(file.path): only root, the tracker's user and group waypost know the position")
        case .read: logger.notice("policy \(file.path) is in force")
        case .broken(let reason): logger.error("\(reason): nobody but root may know the position")
        }
        for notice in notices { logger.warning("\(notice)") }
        server?.reassess()
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
        for grant in change({ $0.expire(at: AccessKeeper.now) }) {
            var entry = AuditTrail.Entry("grant ends", userID: 0, processID: 0)
            (entry.subject, entry.level, entry.purpose) = (grant.subject, grant.level, grant.purpose)
            trail.note(entry)
        }
    }
}
