import Foundation
import Testing
import Waypost
import WaypostTestKit

extension EndToEnd {
    /// What is erased from the log is known nowhere else either: not as the last position, and not as what waits to be sent.
    @Suite struct ErasedElsewhereTests {
        private func ask(_ words: String..., in folder: TestFolder) async throws -> Finished {
            try await finish([Program.waypost.path] + words + ["--socket", "socket"], in: folder)
        }

        private func erase(in folder: TestFolder) async throws -> Finished {
            try await ask("log", "erase", "--log", "log", "--from", "2026-03-01", "--to", "2026-03-02", "--yes", in: folder)
        }

        /// Beside a tracker whose receiver is silent since, without one, and without one after a kill.
        @Test(arguments: ["running", "stopped", "killed"]) func isForgotten(tracker state: String) async throws {
            let folder = try TestFolder()
            let server = try await FlakyServer()
            try server.setMode("status 503")
            try folder.writeGate(sendingTo: server.url)
            let receiver = SimulatedReceiver()
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"])
            try fifo.write((0..<40).map { receiver.epoch($0).text }.joined())
            #expect(try await eventually { try await ask("status", in: folder).output.contains("exit Gate") })
            switch state {
            case "stopped": #expect(try await tracker.stop(with: SIGTERM).code == 0)
            case "killed": #expect(try await tracker.stop(with: SIGKILL).signal == SIGKILL)
            default: break
            }
            // What an earlier run has set aside.
            try folder.write("what waited", to: "state/kept/state/outbox.sqlite.damaged-1")
            let erased = try await erase(in: folder)
            #expect(erased.code == 0 && erased.output == "erased 40 positions from 1 track\n", "\(erased.errors)")
            if state == "running" {
                // A figure of this run, which nobody takes for what the log holds now.
                #expect(try await ask("status", in: folder).output.contains("log: this run recorded 40 positions\n"))
                #expect(try await ask("status", "--json", in: folder).output.contains("\"lat\"") == false)
                #expect(try await tracker.stop(with: SIGTERM).code == 0)
                #expect(!FileManager.default.fileExists(atPath: folder.path("state/kept/state/last-position")))
            }
            fifo.close()
            try FileManager.default.removeItem(atPath: folder.path("receiver"))

            try server.setMode("good")
            let next = try ReceiverFIFO("receiver", in: folder)
            // It ends before its first fix.
            let idle = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"])
            #expect(await eventually { !FileManager.default.fileExists(atPath: folder.path("log/journal/.erased")) })
            #expect(try await idle.stop(with: SIGKILL).signal == SIGKILL)
            #expect(!FileManager.default.fileExists(atPath: folder.path("state/kept/state/outbox.sqlite.damaged-1")))
            let second = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"])
            #expect(try await ask("status", "--json", in: folder).output.contains("\"lat\"") == false)
            let watched = try await ask("watch", "--significant", "--json", "--count", "1", "--timeout", "1", in: folder)
            #expect(!watched.output.contains("\"lat\""))
            _ = try await ask("dispatch", "now", "--wait", in: folder)
            #expect(try server.received().isEmpty)
            // Once, and not again: what is logged now stays.
            try next.write((100..<110).map { receiver.epoch($0).text }.joined())
            #expect(
                try await eventually {
                    _ = try await ask("dispatch", "now", "--wait", in: folder)
                    return try server.received().count { $0["class"]?.string == "TPV" } == 10
                })
            #expect(!FileManager.default.fileExists(atPath: folder.path("log/journal/.erased")))
            next.close()
            #expect(try await second.process.exit() == ProgramExit(code: 0))
        }

        /// A fix that was on its way while its stretch was erased makes no event, with its place, from which everybody would know it.
        @Test func makesNoEventWhenItComesLate() async throws {
            let folder = try TestFolder()
            let server = try await FlakyServer()
            try folder.writeGate(sendingTo: server.url)
            let receiver = SimulatedReceiver()
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"])
            try fifo.write((0..<3).map { receiver.epoch($0).text }.joined())
            func logged() async throws -> String { try await ask("log", "export", "--log", "log", "--format", "jsonl", in: folder).output }
            let (from, to) = (TextBuffer.text(of: receiver.epoch(3).time), TextBuffer.text(of: receiver.epoch(8).time))
            #expect(try await eventually { try await logged().contains(TextBuffer.text(of: receiver.epoch(2).time)) })
            #expect(try await ask("log", "erase", "--log", "log", "--from", from, "--to", to, "--yes", in: folder).code == 0)
            // Inside the gate: in the stretch, and behind it.
            let (late, next) = (TextBuffer.text(of: receiver.epoch(7).time), TextBuffer.text(of: receiver.epoch(9).time))
            try fifo.write(receiver.epoch(7).text)
            try await Task.sleep(for: .milliseconds(300))
            let status = try await ask("status", "--json", in: folder).output
            try fifo.write(receiver.epoch(9).text)
            #expect(try await eventually { try await logged().contains(next) })
            // On a machine that took more than two seconds for that, it is a new fix.
            guard try await !logged().contains(late) else { return }
            #expect(!status.contains(late))
            #expect(
                try await eventually {
                    _ = try await ask("dispatch", "now", "--wait", in: folder)
                    return try server.received().contains { $0["class"]?.string == "EVENT" }
                })
            let events = try server.received().filter { $0["class"]?.string == "EVENT" }
            #expect(events.map { $0["time"]?.string } == [next], "\(events)")
            fifo.close()
            #expect(try await tracker.process.exit() == ProgramExit(code: 0))
            for name in try folder.names(in: "log") where name.hasSuffix(".gpx") {
                #expect(try !String(contentsOfFile: folder.path("log/" + name), encoding: .utf8).contains(late))
            }
        }

        /// What waits is read while it is sent and shown: when the command returns, nothing of what was erased is read from there.
        @Test func isNeitherShownNorSentOnceTheCommandHasReturned() async throws {
            let folder = try TestFolder()
            let server = try await FlakyServer()
            try folder.write(
                ["home", "office"].map { "[[destination]]\nname = \"\($0)\"\nurl = \"\(server.url)\"\ninterval = 0\ntimeout = 5\n" }
                    .joined(), to: "w.toml")
            let receiver = SimulatedReceiver()
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"])
            func waits(_ name: String) async throws -> Int {
                try await ask("dispatch", "export", name, in: folder).outputLines.count { $0.contains("\"TPV\"") }
            }
            try fifo.write((0..<20).map { receiver.epoch($0).text }.joined())
            #expect(try await eventually { try await waits("office") >= 18 })
            #expect(try await ask("dispatch", "now", "--wait", in: folder).output == "good\n")
            try fifo.write((20..<60).map { receiver.epoch($0).text }.joined())
            for name in ["office", "home"] { #expect(try await eventually { try await waits(name) >= 38 }) }
            let kept = try server.received().count
            let (from, to) = (TextBuffer.text(of: receiver.epoch(20).time), TextBuffer.text(of: receiver.epoch(60).time))
            let erased = try await ask("log", "erase", "--log", "log", "--from", from, "--to", to, "--yes", in: folder)
            #expect(erased.code == 0, "\(erased)")
            #expect(try await waits("home") == 0)
            #expect(try await waits("office") == 0)
            #expect(try await ask("dispatch", "now", "--wait", in: folder).code == 0)
            #expect(try server.received().count == kept)
            fifo.close()
            #expect(try await tracker.process.exit() == ProgramExit(code: 0))
        }
    }
}

extension TextBuffer {
    fileprivate static func text(of time: UTCTime) -> String {
        var text = TextBuffer()
        text.append(time)
        return text.string
    }
}
