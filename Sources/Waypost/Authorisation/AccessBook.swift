/// Decides what each client may know: from the policy file, from what was granted since, and from who asks for more at the moment.
///
/// - Root and the tracker's own user may know everything: they can read its files.
/// - A broken policy is no policy: nobody else may know anything.
/// - A grant counts before the rule of the policy for the same user or group; one with an end counts before one without.
/// - Temporary full accuracy needs a base: at least `reduced`, a purpose that the policy explains, and a rule or a grant that allows this purpose.
///   It holds for all programs of the user, as long as the connection that asked is open.
///
/// - Concurrency: a value; its owner passes the time in milliseconds of a clock that never goes back.
package struct AccessBook: Sendable {
    /// The policy file as it is now.
    package enum Source: Sendable, Hashable {
        /// There is none.
        case missing
        /// Its rules.
        case read(AccessPolicy)
        /// It cannot be understood, and why.
        case broken(String)
    }

    /// Somebody's user and groups.
    package struct Peer: Sendable, Hashable {
        /// The user.
        package var userID: UInt32
        /// The groups.
        package var groupIDs: Set<UInt32>

        /// A user and groups.
        package init(userID: UInt32, groupIDs: Set<UInt32>) {
            (self.userID, self.groupIDs) = (userID, groupIDs)
        }
    }

    /// The tracker's own user.
    package let ownUserID: UInt32
    /// The group whose members know everything and may operate the tracker; nil when there is none.
    package let trustedGroupID: UInt32?
    /// The policy file.
    package var source = Source.missing
    /// Why the list of grants cannot be used; nil when it can.
    package var grantsProblem: String?
    /// What was granted, without what has ended.
    package private(set) var grants: [AccessGrant] = []
    /// Who asks, by connection.
    package private(set) var questions: [Int: AccessQuestion] = [:]

    /// The largest number of grants.
    package static let mostGrants = 1_000

    /// A book without grants.
    package init(ownUserID: UInt32, trustedGroupID: UInt32?, grants: [AccessGrant] = []) {
        (self.ownUserID, self.trustedGroupID) = (ownUserID, trustedGroupID)
        self.grants = grants
    }

    // MARK: - Decisions

    /// What somebody may know and do now.
    package func access(of peer: Peer, at now: Int64) -> PeerAccess {
        if peer.userID == 0 || peer.userID == ownUserID { return .administrator }
        guard !isBroken else { return .closed }
        let isTrusted = trustedGroupID.map(peer.groupIDs.contains) ?? false
        let (known, own) = lasting(of: peer, isTrusted: isTrusted, at: now)
        // What a member may know of its own accord takes nothing from what the group may do.
        let isOperator = isTrusted && (own == nil || own?.level == .full)
        guard known.level == .reduced, hasTemporaryAccuracy(peer, at: now) else { return PeerAccess(known, isOperator: isOperator) }
        return PeerAccess(Authorisation(.full, known.scope, isTemporary: true), isOperator: isOperator)
    }

    /// What somebody may know without asking for a purpose, and what of that is said of the user, not of a group.
    private func lasting(of peer: Peer, isTrusted: Bool, at now: Int64) -> (known: Authorisation, own: Authorisation?) {
        let own = base(of: .user(peer.userID), at: now)
        var known = own ?? (isTrusted ? Authorisation(.full, .always) : Authorisation(.notDetermined))
        if own == nil {
            for group in peer.groupIDs {
                if let more = base(of: .group(group), at: now) { known = known.widened(by: more) }
            }
        }
        return (known, own)
    }

    /// Whether a grant to somebody changes anything: root, the tracker's own user and the trusted group may always know everything.
    package func mayBeDecided(about subject: AccessSubject) -> Bool {
        subject != .user(0) && subject != .user(ownUserID) && subject != trustedGroupID.map(AccessSubject.group)
    }

    /// What a door gives: without a policy file all that is configured, with one only what it says.
    package func level(of door: AccessPolicy.Door) -> AuthorisationLevel {
        if isBroken { return .none }
        return switch source {
        case .missing: .full
        case .read(let policy): policy.doors[door] ?? .none
        case .broken: .none
        }
    }

    /// Whether there is a policy that does not name a door.
    package func isSilent(about door: AccessPolicy.Door) -> Bool { policy.map { $0.doors[door] == nil } ?? false }

    /// Why nobody but root may know anything; nil when all is well.
    package var problem: String? {
        if case .broken(let reason) = source { return reason }
        return grantsProblem
    }

    /// What each purpose is, for people.
    package var purposes: [String: String] { policy?.purposes ?? [:] }

    /// The rules of the policy file.
    package var rules: [AccessSubject: AccessPolicy.Rule] { policy?.rules ?? [:] }

    private var policy: AccessPolicy? { if case .read(let policy) = source { policy } else { nil } }
    private var isBroken: Bool { problem != nil }

    /// What a user or group has been given, without what comes from elsewhere; nil when nobody has decided.
    package func base(of subject: AccessSubject, at now: Int64) -> Authorisation? {
        let given = grants.filter { $0.subject == subject && $0.purpose == nil && !$0.hasEnded(at: now) }
        if let grant = given.first(where: { $0.end != nil }) ?? given.first {
            return Authorisation(grant.level, grant.scope, isTemporary: grant.end != nil)
        }
        return rules[subject]?.authorisation
    }

    /// Whether one of the user's programs is being served for a purpose that is allowed.
    private func hasTemporaryAccuracy(_ peer: Peer, at now: Int64) -> Bool {
        questions.values.contains { question in
            question.peer.userID == peer.userID && question.purpose.map { isAllowed($0, for: question.peer, at: now) } == true
        }
    }

    /// Whether somebody may have full accuracy for a purpose without asking anybody.
    package func isAllowed(_ purpose: String, for peer: Peer, at now: Int64) -> Bool {
        guard purposes[purpose] != nil else { return false }
        let subjects = [AccessSubject.user(peer.userID)] + peer.groupIDs.map(AccessSubject.group)
        return subjects.contains { subject in
            rules[subject]?.purposes.contains(purpose) == true
                || grants.contains { $0.subject == subject && $0.purpose == purpose && !$0.hasEnded(at: now) }
        }
    }

    /// Who has full accuracy now only because a connection asked for it, by connection.
    package func temporary(at now: Int64) -> [Int: AccessQuestion] {
        questions.filter { _, question in
            guard !isBroken, let purpose = question.purpose, isAllowed(purpose, for: question.peer, at: now) else { return false }
            let isTrusted = trustedGroupID.map(question.peer.groupIDs.contains) ?? false
            return lasting(of: question.peer, isTrusted: isTrusted, at: now).known.level == .reduced
        }
    }

    // MARK: - Changes

    /// Grants something, in place of what was granted before to the same for the same.
    ///
    /// - Returns: false when there are too many grants.
    package mutating func grant(_ grant: AccessGrant) -> Bool {
        let others = grants.filter { !$0.isReplaced(by: grant) }
        guard others.count < AccessBook.mostGrants else { return false }
        grants = others + [grant]
        return true
    }

    /// Takes back all that was granted to a user or group; the rule of the policy counts again.
    ///
    /// - Returns: how many grants there were.
    package mutating func revoke(_ subject: AccessSubject) -> Int {
        let before = grants.count
        grants.removeAll { $0.subject == subject }
        return before - grants.count
    }

    /// Replaces all grants.
    package mutating func replaceGrants(_ new: [AccessGrant]) { grants = new }

    /// Notes that a connection asks; one question for each connection.
    package mutating func ask(_ question: AccessQuestion, on connection: Int) { questions[connection] = question }

    /// Notes that a connection has ended, and with it what it asked for and was given for it.
    ///
    /// - Returns: the question that it had asked.
    package mutating func end(_ connection: Int) -> AccessQuestion? { questions.removeValue(forKey: connection) }

    /// Removes the grants whose time is over, and returns them.
    package mutating func expire(at now: Int64) -> [AccessGrant] {
        let ended = grants.filter { $0.hasEnded(at: now) }
        if !ended.isEmpty { grants.removeAll { $0.hasEnded(at: now) } }
        return ended
    }

    /// When the next grant ends; nil when none does.
    package var nextEnd: Int64? { grants.compactMap(\.end).min() }

    /// How many questions wait for an answer.
    package func openQuestionCount(at now: Int64) -> Int { questions.values.count { isOpen($0, at: now) } }

    /// Whether a question still waits for an answer.
    package func isOpen(_ question: AccessQuestion, at now: Int64) -> Bool {
        let level = access(of: question.peer, at: now).level
        if let purpose = question.purpose { return level != .full && !isAllowed(purpose, for: question.peer, at: now) }
        return level == .notDetermined
    }
}

