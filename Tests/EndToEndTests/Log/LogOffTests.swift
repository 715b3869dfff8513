import Testing

extension EndToEnd {
    /// `[log] types = []`.
    struct LogOffTests {
        private static let configuration = "[log]\ntypes = []\n"

        /// Positions come and go, and no folder appears.
        @Test func recordsNothingAndSaysSo() async throws {
            let folder = try TestFolder()
            try folder.write(LogOffTests.configuration, to: "waypost.toml")
            let tracker = try await TrackerProcess(source: "sim:walk", in: folder, options: ["--config", "waypost.toml"])
            let watcher = try await tracker.watch("--json", "--count", "2")
            #expect(try await watcher.exit() == ProgramExit(code: 0))
            let status = try await waypost("status", "--socket", "socket", in: folder)
            #expect(status.output.contains("\nlog       off ([log] types = []): positions are not kept\n"), "\(status.output)")
            let json = try await waypost("status", "--socket", "socket", "--json", in: folder)
            #expect(json.output.contains(#""off":true"#), "\(json.output)")
            let rotation = try await waypost("log", "rotate", "--socket", "socket", in: folder)
            #expect(
                rotation.complaints == [
                    #"waypost: log rotate: the log is off, and there are no tracks here; switch it on: [log] types = ["raw"]"#
                ])
            #expect(rotation.code == 66)
            #expect(try await tracker.stop() == ProgramExit(code: 0))
            #expect(tracker.process.errors.contains("log off ([log] types = [])"), "\(tracker.process.errors)")
            #expect(try !folder.names().contains("log"))
        }

        /// A log that was kept before is finished, exported and erased as ever.
        @Test func keepsOldTracksInOrder() async throws {
            let folder = try TestFolder()
            try folder.write(LogOffTests.configuration, to: "waypost.toml")
            let first = try await TrackerProcess(source: "sim:walk", in: folder)
            let watcher = try await first.watch("--json", "--count", "3")
            #expect(try await watcher.exit() == ProgramExit(code: 0))
            _ = try await first.stop(with: 9)
            let before = try await waypost("log", "export", "--log", "log", "--format", "jsonl", in: folder)
            #expect(!before.outputLines.isEmpty)
            let second = try await TrackerProcess(source: "sim:walk", in: folder, options: ["--config", "waypost.toml"])
            #expect(try await eventually { try second.tracks.count == 1 })
            let later = try await second.watch("--json", "--count", "2")
            #expect(try await later.exit() == ProgramExit(code: 0))
            let exported = try await waypost("log", "export", "--log", "log", "--format", "jsonl", in: folder)
            #expect(exported.output == before.output)
            let erased = try await waypost("log", "erase", "--from", "-1h", "--to", "now", "--yes", "--socket", "socket", in: folder)
            #expect(erased.code == 0, "\(erased.errors)")
            #expect(try await waypost("log", "export", "--log", "log", "--format", "jsonl", in: folder).outputLines.isEmpty)
            #expect(try await second.stop() == ProgramExit(code: 0))
        }
    }
}
