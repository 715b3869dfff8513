import Foundation
import Logging
import Testing
import Waypost
import WaypostConfiguration
import WaypostControl
import WaypostSystem

@testable import WaypostDaemon
@testable import WaypostPositioning

extension EndToEnd {
    /// What becomes of events for those who may not know them now.
    @Suite struct WakeKeeperTests {
        /// A mistake in the policy takes nothing from anybody, somebody's decision does.
        @Test func eventsAreWithheldForAMistakeAndRemovedByADecision() async throws {
            let right = "[user]\n61900 = { level = \"full\", scope = \"always\" }\n"
            let folder = try TestFolder()
            try folder.write(right, to: "policy.toml")
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let access = AccessKeeper(
                PolicyFile(path: folder.path("policy.toml"), isOptional: true), stateFolder: folder.path, logger: logger)
            let hold = PositioningHold(PositioningHold.State(nil, reason: "test")) {}
            let wakes = WakeKeeper(
                folder: folder.path, access: access, reduced: ReducedPositions(folder: folder.path, logger: logger), hold: hold,
                logger: logger)
            let key = WakeKey(userID: 61_900, name: "gate")
            try await wakes.change { (ledger) throws(ControlRefusal) in
                do throws(WakeLedger.Refusal) {
                    try ledger.register(WakeRegistration(key: key, kinds: [.enter], program: "x"))
                } catch { Issue.record("\(error)") }
            }
            _ = await wakes.process([TrackerEvent(id: "f-1", kind: "enter", name: "Yard", time: nil)])
            for (text, count) in [("[usr]\n", 1), ("[user]\nno-such-user = { level = \"full\" }\n", 1), (right, 1), ("[user]\n", 0)] {
                try folder.write(text, to: "policy.toml")
                _ = access.access(of: PeerCredentials(processID: 1, userID: 61_900, groupIDs: []))
                await wakes.noteChange(isDecided: true)
                let events = await wakes.entries[key]?.events
                #expect(events?.count == count, "\(text)")
            }
        }
    }
}
