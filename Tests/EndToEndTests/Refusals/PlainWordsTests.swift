import Testing
import WaypostTestKit

extension EndToEnd {
    /// What the configuration says is what is done, and what goes wrong is told once.
    @Suite struct PlainWordsTests {
        /// How many points the tracks of a drive have, logged as these types with a distance that thins.
        private func pointCounts(types: String) async throws -> [String: Int] {
            let folder = try TestFolder()
            try folder.write("[log]\ntypes = \(types)\nmin_distance = 500\n", to: "w.toml")
            let tracker = try await TrackerProcess(source: "nmea:\(Package.drive)?speed=0", in: folder, options: ["--config", "w.toml"])
            #expect(try await tracker.process.exit() == ProgramExit(code: 0))
            var counts: [String: Int] = [:]
            for name in try folder.names(in: "log") where name.hasSuffix(".gpx") {
                let kind = name.split(separator: ".").dropFirst().dropLast().joined()
                counts[kind, default: 0] += try folder.text("log/\(name)").split(separator: "<trkpt").count - 1
            }
            return counts
        }

        @Test func keepsEverythingInALogOfTheSource() async throws {
            let raw = try #require(try await pointCounts(types: #"["raw"]"#)[""])
            let source = try #require(try await pointCounts(types: #"["source"]"#)[""])
            #expect(raw < 50 && source > 300, "\(raw) and \(source)")
            // The first type has the plain name; the thinned one is as thin beside it.
            #expect(try await pointCounts(types: #"["source", "raw"]"#) == ["": source, "raw": raw])
        }

        @Test func tellsOnceThatASecretCannotBeRead() async throws {
            let folder = try TestFolder()
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let url = "http://127.0.0.1:1/"
            try folder.write("[[destination]]\nurl = \"\(url)\"\ninterval = 0\ntoken_file = \"\(folder.path("token"))\"\n", to: "w.toml")
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"])
            #expect(try await waypost("track", "x", "--socket", "socket", in: folder).code == 0)
            let sent = try await waypost("dispatch", "now", "--wait", "--socket", "socket", in: folder)
            #expect(sent.output == "error\n" && sent.complaints.count == 1)
            let status = try await waypost("status", "--socket", "socket", in: folder)
            let told = status.outputLines.filter { $0.contains("token: there is no such file") && !$0.contains("on demand") }
            #expect(told.count == 1, "\(status.output)")
            _ = try await tracker.stop()
            #expect(tracker.process.errorLines.count { $0.contains("token: there is no such file") } == 1)
            fifo.close()
        }
    }
}
