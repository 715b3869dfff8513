import Foundation
import Logging
import Synchronization
import Testing
import Waypost
import WaypostConfiguration
import WaypostSystem

@testable import WaypostControl
@testable import WaypostDaemon

extension EndToEnd {
    /// Who may know the position when files and clients misbehave.
    @Suite struct AccessKeeperTests {
        private let folder: TestFolder
        private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        private let stranger = PeerCredentials(processID: 1, userID: 61_900, groupIDs: [61_900])

        init() throws {
            folder = try TestFolder()
        }

        private func keeper(isOptional: Bool = true) -> AccessKeeper {
            AccessKeeper(PolicyFile(path: folder.path("policy.toml"), isOptional: isOptional), stateFolder: folder.path, logger: logger)
        }

        /// A moment without the file, as some editors make it, opens no door.
        @Test func aPolicyThatVanishesLetsNobodyIn() throws {
            let access = keeper()
            #expect(access.level(of: .page) == .full)
            try folder.write("[user]\n61900 = { level = \"full\" }\n", to: "policy.toml")
            #expect(access.access(of: stranger).level == .full && access.level(of: .page) == .none)
            try FileManager.default.removeItem(atPath: folder.path("policy.toml"))
            #expect(access.access(of: stranger).level == .none && access.level(of: .page) == .none)
            #expect(access.problem?.contains("was removed; restart the tracker") == true)
            try folder.write("[user]\n61900 = { level = \"reduced\" }\n", to: "policy.toml")
            #expect(access.access(of: stranger).level == .reduced && access.problem == nil)
        }

        /// Nobody connects: doors and waking look for themselves.
        @Test func doorsAndWakingSeeANewPolicyWithoutAnybodyAsking() async throws {
            try folder.write(
                "[user]\n61900 = { level = \"full\", scope = \"always\" }\n[door]\npage = \"full\"\ngpsd = \"full\"\n", to: "policy.toml")
            let access = keeper()
            let share = ShareAccess(keeper: access)
            #expect(access.level(of: .page) == .full && access.authorisation(ofUser: 61_900).level == .full)
            #expect(share.detail(for: .unknown, at: .gpsd) == .exact)
            try folder.write("[user]\n61900 = { level = \"none\" }\n[door]\npage = \"none\"\ngpsd = \"reduced\"\n", to: "policy.toml")
            #expect(await eventually(within: .seconds(5)) { access.level(of: .page) == .none })
            try folder.write("[user]\n61900 = { level = \"reduced\" }\n[door]\ngpsd = \"none\"\n", to: "policy.toml")
            #expect(await eventually(within: .seconds(5)) { access.authorisation(ofUser: 61_900).level == .reduced })
            try folder.write("[door]\ngpsd = \"full\"\n# now\n", to: "policy.toml")
            #expect(await eventually(within: .seconds(5)) { share.detail(for: .unknown, at: .gpsd) == .exact })
        }

        /// Whoever may know nothing may ask as often as they like: what was decided before stays in the audit.
        @Test func questionsPushNothingOutOfTheAudit() throws {
            let access = keeper()
            try access.grant(AccessGrant(.user(61_901), .full), by: PeerCredentials(processID: 1, userID: 0, groupIDs: []))
            let before = try folder.text("audit")
            for number in 0..<5_000 {
                let question = AccessQuestion(
                    peer: AccessBook.Peer(stranger), processID: 1, reason: String(repeating: "x\(number)", count: 50), askedAt: 0)
                let connection = ControlConnectionID(number: number)
                #expect(access.ask(question, on: connection, by: stranger))
                access.connectionEnded(connection)
            }
            #expect(try folder.text("audit") == before && !folder.names().contains("audit.1"))
        }

