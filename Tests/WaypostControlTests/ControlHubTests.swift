import Testing
import WaypostSystem

@testable import WaypostControl

@Suite struct ControlHubTests {
    @Test func keepsRoomForThoseWhoMaySeeThePosition() throws {
        let hub = ControlHub(
            programVersion: "1.2.3", policy: PeerPolicy(ownUserID: 1, trustedGroupID: nil), handler: try ControlFixture(),
            limits: .init(connections: 5))
        func admits(_ userID: UInt32) -> Bool {
            hub.admit(ControlConnection(hub: hub, peer: PeerCredentials(processID: 0, userID: userID, groupIDs: [])))
        }
        #expect((0..<5).count { _ in admits(65_534) } == 2)
        #expect((0..<5).count { _ in admits(0) } == 3)
    }
}
