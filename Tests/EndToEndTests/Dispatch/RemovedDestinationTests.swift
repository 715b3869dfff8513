import Testing
import Waypost
import WaypostSystem
import WaypostTestKit

extension EndToEnd {
    /// A server that is removed from the configuration, and another one under its name.
    struct RemovedDestinationTests {
        private func ask(_ words: String..., in folder: TestFolder) async throws -> Finished {
            try await finish([Program.waypost.path] + words + ["--socket", "socket"], in: folder)
        }

        private func tracker(to url: String?, in folder: TestFolder) async throws -> TrackerProcess {
            try folder.write(url.map { "[[destination]]\nname = \"home\"\nurl = \"\($0)\"\ninterval = 0\n" } ?? "", to: "w.toml")
            return try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"])
        }

        @Test func saysWhatGoesToAnotherServerOfTheSameName() async throws {
            let folder = try TestFolder()
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let first = try await tracker(to: "http://127.0.0.1:9/in?key=geheim", in: folder)
            #expect(try await ask("track", "before", in: folder).code == 0)
            #expect(try await first.stop() == ProgramExit(code: 0))
            let second = try await tracker(to: nil, in: folder)
            _ = try await ask("track", "between", in: folder)
            #expect(try await ask("dispatch", in: folder).output.contains("unconfigured\n  1 event waits"))
            #expect(try await second.stop() == ProgramExit(code: 0))

            let server = try await FlakyServer()
            let third = try await tracker(to: server.url, in: folder)
            let words = """
                1 record from before goes to home at http \(server.url.dropLast("/in".count)) (was http http://127.0.0.1:9): waypost dispatch discard home to drop it
                """
            let status = try await ask("status", in: folder)
            #expect(status.code == 1 && status.output.contains(words), "\(status)")
            _ = try await ask("track", "after", in: folder)
            #expect(try await ask("dispatch", "now", "--wait", in: folder).output == "good\n")
            #expect(try server.received().compactMap { $0["name"]?.string } == ["before", "after"])
            // Nothing of it waits any more.
            let settled = try await ask("status", in: folder).output
            #expect(!settled.contains("from before"), "\(settled)")
            #expect(try await third.stop() == ProgramExit(code: 0))
            fifo.close()
        }

        @Test func forgetsOneThatIsDiscardedBetweenItsRemovalAndTheRestart() async throws {
            let folder = try TestFolder()
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await tracker(to: "http://127.0.0.1:9/", in: folder)
            #expect(try await ask("track", "before", in: folder).code == 0)
            #expect(try await ask("dispatch", "discard", "home", "--yes", in: folder).code == 0)
            #expect(try await ask("dispatch", in: folder).output.contains("home"), "it is in the configuration")
            #expect(try await ask("track", "before", in: folder).code == 0)
            try folder.write("", to: "w.toml")
            let discarded = try await ask("dispatch", "discard", "home", "--yes", in: folder)
            #expect(discarded.output == "discarded 1 event and 0 positions of home\n", "\(discarded)")
            #expect(!(try await ask("dispatch", in: folder).output.contains("home")))
            #expect(try await tracker.stop() == ProgramExit(code: 0))
            fifo.close()
        }
    }
}
