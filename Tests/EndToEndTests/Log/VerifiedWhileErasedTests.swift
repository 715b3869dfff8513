import Foundation
import Testing
import WaypostTestKit

extension EndToEnd {
    /// `waypost log verify` beside somebody who changes the log: what is missing for a moment only is no damage.
    @Suite struct VerifiedWhileErasedTests {
        private func log() async throws -> (folder: TestFolder, stem: String) {
            let folder = try TestFolder()
            let receiver = SimulatedReceiver()
            try folder.write((0..<20).map { receiver.epoch($0).text }.joined(), to: "in.nmea")
            let run = try await finish(
                ["timeout", "60", Program.waypostd.path, "--source", "nmea:in.nmea?speed=0"] + TrackerProcess.options, in: folder)
            #expect(run.code == 0, "\(run)")
            let name = try #require(try folder.names(in: "log").first { $0.hasSuffix(".gpx") })
            return (folder, String(name.dropLast(4)))
        }

        /// The steps of an erasure, as slow as on a card, each as long as a look takes and longer.
        @Test(arguments: [
            // Only the file's own gap.
            "mv log/STEM.gpx aside; sleep 1.2; mv aside log/STEM.gpx",
            // Longer than a look or two, while the order to erase is there.
            "touch log/journal/.erase; mv log/STEM.gpx aside; sleep 4; mv aside log/STEM.gpx; rm log/journal/.erase",
            // The journal is an open one in between.
            """
            mv log/STEM.gpx aside; sleep 1; mv log/journal/STEM.journal log/journal/STEM.open.journal; sleep 1; mv aside log/STEM.gpx
            mv log/journal/STEM.open.journal log/journal/STEM.journal
            """,
            // A limit deletes the track and then its journal.
            "sed -i /STEM/d log/SHA256SUMS; rm log/STEM.gpx; sleep 1; rm log/journal/STEM.journal",
        ])
        func findsNothing(steps: String) async throws {
            let (folder, stem) = try await log()
            let script = steps.replacingOccurrences(of: "STEM", with: stem)
            let command = "(\(script)) & sleep 0.3; '\(Program.waypost.path)' log verify --log log; echo $? >&2; wait"
            let run = try await shell(command, in: folder)
            #expect(run.errors.hasSuffix("0\n") && run.output.hasSuffix(", all as written\n"), "\(run)")
        }

        @Test func findsWhatStaysMissing() async throws {
            let (folder, stem) = try await log()
            try FileManager.default.removeItem(atPath: folder.path("log/\(stem).gpx"))
            let run = try await waypost("log", "verify", "--log", "log", in: folder)
            #expect(run.code == 65 && run.output.contains("\(stem).gpx: is missing; waypost log recover"), "\(run)")
        }
    }
}
