import Waypost
import WaypostSystem

/// Reads the policy file: who may know the position.
///
/// ```toml
/// [user]
/// pi = { level = "reduced", scope = "always", full_for = ["navigation"] }
/// [group]
/// family = { level = "full" }
/// [door]
/// gpsd = "full"
/// [purpose]
/// navigation = "Shows the way in the car"
/// ```
/// Anything that it does not know is a mistake: a word that is not understood may be one that takes something away.
package struct PolicyFile: Sendable {
    /// Where the file is.
    package let path: String
    /// Whether the file need not exist: nobody has named it.
    package let isOptional: Bool
    /// The system whose users and groups it names; nil for this one.
    package let tree: SystemTree?

    /// A policy file.
    ///
    /// - Parameter tree: a saved system that has it, with users and groups of its own; whose the copy is says nothing there. Nil for this system.
    package init(path: String, isOptional: Bool, in tree: SystemTree? = nil) {
        (self.path, self.isOptional, self.tree) = (path, isOptional, tree)
    }

    /// The policy file of a configuration.
    package init(_ configuration: Configuration, paths: DefaultPaths) {
        self.init(path: configuration.control.policy, isOptional: configuration.control.policy == paths.policyFile)
    }

    /// The largest policy file: 256 kB.
    package static let maximumBytes = 256 << 10

    /// What the file says now; a user or group that this system does not have is left out.
    ///
    /// - Returns: the policy, and what is odd about it but harmless, for people.
    package func read() -> (source: AccessBook.Source, notices: [String]) {
        do throws(SystemError) {
            guard let (bytes, owner) = try Syscalls.ownedContents(of: path, limit: PolicyFile.maximumBytes) else {
                if isOptional { return (.missing, []) }
                return (.broken("policy \(path): no such file, but [control] policy names it"), [])
            }
            if tree == nil, let obstacle = obstacle(owner) { return (.broken("policy \(path): \(obstacle.why); \(obstacle.remedy)"), []) }
            return PolicyFile.read(bytes, name: path, in: tree)
        } catch {
            return (.broken("policy \(path): cannot be read: \(error.reason)"), [])
        }
    }

    /// The command that makes the file one that is believed; nil when nothing but its text can be wrong.
    package var remedy: String? {
        guard tree == nil else { return nil }
        let file = try? Syscalls.ownedContents(of: path, limit: PolicyFile.maximumBytes)  // What cannot be read has no such remedy.
        return file.flatMap { obstacle($0.owner)?.remedy }
    }

    /// Why a file of that owner and mode must not be believed, and the command that changes it: whoever can write it decides.
    private func obstacle(_ owner: FileOwner) -> (why: String, remedy: String)? {
        if owner.mayBeWrittenByAnybody { return ("every user may write it", "sudo chmod o-w \(shellWord(path))") }
        let own = SystemAccounts.ownUserID
        // Root looks at the file for the tracker, which runs as another user.
        let service = own == 0 ? UserAccount(named: DefaultPaths.serviceUser)?.userID : nil
        guard owner.userID == 0 || owner.userID == own || owner.userID == service else {
            let name = SystemAccounts.name(ofUser: owner.userID)
            return ("belongs to user \(name), who is neither root nor the tracker's user", "sudo chown root \(shellWord(path))")
        }
        return nil
    }

    /// Reads the text of a policy file.
    package static func read(_ bytes: [UInt8], name: String, in tree: SystemTree? = nil) -> (source: AccessBook.Source, notices: [String]) {
        do {
            var reader = PolicyReader(tree: tree)
            for member in try parseTOML(bytes) { try reader.read(member) }
            reader.noteUnknownPurposes()
            return (.read(reader.policy), reader.notices.map { "policy \(name):\($0.place.line): \($0.words)" })
        } catch let error as TOMLSyntaxError {
            let words = ConfigurationError.Kind.syntax(error.message).description
            return (.broken("policy \(name):\(error.place.line): \(words)"), [])
        } catch let error as PolicyMistake {
            return (.broken("policy \(name):\(error.place.line): \(error.reason)"), [])
        } catch {
            return (.broken("policy \(name): \(error)"), [])
        }
    }
}

/// What is wrong with a policy, and where.
private struct PolicyMistake: Error {
    var place: TextPlace
    var reason: String
}

private struct PolicyReader {
    let tree: SystemTree?
    var policy = AccessPolicy()
    var notices: [(place: TextPlace, words: String)] = []
    /// The purposes of `full_for`; the section that explains them may come later.
    private var named: [(place: TextPlace, what: String, purpose: String)] = []

    init(tree: SystemTree?) {
        self.tree = tree
    }

    /// Notes the purposes for which nobody can ask, as one that is misspelt.
    mutating func noteUnknownPurposes() {
        for (place, what, purpose) in named where policy.purposes[purpose] == nil {
            notices.append((place, "\(what) full_for: there is no purpose \(oneLine(purpose, limit: 100)) in [purpose]"))
        }
    }

