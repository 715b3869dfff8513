import Foundation
import Testing
import Waypost
import WaypostControl
import WaypostSystem

@Suite(.timeLimit(.minutes(1))) struct PeerPolicyTests {
    private let policy = PeerPolicy(ownUserID: 990, trustedGroupID: 700)

    @Test(
        arguments: [
            (0, [0], PeerAccess.administrator), (990, [990], .administrator), (1_000, [1_000, 700], .full), (1_000, [700], .full),
            (1_000, [1_000], .none),
            (1_000, [], .none), (1_000, [0], .none), (65_534, [65_534, 70, 7_000], .none),
        ] as [(UInt32, Set<UInt32>, PeerAccess)])
    func judgesByUserAndGroup(user: UInt32, groups: Set<UInt32>, access: PeerAccess) {
        #expect(policy.access(of: PeerCredentials(processID: 1, userID: user, groupIDs: groups)) == access)
    }

    @Test func trustsNoGroupWhenThereIsNone() {
        let policy = PeerPolicy(ownUserID: 990, trustedGroupID: nil)
        #expect(policy.access(of: PeerCredentials(processID: 1, userID: 1_000, groupIDs: [1_000, 0])) == .none)
    }

    @Test func findsGroupsByName() {
        #expect(SystemAccounts.groupID(named: "root") == 0)
        #expect(SystemAccounts.groupID(named: "no such group") == nil)
    }

    // MARK: With real users

    private static let canChangeUser =
        geteuid() == 0 && ["/usr/bin/setpriv", "/usr/bin/socat"].allSatisfy(FileManager.default.isExecutableFile(atPath:))

    /// What the user 65534 with that supplementary group is told on a watch and a status request.
    private func linesForNobody(of fixture: ControlFixture, groups: String) async throws -> [String] {
        try await onThread {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
            process.arguments = [
                "--reuid", "65534", "--regid", "65534", "--groups", groups, "sh", "-c",
                #"printf '{"request":"watch"}\n{"request":"status"}\n' | timeout 1 socat -t 1 - UNIX-CONNECT:"$0""#, fixture.path,
            ]
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            let bytes = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        }
    }

    @Test(.enabled(if: canChangeUser, "needs root, setpriv and socat"))
    func tellsAStrangerNoPosition() async throws {
        let fixture = try ControlFixture()
        let server = try await fixture.start(policy: PeerPolicy(ownUserID: geteuid(), trustedGroupID: 700))
        let lines = try await linesForNobody(of: fixture, groups: "701")
        #expect(lines.count == 3)
        #expect(lines.dropFirst().first?.hasPrefix(#"{"class":"ERROR","code":"not_authorised""#) == true)
        #expect(lines.last == ControlFixture.statusLine(userID: 65_534, access: .none))
        await server.stop()
    }

    @Test(.enabled(if: canChangeUser, "needs root, setpriv and socat"))
    func trustsAMemberOfTheGroup() async throws {
        let fixture = try ControlFixture()
        let server = try await fixture.start(policy: PeerPolicy(ownUserID: geteuid(), trustedGroupID: 700))
        let lines = try await linesForNobody(of: fixture, groups: "5,700,701")
        #expect(lines.last == ControlFixture.statusLine(userID: 65_534, access: .full))
        #expect(lines.count == 2)
        await server.stop()
    }
}