        /// Full accuracy for a purpose: its beginning and its end, once each.
        @Test func accuracyForAPurposeIsAudited() async throws {
            try folder.write(
                "[user]\n61900 = { level = \"reduced\", full_for = [\"way\"] }\n[purpose]\nway = \"Shows the way\"\n", to: "policy.toml")
            let access = keeper()
            var question = AccessQuestion(peer: AccessBook.Peer(stranger), processID: 1, reason: "", purpose: "way", askedAt: 0)
            for _ in 0..<3 { #expect(!access.ask(question, on: ControlConnectionID(number: 1), by: stranger)) }
            #expect(access.access(of: stranger).level == .full)
            access.connectionEnded(ControlConnectionID(number: 1))
            #expect(access.access(of: stranger).level == .reduced)
            question.purpose = "other"
            _ = access.ask(question, on: ControlConnectionID(number: 2), by: stranger)
            access.connectionEnded(ControlConnectionID(number: 2))
            #expect(try await eventually(within: .seconds(5)) { try folder.text("audit").contains("full ends") })
            try await Task.sleep(for: .milliseconds(100))
            #expect(try folder.text("audit").split(separator: "\n").count == 2)
        }

        /// The moment at which the tracker misses something is often that of a tunnel.
        @Test func healthChangesOnTheQuarterForThoseWhoMayNotKnowEverything() {
            let clock = Mutex(Int64(10))
            let health = CoarseHealth { clock.withLock { $0 } }
            #expect(health.health(whenItIs: .healthy) == .healthy)
            for moment in [20, 450_000, 899_999] {
                clock.withLock { $0 = Int64(moment) }
                #expect(health.health(whenItIs: .degraded) == .healthy, "\(moment)")
            }
            clock.withLock { $0 = 900_000 }
            #expect(health.health(whenItIs: .degraded) == .degraded)
            #expect(health.health(whenItIs: .healthy) == .degraded)
        }

        /// What takes something away must not come back because its file is gone.
        @Test func aListOfGrantsThatIsRemovedLetsNobodyIn() throws {
            let root = PeerCredentials(processID: 1, userID: 0, groupIDs: [])
            try folder.write("[user]\n61900 = { level = \"full\" }\n", to: "policy.toml")
            let access = keeper()
            try access.grant(AccessGrant(.user(61_900), .none), by: root)
            #expect(access.access(of: stranger).level == .none && access.problem == nil)
            let text = try folder.text("grants")
            for change in ["removed", "emptied"] {
                if change == "removed" {
                    try FileManager.default.removeItem(atPath: folder.path("grants"))
                } else {
                    try folder.write("", to: "grants")
                }
                #expect(access.access(of: stranger).isClosed && access.problem?.contains("was removed or changed") == true, "\(change)")
                #expect(throws: ControlRefusal.self) { try access.grant(AccessGrant(.user(61_901), .full), by: root) }
                // The state folder was another one, and has got all anew.
                try access.writeAnew()
                #expect(access.access(of: stranger).level == .none && access.problem == nil, "\(change)")
                #expect(try folder.text("grants") == text)
            }
        }

        private func audit() throws -> [String] {
            try folder.text("audit").split(separator: "\n").map { line in
                let value = try JSONParser().parse(Array(line.utf8))
                return [value["action"]?.string, value["more"]?.int.map { "\($0) more" }].compactMap { $0 }.joined(separator: ", ")
            }
        }

        /// Whatever gives or takes full accuracy while a program asks for it.
        @Test func grantsAndPoliciesBeginAndEndItInTheAudit() async throws {
            let way = "[purpose]\nway = \"Shows the way\"\n"
            try folder.write("[user]\n61900 = { level = \"reduced\" }\n" + way, to: "policy.toml")
            let access = keeper()
            let (root, me) = (PeerCredentials(processID: 1, userID: 0, groupIDs: []), ControlConnectionID(number: 1))
            let question = AccessQuestion(peer: AccessBook.Peer(stranger), processID: 7, reason: "van", purpose: "way", askedAt: 0)
            #expect(access.ask(question, on: me, by: stranger))
            try access.grant(AccessGrant(.user(61_900), .full, purpose: "way"), by: root)
            #expect(try await eventually(within: .seconds(5)) { try audit() == ["grant", "full"] })
            for (text, last) in [
                ("[user]\n61900 = { level = \"none\" }\n" + way, "full ends"), ("[user]\n61900 = { level = \"reduced\" }\n" + way, "full"),
                ("[usr]\n", "full ends"), ("[user]\n61900 = { level = \"reduced\" }\n" + way, "full"),
                ("[user]\n61900 = { level = \"reduced\" }\n", "full ends"),
            ] {
                try folder.write(text, to: "policy.toml")
                _ = access.access(of: stranger)
                #expect(try await eventually(within: .seconds(5)) { try audit().last == last }, "\(text)")
            }
            access.connectionEnded(me)
            access.end()
            #expect(try audit() == ["grant", "full", "full ends", "full", "full ends", "full", "full ends"])
        }

        /// Somebody who connects and goes all the time: who, when, for what and how often stay, and so does what was decided before.
        @Test func aUserWithAPurposePushesNothingOutOfTheAudit() throws {
            let folder = try TestFolder()
            let clock = Mutex(Int64(0))
            let trail = AuditTrail(folder: folder.path, now: { clock.withLock { $0 } }, logger: logger)
            func lines() throws -> [Substring] { try folder.text("audit").split(separator: "\n") }
            trail.note(AuditTrail.Entry("grant", userID: 0, processID: 1))
            for user in [UInt32(61_900), 61_901] {
                for number in 0..<3_000 {
                    var entry = AuditTrail.Entry("full", userID: user, processID: Int32(number))
                    entry.purpose = "way"
                    trail.noteHabit(entry)
                }
            }
            trail.note(AuditTrail.Entry("revoke", userID: 0, processID: 1))
            #expect(try lines().count == 22)
            clock.withLock { $0 = 3_600_000 }
            trail.tellMore()
            trail.tellMore()
            let last = try lines().suffix(2)
            #expect(last.allSatisfy { $0.contains(#""action":"full""#) && $0.contains(#""purpose":"way","more":2990"#) })
            #expect(try lines().count == 24 && !folder.names().contains("audit.1"))
        }
    }
}
