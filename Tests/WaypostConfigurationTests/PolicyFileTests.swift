import Foundation
import Glibc
import Testing
import Waypost

@testable import WaypostConfiguration

/// The policy file, word by word.
@Suite struct PolicyFileTests {
    private func read(_ text: String) -> (source: AccessBook.Source, notices: [String]) {
        PolicyFile.read(Array(text.utf8), name: "p.toml")
    }

    @Test func readsEverySection() throws {
        let (source, notices) = read(
            """
            [user]
            root = { level = "full" }
            4242 = { level = "reduced", scope = "always", full_for = ["navigation"] }
            [group]
            root = { level = "none" }
            4243 = { level = "full" }
            [door]
            gpsd = "reduced"
            page = "full"
            guest = "none"
            [purpose]
            navigation = "Shows the way in the car"
            """)
        var policy = AccessPolicy()
        policy.rules = [
            .user(0): .init(Authorisation(.full)), .user(4_242): .init(Authorisation(.reduced, .always), purposes: ["navigation"]),
            .group(0): .init(Authorisation(.none)), .group(4_243): .init(Authorisation(.full)),
        ]
        policy.doors = [.gpsd: .reduced, .page: .full, .guest: .none]
        policy.purposes = ["navigation": "Shows the way in the car"]
        #expect(source == .read(policy))
        #expect(notices == [])
        #expect(read("").source == .read(AccessPolicy()))
    }

    /// The section with the purposes may come before or after those who are named for one.
    @Test func notesAPurposeThatIsMisspelt() {
        let (rule, purposes) = ("[user]\nroot = { level = \"reduced\", full_for = [\"navigaton\", \"way\"] }\n", "[purpose]\nway = \"x\"\n")
        let words = "[user] root full_for: there is no purpose navigaton in [purpose]"
        #expect(read(rule + purposes).notices == ["policy p.toml:2: \(words)"])
        #expect(read(purposes + rule).notices == ["policy p.toml:4: \(words)"])
    }

    @Test func leavesOutWhomThisSystemDoesNotHave() {
        let (source, notices) = read("[user]\nnobody-of-that-name = { level = \"full\" }")
        #expect(source == .read(AccessPolicy()))
        #expect(notices == ["policy p.toml:2: there is no user nobody-of-that-name"])
    }

    @Test(arguments: [
        ("[user", "p.toml:1: invalid TOML"), ("[user]\nroot =\n", "p.toml:2: invalid TOML in key-value pair: expected value"),
        ("user = 1", "p.toml:1: 'user' must be a section"),
        ("[users]\nroot = 1", "no section '[users]'"),
        ("[people]", "no section '[people]'"), ("[user]\nroot = \"full\"", "p.toml:2: [user] root must be written"),
        ("[user]\nroot = { scope = \"always\" }", "needs a level"), ("[user]\nroot = { level = \"most\" }", "level must be one of"),
        ("[user]\nroot = { level = \"not_determined\" }", "level must be one of"),
        ("[user]\nroot = { level = \"full\", scop = \"always\" }", "has no key 'scop'"),
        ("[user]\nroot = { level = \"full\", full_for = \"x\" }", "must be a list"),
        ("[user]\nnobody-of-that-name = { level = \"fll\" }", "level must be one of"),
        ("[door]\nhttp = \"full\"", "has no key 'http'"), ("[door]\npage = \"reduced\"", "page is none or full"),
        ("[door]\ngpsd = true", "gpsd must be one of"), ("[purpose]\n\"a b\" = \"x\"", "must have 1 to 64"),
        ("[purpose]\na = \"\"", "must be a text"),
        ("[user]\nroot = { level = \"none\" }\n0 = { level = \"full\" }", "p.toml:3: [user] 0 is a user that has a line already"),
        ("[group]\n0 = { level = \"full\" }\nroot = { level = \"none\" }", "p.toml:3: [group] root is a group that has a line already"),
    ])
    func isBrokenByAnyMistake(text: String, words: String) throws {
        guard case .broken(let reason) = read(text).source else { return #expect(Bool(false), "\(text)") }
        #expect(reason.contains(words), "\(reason)")
    }

    @Test func isMissingOnlyWhereNobodyNamedIt() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "waypost-policy-\(UInt32.random(in: 0...(.max)))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "policy.toml").path()
        #expect(PolicyFile(path: path, isOptional: true).read().source == .missing)
        #expect(
            PolicyFile(path: path, isOptional: false).read().source
                == .broken("policy \(path): no such file, but [control] policy names it"))
        try "[door]\ngpsd = \"full\"\n".write(toFile: path, atomically: true, encoding: .utf8)
        chmod(path, 0o644)
        guard case .read = PolicyFile(path: path, isOptional: true).read().source else { return #expect(Bool(false)) }
        // Who may write it may decide.
        chmod(path, 0o666)
        guard case .broken = PolicyFile(path: path, isOptional: true).read().source else { return #expect(Bool(false)) }
        // So may whose it is.
        chmod(path, 0o644)
        guard geteuid() == 0 else { return }
        chown(path, 65_534, 65_534)
        guard case .broken(let reason) = PolicyFile(path: path, isOptional: true).read().source else { return #expect(Bool(false)) }
        #expect(reason.contains("belongs to user nobody"), "\(reason)")
    }
}