    mutating func read(_ section: TOMLMember) throws(PolicyMistake) {
        guard case .table(let members) = section.node.value else {
            throw PolicyMistake(place: section.place, reason: "\(quoted(section.key)) must be a section, such as [user]")
        }
        for member in members {
            switch section.key {
            case "user": try read(member, kind: "user", userID(named: member.key).map(AccessSubject.user))
            case "group":
                try read(member, kind: "group", groupID(named: member.key).map(AccessSubject.group))
            case "door": try readDoor(member)
            case "purpose": try readPurpose(member)
            default: try refuse(section)
            }
        }
        if members.isEmpty, !["user", "group", "door", "purpose"].contains(section.key) { try refuse(section) }
    }

    private func userID(named name: String) -> UInt32? {
        guard let tree else { return SystemAccounts.userID(named: name) }
        return tree.accountID(named: name, in: "/etc/passwd") ?? SystemAccounts.number(name)
    }

    private func groupID(named name: String) -> UInt32? {
        guard let tree else { return SystemAccounts.groupID(named: name) ?? SystemAccounts.number(name) }
        return tree.accountID(named: name, in: "/etc/group") ?? SystemAccounts.number(name)
    }

    private func refuse(_ section: TOMLMember) throws(PolicyMistake) {
        throw PolicyMistake(
            place: section.place,
            reason: "there is no section \(quoted("[\(section.key)]")); known: [user], [group], [door], [purpose]")
    }

    private mutating func read(_ member: TOMLMember, kind: String, _ subject: AccessSubject?) throws(PolicyMistake) {
        let what = "[\(kind)] \(member.key)"
        guard case .table(let keys) = member.node.value else {
            throw PolicyMistake(place: member.place, reason: "\(what) must be written { level = \"reduced\" }")
        }
        var level: AuthorisationLevel?
        var scope = AuthorisationScope.attached
        var purposes: Set<String> = []
        for key in keys {
            switch key.key {
            case "level": level = try word(key, of: what, PolicyReader.levels)
            case "scope": scope = try word(key, of: what, AuthorisationScope.allCases)
            case "full_for":
                purposes = Set(try keysOfPurposes(key, of: what))
                named += purposes.sorted().map { (key.place, what, $0) }
            default: throw PolicyMistake(place: key.place, reason: "\(what) has no key \(quoted(key.key)); known: level, scope, full_for")
            }
        }
        guard let level else { throw PolicyMistake(place: member.place, reason: "\(what) needs a level") }
        guard let subject else { return notices.append((member.place, "there is no \(kind) \(oneLine(member.key, limit: 100))")) }
        // By name and by number: the rule that gives more must not replace one that takes away, nor the other way round.
        if policy.rules[subject] != nil {
            throw PolicyMistake(place: member.place, reason: "\(what) is a \(kind) that has a line already, by name or by number; keep one")
        }
        policy.rules[subject] = AccessPolicy.Rule(Authorisation(level, scope), purposes: purposes)
    }

    private mutating func readDoor(_ member: TOMLMember) throws(PolicyMistake) {
        guard let door = AccessPolicy.Door(rawValue: member.key) else {
            let known = AccessPolicy.Door.allCases.map(\.rawValue).joined(separator: ", ")
            throw PolicyMistake(place: member.place, reason: "[door] has no key \(quoted(member.key)); known: \(known)")
        }
        let level = try word(member, of: "[door]", PolicyReader.levels)
        if door == .page || door == .guest, level == .reduced {
            throw PolicyMistake(
                place: member.place, reason: "[door] \(member.key) is none or full: the page shows tracks and fences, which are not reduced"
            )
        }
        policy.doors[door] = level
    }

    private mutating func readPurpose(_ member: TOMLMember) throws(PolicyMistake) {
        guard AccessPolicy.isKey(member.key) else {
            throw PolicyMistake(
                place: member.place, reason: "[purpose] \(quoted(member.key)) must have \(AccessPolicy.keyWords)")
        }
        guard case .string(let words) = member.node.value, !words.isEmpty, words.count <= 500 else {
            throw PolicyMistake(
                place: member.node.place, reason: "[purpose] \(member.key) must be a text of 1 to 500 characters that explains it")
        }
        policy.purposes[member.key] = words
    }

    private static let levels: [AuthorisationLevel] = [.none, .reduced, .full]

    private func word<Word: RawRepresentable<String>>(
        _ member: TOMLMember, of what: String, _ words: [Word]
    ) throws(PolicyMistake) -> Word {
        if case .string(let text) = member.node.value, let word = words.first(where: { $0.rawValue == text }) { return word }
        let known = words.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        throw PolicyMistake(place: member.node.place, reason: "\(what) \(member.key) must be one of \(known)")
    }

    private func keysOfPurposes(_ member: TOMLMember, of what: String) throws(PolicyMistake) -> [String] {
        guard case .array(let nodes) = member.node.value else {
            throw PolicyMistake(place: member.node.place, reason: "\(what) full_for must be a list of purposes")
        }
        var keys: [String] = []
        for node in nodes {
            guard case .string(let key) = node.value, AccessPolicy.isKey(key) else {
                throw PolicyMistake(place: node.place, reason: "\(what) full_for must be a list of purposes")
            }
            keys.append(key)
        }
        return keys
    }
}
