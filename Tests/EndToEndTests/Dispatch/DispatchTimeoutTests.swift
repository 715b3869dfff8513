import Testing
import WaypostTestKit

extension EndToEnd {
    /// How long somebody waits for a server.
    struct DispatchTimeoutTests {
        private func ask(_ words: String..., in folder: TestFolder) async throws -> Finished {
            try await finish([Program.waypost.path] + words + ["--socket", "socket"], in: folder)
        }

        @Test func waitsNoLongerThanItIsTold() async throws {
            let folder = try TestFolder()
            let server = try await FlakyServer("slow 20")
            try folder.write("[[destination]]\nname = \"home\"\nurl = \"\(server.url)\"\ninterval = 0\ntimeout = 60\n", to: "w.toml")
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"])
            #expect(try await ask("track", "x", in: folder).code == 0)
            let start = ContinuousClock.now
            let now = try await ask("dispatch", "now", "--wait", "--timeout", "1s", in: folder)
            #expect(now.code == 75 && now.output.isEmpty, "\(now)")
            #expect(now.errors == "waypost: dispatch now: still sending after 1 s; the tracker goes on; see waypost dispatch\n")
            // Another's run goes on while somebody's time is over.
            for name in ["--timeout", "--budget"] {
                let drain = try await ask("dispatch", "drain", name, "1", in: folder)
                #expect(drain.code == 1 && drain.output == "error\n", "\(drain)")
                #expect(drain.errors == "waypost: destination home: the time was over before it was sent; see waypost dispatch\n")
            }
            #expect(ContinuousClock.now - start < .seconds(15))
            #expect(try await eventually { try server.received().count == 1 })
            let twice = try await ask("dispatch", "drain", "--timeout", "1", "--budget", "1", in: folder)
            #expect(twice.code == 64 && twice.errors.contains("--timeout and --budget are the same"), "\(twice)")
            let alone = try await ask("dispatch", "now", "--timeout", "1", in: folder)
            #expect(alone.code == 64 && alone.errors.contains("--timeout needs --wait"), "\(alone)")
            fifo.close()
            _ = try await tracker.stop()
        }
    }
}
