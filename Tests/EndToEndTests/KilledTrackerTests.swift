import Foundation
import Testing

extension EndToEnd {
    /// The short form of `Tests/Scripts/Proofs/Kills/kill-rounds.sh`.
    @Suite struct KilledTrackerTests {
        @Test func leavesValidTracksWheneverItIsKilled() async throws {
            let programs = URL(filePath: Program.waypostd.path).deletingLastPathComponent().path()
            let finished = try await finish(
                ["bash", Package.script("Proofs/Kills/kill-rounds.sh"), "3"], in: TestFolder(),
                environment: ["BIN": programs, "WAYPOST_SHARED": Package.shared])
            #expect(finished.code == 0 && finished.output.contains("3 rounds:"), "\(finished.output)\(finished.errors)")
        }
    }
}