/// Something that was granted with `waypost grant`.
package struct AccessGrant: Sendable, Hashable {
    /// To whom.
    package var subject: AccessSubject
    /// How much; with a purpose always full.
    package var level: AuthorisationLevel
    /// When.
    package var scope: AuthorisationScope
    /// The purpose for which full accuracy may be asked for; nil for a grant that needs none.
    package var purpose: String?
    /// When it ends, in milliseconds of the tracker's clock; nil for never.
    package var end: Int64?

    /// A grant.
    package init(
        _ subject: AccessSubject, _ level: AuthorisationLevel, _ scope: AuthorisationScope = .attached, purpose: String? = nil,
        end: Int64? = nil
    ) {
        (self.subject, self.level, self.scope) = (subject, level, scope)
        (self.purpose, self.end) = (purpose, end)
    }

    /// Whether its time is over.
    func hasEnded(at now: Int64) -> Bool { end.map { $0 <= now } ?? false }

    /// Whether a newer grant is for the same; one without an end also replaces one with an end.
    func isReplaced(by other: AccessGrant) -> Bool {
        subject == other.subject && purpose == other.purpose && (other.end == nil || end != nil)
    }
}

/// What a connected client asks for.
package struct AccessQuestion: Sendable, Hashable {
    /// Who asks.
    package var peer: AccessBook.Peer
    /// The process, for people; 0 when it is not known.
    package var processID: Int32
    /// Why, in the words of the program.
    package var reason: String
    /// The purpose for which it asks for full accuracy; nil when it asks for a base grant.
    package var purpose: String?
    /// When it asked, in milliseconds of the tracker's clock.
    package var askedAt: Int64

    /// A question.
    package init(peer: AccessBook.Peer, processID: Int32, reason: String, purpose: String? = nil, askedAt: Int64) {
        (self.peer, self.processID, self.reason, self.purpose, self.askedAt) = (peer, processID, reason, purpose, askedAt)
    }
}
