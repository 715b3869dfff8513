import Foundation
import Testing
import Waypost
import WaypostTestKit

extension EndToEnd {
    /// `waypost log export` over tracks that are gone: each hole has its line on standard error, with its numbers.
    struct LogHolesTests {
        private let receiver = SimulatedReceiver()

        private func log(_ arguments: String..., in folder: TestFolder) async throws -> Finished {
            try await finish([Program.waypost.path, "log"] + arguments + ["--log", "log", "--socket", "socket"], in: folder)
        }

        /// A log of so many tracks; the names of their journals, in order, and the first number of each.
        private func record(_ count: Int, in folder: TestFolder) async throws -> [(name: String, first: Int)] {
            for track in 0..<count {
                let epochs = track * 100..<track * 100 + 8
                try folder.write(epochs.map { receiver.epoch($0).text }.joined(), to: "track.nmea")
                let options = ["--source", "nmea:track.nmea?speed=0"] + TrackerProcess.options
                #expect(try await finish([Program.waypostd.path] + options, in: folder).code == 0)
            }
            return try folder.names(in: "log/journal").filter { $0.hasSuffix(".journal") }.map { name in
                (name, try #require(Int(name.dropLast(".journal".count).split(separator: "-").last ?? "")))
            }.sorted { $0.first < $1.first }
        }

        private func remove(_ name: String, in folder: TestFolder) throws {
            for path in ["log/journal/" + name, "log/" + name.dropLast(".journal".count) + ".gpx"] {
                try FileManager.default.removeItem(atPath: folder.path(path))
            }
        }

        @Test func areNamedEachWithItsNumbers() async throws {
            let folder = try TestFolder()
            let tracks = try await record(7, in: folder)
            for track in [1, 3, 4] { try remove(tracks[track].name, in: folder) }
            let ranges = [1, 3, 4].map { "numbers \(tracks[$0].first) to \(tracks[$0 + 1].first - 1)" }
            let lines = zip([1, 3, 4], ranges).map { "log/journal/\(tracks[$0].name): is missing, and \($1) at most with it" }
            for arguments in [["--since", "0"], []] {
                let whole = try await finish([Program.waypost.path, "log", "export", "--log", "log"] + arguments, in: folder)
                #expect(whole.code == 0 && whole.complaints.map { String($0.dropFirst("waypost: ".count)) } == lines, "\(whole.errors)")
            }
            let rest = try await log("export", "--since", "\(tracks[2].first)", in: folder)
            #expect(rest.complaints.count == 2 && !rest.errors.contains(ranges[0]), "\(rest.errors)")
            // After a repair nobody knows their names; those of the last two follow each other.
            #expect(try await log("recover", in: folder).code == 0)
            let repaired = try await log("export", "--since", "0", in: folder)
            let joined = "numbers \(tracks[3].first) to \(tracks[5].first - 1)"
            #expect(repaired.complaints.count == 2 && repaired.errors.contains(ranges[0]) && repaired.errors.contains(joined))
            // What was erased is another hole.
            let times = ["2026-03-01T12:00:00Z", "2026-03-01T12:00:50Z", "2026-03-01T12:09:55Z"]
            let erased = try await log("erase", "--from", times[1], "--to", times[2], "--yes", in: folder)
            #expect(erased.code == 0, "\(erased.errors)")
            let after = try await log("export", "--since", "0", in: folder)
            #expect(after.complaints.count == 4 && after.errors.contains("tracks were deleted by its limits, or erased"), "\(after.errors)")
            let gaps = after.outputLines.count { $0.contains("\"break\":\"gap\"") }
            #expect(gaps == 1, "\(after.output)")
        }

        /// Whoever fetches from the first number on, and has fetched nothing yet, learns that the first tracks are gone.
        @Test func areToldBeforeTheOldestFix() async throws {
            let folder = try TestFolder()
            let tracks = try await record(3, in: folder)
            try remove(tracks[0].name, in: folder)
            let line = "log/journal/\(tracks[0].name): is missing, and numbers \(tracks[0].first) to \(tracks[1].first - 1) at most with it"
            for arguments in [["--since", "0"], [], ["--puller", "home"]] {
                let whole = try await finish([Program.waypost.path, "log", "export", "--log", "log"] + arguments, in: folder)
                #expect(whole.code == 0 && whole.complaints == ["waypost: \(line)"], "\(arguments): \(whole.errors)")
                #expect(whole.outputLines.first?.contains("\"break\":\"gap\"") == true && whole.outputLines.count == 16)
            }
            let followed = try ProgramProcess(.waypost, ["log", "export", "--follow", "--log", "log"], in: folder)
            #expect(await eventually { followed.output.split(separator: "\n").count == 16 })
            followed.send(SIGINT)
            #expect(try await followed.exit() == ProgramExit(code: 0))
            #expect(followed.errors == "waypost: \(line)\n")
            // Nobody who asks for a time expects what was before it, and what was deleted on purpose is not lost.
            let ofTime = try await log("export", "--since", "2026-03-01", in: folder)
            #expect(ofTime.complaints.isEmpty && ofTime.outputLines.count == 16)
            #expect(try await log("recover", in: folder).code == 0)
            let end = "2026-03-01T12:03:00Z"
            #expect(try await log("erase", "--from", "2026-03-01T11:00:00Z", "--to", end, "--yes", in: folder).code == 0)
            let rest = try await log("export", "--since", "0", in: folder)
            #expect(rest.complaints.count == 1 && rest.errors.contains("their track and its journal are gone"), "\(rest.errors)")
            #expect(rest.outputLines.count == 8)
        }

        /// The first few, and how many more.
        @Test func areCountedWhenThereAreMany() async throws {
            let folder = try TestFolder()
            let tracks = try await record(23, in: folder)
            for track in stride(from: 1, to: 23, by: 2) { try remove(tracks[track].name, in: folder) }
            let whole = try await log("export", "--since", "0", in: folder)
            #expect(whole.complaints.count == 9, "\(whole.errors)")
            #expect(whole.errors.contains("the log has 3 more gaps like these, up to number \(tracks[22].first - 1)\n"), "\(whole.errors)")
        }
    }
}
