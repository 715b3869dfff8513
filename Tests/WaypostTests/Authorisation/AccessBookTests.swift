import Testing

@testable import Waypost

/// Who may know what, for every way in which it can be said.
@Suite struct AccessBookTests {
    private typealias Peer = AccessBook.Peer

    private let pi = Peer(userID: 1_000, groupIDs: [1_000, 50])

    private func book(_ rules: [AccessSubject: AccessPolicy.Rule] = [:], purposes: [String: String] = [:]) -> BookOwner {
        let book = BookOwner(AccessBook(ownUserID: 990, trustedGroupID: 700))
        var policy = AccessPolicy()
        (policy.rules, policy.purposes) = (rules, purposes)
        book.source = .read(policy)
        return book
    }

    private func rule(
        _ level: AuthorisationLevel, _ scope: AuthorisationScope = .attached, for purposes: Set<String> = []
    ) -> AccessPolicy.Rule {
        AccessPolicy.Rule(Authorisation(level, scope), purposes: purposes)
    }

    @Test func knowsRootAndItself() {
        let book = book([.user(0): rule(.none), .user(990): rule(.none)])
        #expect(book.access(of: Peer(userID: 0, groupIDs: [0]), at: 0) == .administrator)
        #expect(book.access(of: Peer(userID: 990, groupIDs: []), at: 0) == .administrator)
        book.source = .broken("line 1")
        #expect(book.access(of: Peer(userID: 0, groupIDs: [0]), at: 0) == .administrator)
    }

    @Test func givesEverybodyElseNothingUntilSomebodyDecides() {
        let book = book()
        #expect(book.access(of: pi, at: 0) == .none)
        #expect(!book.access(of: pi, at: 0).level.isAllowed)
        let member = Peer(userID: 1_001, groupIDs: [700])
        #expect(book.access(of: member, at: 0) == .full)
        #expect(!book.access(of: member, at: 0).isAdministrator)
    }

