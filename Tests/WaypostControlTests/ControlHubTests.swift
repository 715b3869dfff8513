import Testing
import Waypost
import WaypostSystem

@testable import WaypostControl

@Suite struct ControlHubTests {
    /// Users below 1000 may know everything, others nothing; user 0 is the administrator.
    private struct Authority: PeerAuthority {
        func access(of peer: PeerCredentials) -> PeerAccess {
            peer.userID == 0 ? .administrator : peer.userID < 1_000 ? PeerAccess(Authorisation(.full)) : .none
        }
    }

    private func hub(connections: Int) throws -> ControlHub {
        ControlHub(
            programVersion: "1.2.3", policy: Authority(), handler: try ControlFixture(), limits: .init(connections: connections))
    }

    private func admitted(_ userID: UInt32, _ hub: ControlHub, of count: Int) -> Int {
        (0..<count).count { _ in
            hub.admit(ControlConnection(hub: hub, peer: PeerCredentials(processID: 0, userID: userID, groupIDs: []))) == nil
        }
    }

    /// One who may know nothing leaves room for others who want to ask, all of them for those who may know something, and everybody for root.
    @Test func nobodyKeepsTheOthersOut() throws {
        let hub = try hub(connections: 64)
        #expect(admitted(1_000, hub, of: 100) == 8)
        #expect(admitted(1_001, hub, of: 1) == 1)
        #expect((1_002..<1_100).reduce(0) { $0 + admitted(UInt32($1), hub, of: 1) } == 23, "32 of them all")
        #expect(admitted(500, hub, of: 100) == 24)
        #expect(admitted(0, hub, of: 100) == 8)
    }

    @Test func aUserWhoMayKnowEverythingLeavesRoom() throws {
        let hub = try hub(connections: 64)
        #expect(admitted(500, hub, of: 100) == 32)
        #expect(admitted(1_000, hub, of: 1) == 1)
        #expect(admitted(501, hub, of: 1) == 1)
        #expect(admitted(0, hub, of: 100) == 30)
    }

    /// The sentence has the number that counts.
    @Test func saysHowManyThereAre() throws {
        let hub = try hub(connections: 64)
        #expect(admitted(1_000, hub, of: 8) == 8)
        let refusal = hub.admit(ControlConnection(hub: hub, peer: PeerCredentials(processID: 0, userID: 1_000, groupIDs: [])))
        #expect(refusal?.code == .tooManyConnections)
        #expect(refusal?.message == "control socket: there are 8 connections of this user already; end one and try again")
    }
}