    @Test func aBrokenPolicyIsForNobody() {
        let book = book([.user(1_000): rule(.full)])
        #expect(book.grant(AccessGrant(.user(1_000), .full)))
        for source in [AccessBook.Source.broken("line 1"), .missing] {
            book.source = source
            book.grantsProblem = source == .missing ? "damaged" : nil
            #expect(book.access(of: pi, at: 0).level == .none)
            #expect(book.access(of: Peer(userID: 1, groupIDs: [700]), at: 0) == .closed)
            for door in AccessPolicy.Door.allCases { #expect(book.level(of: door) == .none) }
        }
    }

    @Test func nothingIsDecidedAboutRoot() {
        let book = AccessBook(ownUserID: 990, trustedGroupID: 700)
        #expect(!book.mayBeDecided(about: .user(990)) && !book.mayBeDecided(about: .user(0)) && !book.mayBeDecided(about: .group(700)))
        #expect(book.mayBeDecided(about: .user(1_000)) && book.mayBeDecided(about: .group(0)))
    }

    @Test func aUsersOwnRuleCountsBeforeThoseOfGroups() {
        let rules: [AccessSubject: AccessPolicy.Rule] = [.user(1_000): rule(.reduced), .group(50): rule(.full), .group(700): rule(.full)]
        #expect(book(rules).access(of: pi, at: 0).level == .reduced)
        let trusted = Peer(userID: 1_000, groupIDs: [700])
        #expect(book(rules).access(of: trusted, at: 0) == PeerAccess(Authorisation(.reduced)), "and operates nothing")
        #expect(book(rules).access(of: Peer(userID: 1_001, groupIDs: [50]), at: 0).level == .full)
    }

    @Test func ofSeveralGroupsTheOneThatAllowsMostCounts() {
        let rules: [AccessSubject: AccessPolicy.Rule] = [
            .group(1): rule(.none), .group(2): rule(.reduced, .always), .group(3): rule(.reduced), .group(4): rule(.full),
        ]
        func known(_ groups: Set<UInt32>) -> Authorisation {
            book(rules).access(of: Peer(userID: 9, groupIDs: groups), at: 0).authorisation
        }
        #expect(known([1]) == Authorisation(.none))
        #expect(known([1, 3]) == Authorisation(.reduced))
        #expect(known([1, 2, 3]) == Authorisation(.reduced, .always))
        #expect(known([1, 2, 3, 4]) == Authorisation(.full))
    }

    @Test func aGrantCountsBeforeThePolicyAndARevocationBringsItBack() {
        let book = book([.user(1_000): rule(.reduced)])
        #expect(book.grant(AccessGrant(.user(1_000), .full, .always)))
        #expect(book.access(of: pi, at: 0).authorisation == Authorisation(.full, .always))
        #expect(book.grant(AccessGrant(.user(1_000), .none)))
        #expect(book.access(of: pi, at: 0).level == .none)
        #expect(book.revoke(.user(1_000)) == 1)
        #expect(book.access(of: pi, at: 0).level == .reduced)
    }

    @Test func aGrantOfEverythingTakesNoRightsFromAMemberOfTheGroup() {
        let member = Peer(userID: 1_000, groupIDs: [700])
        let book = book()
        #expect(book.grant(AccessGrant(.user(1_000), .full, .always)))
        #expect(book.access(of: member, at: 0) == .full, "and operates as before")
        #expect(book.grant(AccessGrant(.user(1_000), .reduced)))
        #expect(!book.access(of: member, at: 0).isOperator)
    }

    @Test func aKeyIsNeverTheNameOfAFolderOrAHiddenFile() {
        for key in ["a", "A-1_.", String(repeating: "x", count: 64)] { #expect(AccessPolicy.isKey(key)) }
        for key in ["", ".", "..", ".profile", "a/b", "a b", "ä", String(repeating: "x", count: 65)] { #expect(!AccessPolicy.isKey(key)) }
    }

    @Test func aGrantWithAnEndLeavesWhatWasBefore() {
        let book = book()
        #expect(book.grant(AccessGrant(.user(1_000), .reduced, .always)))
        #expect(book.grant(AccessGrant(.user(1_000), .full, end: 60_000)))
        #expect(book.nextEnd == 60_000)
        #expect(book.access(of: pi, at: 59_999).authorisation == Authorisation(.full, isTemporary: true))
        #expect(book.access(of: pi, at: 60_000).authorisation == Authorisation(.reduced, .always))
        #expect(book.expire(at: 60_000).map(\.level) == [.full])
        #expect(book.nextEnd == nil && book.grants.count == 1)
    }

    @Test func fullAccuracyForAPurposeNeedsABaseAWordOfThePolicyAndAnOpenConnection() {
        let rules: [AccessSubject: AccessPolicy.Rule] = [.user(1_000): rule(.reduced, for: ["navigation", "unexplained"])]
        let book = book(rules, purposes: ["navigation": "Shows the way", "other": "Something else"])
        func ask(_ purpose: String, as peer: Peer) -> AccessQuestion {
            AccessQuestion(peer: peer, processID: 1, reason: "", purpose: purpose, askedAt: 0)
        }
        book.ask(ask("unexplained", as: pi), on: 1)
        #expect(book.access(of: pi, at: 0).level == .reduced)
        book.ask(ask("other", as: pi), on: 1)
        #expect(book.access(of: pi, at: 0).level == .reduced)
        #expect(book.openQuestionCount(at: 0) == 1)
        book.ask(ask("navigation", as: pi), on: 2)
        #expect(book.access(of: pi, at: 0).authorisation == Authorisation(.full, isTemporary: true))
        #expect(book.end(2) != nil)
        #expect(book.access(of: pi, at: 0).level == .reduced)
        // An administrator's answer, with an end.
        #expect(book.grant(AccessGrant(.user(1_000), .full, purpose: "other", end: 1_000)))
        #expect(book.access(of: pi, at: 999).level == .full)
        #expect(book.access(of: pi, at: 1_000).level == .reduced)
        // Somebody without a base gets nothing by a purpose, whatever is granted.
        let stranger = Peer(userID: 1_001, groupIDs: [])
        #expect(book.grant(AccessGrant(.user(1_001), .full, purpose: "navigation")))
        book.ask(ask("navigation", as: stranger), on: 3)
        #expect(book.access(of: stranger, at: 0) == .none)
        #expect(book.access(of: pi, at: 2_000).level == .reduced, "another user's connection is nobody else's")
    }

    @Test func aQuestionStandsUntilSomebodyDecides() {
        let book = book()
        book.ask(AccessQuestion(peer: pi, processID: 1, reason: "a map", askedAt: 0), on: 1)
        #expect(book.openQuestionCount(at: 0) == 1)
        #expect(book.grant(AccessGrant(.user(1_000), .none)))
        #expect(book.openQuestionCount(at: 0) == 0)
    }

    @Test func aDoorGivesWhatIsConfiguredOnlyWithoutAPolicy() {
        let book = book()
        #expect(AccessPolicy.Door.allCases.allSatisfy { book.level(of: $0) == .none && book.isSilent(about: $0) })
        var policy = AccessPolicy()
        policy.doors = [.gpsd: .reduced, .page: .full]
        book.source = .read(policy)
        #expect(book.level(of: .gpsd) == .reduced && book.level(of: .page) == .full && book.level(of: .guest) == .none)
        book.source = .missing
        #expect(AccessPolicy.Door.allCases.allSatisfy { book.level(of: $0) == .full && !book.isSilent(about: $0) })
    }

    @Test func takesNoMoreGrantsThanItCanKeep() {
        let book = BookOwner(AccessBook(ownUserID: 0, trustedGroupID: nil))
        for id in 0..<UInt32(AccessBook.mostGrants) { #expect(book.grant(AccessGrant(.user(id), .full))) }
        #expect(!book.grant(AccessGrant(.user(5_000), .full)))
        #expect(book.grant(AccessGrant(.user(1), .none)), "in place of another")
    }

    // MARK: - On the disk

    @Test func keepsGrantsAsText() throws {
        let grants = [
            AccessGrant(.user(1_000), .reduced, .always), AccessGrant(.group(50), .none),
            AccessGrant(.user(1_000), .full, purpose: "navigation"),
        ]
        let text = GrantList.text(of: grants + [AccessGrant(.user(2), .full, end: 5)])
        #expect(String(decoding: text, as: UTF8.self).split(separator: "\n").first == #"{"user":1000,"level":"reduced","scope":"always"}"#)
        #expect(try GrantList.grants(in: text) == grants)
        #expect(try GrantList.grants(in: GrantList.text(of: [])) == [])
    }

    /// What is missing may be what takes something away.
    @Test func takesNoPartOfAList() {
        let text = GrantList.text(of: [AccessGrant(.user(1_000), .full, .always), AccessGrant(.user(1_001), .none)])
        for count in 0..<text.count {
            #expect(throws: GrantList.Damage.self, "\(count) bytes") { try GrantList.grants(in: Array(text.prefix(count))) }
        }
        let lines = text.split(separator: UInt8(ascii: "\n"))
        for missing in lines.indices {
            let rest = lines.indices.filter { $0 != missing }.flatMap { lines[$0] + [UInt8(ascii: "\n")] }
            #expect(throws: GrantList.Damage.self, "without line \(missing)") { try GrantList.grants(in: rest) }
        }
        let changed = String(decoding: text, as: UTF8.self).replacing(#""none""#, with: #""full""#)
        #expect(throws: GrantList.Damage(line: 0)) { try GrantList.grants(in: Array(changed.utf8)) }
    }

    @Test(arguments: [
        "x", "{}", #"{"user":1000,"level":"more","scope":"always"}"#, #"{"user":-1,"level":"full","scope":"always"}"#,
        #"{"user":4294967296,"level":"full","scope":"always"}"#, #"{"user":1,"level":"not_determined","scope":"always"}"#,
        #"{"user":1,"level":"full","scope":"sometimes"}"#, #"{"user":1,"level":"full","scope":"always","purpose":"a b"}"#,
    ])
    func takesNoDamagedLine(line: String) {
        let good = #"{"user":1,"level":"full","scope":"always"}"#
        #expect(throws: GrantList.Damage(line: 2)) { try GrantList.grants(in: Array("\(good)\n\(line)\n{}\n".utf8)) }
    }
}

/// Owns a book, so that an expectation may change it.
@dynamicMemberLookup
private final class BookOwner {
    private var book: AccessBook

    init(_ book: AccessBook) { self.book = book }

    subscript<Value>(dynamicMember path: WritableKeyPath<AccessBook, Value>) -> Value {
        get { book[keyPath: path] }
        set { book[keyPath: path] = newValue }
    }
    subscript<Value>(dynamicMember path: KeyPath<AccessBook, Value>) -> Value { book[keyPath: path] }

    func access(of peer: AccessBook.Peer, at now: Int64) -> PeerAccess { book.access(of: peer, at: now) }
    func level(of door: AccessPolicy.Door) -> AuthorisationLevel { book.level(of: door) }
    func isSilent(about door: AccessPolicy.Door) -> Bool { book.isSilent(about: door) }
    func openQuestionCount(at now: Int64) -> Int { book.openQuestionCount(at: now) }
    func grant(_ grant: AccessGrant) -> Bool { book.grant(grant) }
    func revoke(_ subject: AccessSubject) -> Int { book.revoke(subject) }
    func ask(_ question: AccessQuestion, on connection: Int) { book.ask(question, on: connection) }
    func end(_ connection: Int) -> AccessQuestion? { book.end(connection) }
    func expire(at now: Int64) -> [AccessGrant] { book.expire(at: now) }
}
