import Foundation
import Glibc
import Testing
import Waypost
import WaypostTestKit

extension EndToEnd {
    /// `waypost status` and `waypost watch` on a tracker whose receiver is a FIFO.
    struct WatchAndStatusTests {
        private let receiver = SimulatedReceiver()

        @Test(arguments: ["status", "watch"]) func saysThatNobodyTracks(command: String) async throws {
            let run = try await waypost(command, "--socket", "socket", in: TestFolder())
            #expect(run.code == 69)
            #expect(run.complaints.count == 1)
            #expect(run.errors.contains("not running") && run.errors.contains("waypost run"))
        }

        @Test func findsTheSocketByTheEnvironment() async throws {
            let folder = try TestFolder()
            let run = try await waypost("status", in: folder, environment: ["WAYPOST_SOCKET": folder.path("elsewhere")])
            #expect(run.code == 69)
            #expect(run.errors.contains(folder.path("elsewhere")))
        }

        @Test func tellsHealthByExitCodeAndJSON() async throws {
            let folder = try TestFolder()
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder)
            let searching = try await waypost("status", "--json", "--socket", "socket", in: folder)
            #expect(searching.code == 1)
            let searchingStatus = try JSONParser().parse(Array(searching.output.utf8))
            #expect(searchingStatus["health"]?.string == "degraded")
            #expect(searchingStatus["source"]?["state"]?.string == "searching")
            #expect(searchingStatus["position"] == nil)

            let watcher = try await tracker.watch("--json", "--count", "1")
            try fifo.write(receiver.epoch(0).text)
            #expect(try await watcher.exit() == ProgramExit(code: 0))
            let tracking = try await waypost("status", "--json", "--socket", "socket", in: folder)
            #expect(tracking.code == 0)
            let status = try JSONParser().parse(Array(tracking.output.utf8))
            #expect(status["health"]?.string == "healthy")
            #expect(status["pid"]?.int == Int(tracker.process.processID))
            #expect(status["position"]?["time"]?.string == "2026-03-01T12:00:00.000Z")
            #expect(status["log"]?["positions"]?.int == 1)
            let screen = try await waypost("status", "--socket", "socket", in: folder)
            #expect(screen.code == 0)
            #expect(screen.outputLines.first?.hasSuffix("healthy") == true)
            fifo.close()
        }

        /// A receiver whose lines never say the date gives positions, and none of them can be logged.
        @Test func isNotHealthyWhileNothingCanBeLogged() async throws {
            let folder = try TestFolder()
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder)
            let start = ContinuousClock.now
            var index = 0
            while ContinuousClock.now - start < .seconds(13) {
                let lines = receiver.epoch(index).text.split(separator: "\r\n").filter { $0.contains("GGA,") || $0.contains("GSA,") }
                try fifo.write(lines.map { $0 + "\r\n" }.joined())
                index += 1
                try await Task.sleep(for: .milliseconds(500))
            }
            let run = try await waypost("status", "--json", "--socket", "socket", in: folder)
            let status = try JSONParser().parse(Array(run.output.utf8))
            #expect(run.code == 1 && status["health"]?.string == "degraded")
            #expect(status["source"]?["state"]?.string == "fix" && status["log"]?["positions"]?.int == 0)
            let problems = (status["problems"]?.array ?? []).compactMap(\.string)
            #expect(
                problems.contains { $0.hasPrefix("positions come, but none has been logged for ") && $0.contains("date") }, "\(problems)")
            // It is over with the first that is.
            try fifo.write(receiver.epoch(index).text + receiver.epoch(index + 1).text)
            #expect(try await eventually { try await waypost("status", "--socket", "socket", in: folder).code == 0 })
            _ = try await tracker.stop()
            fifo.close()
        }

        @Test func endsWatchWhenTheTimeIsOver() async throws {
            let folder = try TestFolder()
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder)
            let run = try await waypost("watch", "--timeout", "0.5", "--socket", "socket", in: folder)
            #expect(run.code == 75)
            #expect(run.complaints.count == 1)
            // A receiver that talks without a fix is no reason to wait longer.
            let watcher = try await tracker.watch("--json", "--timeout", "1")
            var index = 0
            while watcher.ended == nil {
                try fifo.write(receiver.epochWithoutFix(index))
                index += 1
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(watcher.ended == ProgramExit(code: 75))
            fifo.close()
        }

        @Test func countsFixes() async throws {
            let folder = try TestFolder()
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder)
            let json = try await tracker.watch("--json", "--count", "3")
            let words = try await tracker.watch("--count", "3")
            for index in 0..<6 { try fifo.write(receiver.epoch(index).text) }
            #expect(try await json.exit() == ProgramExit(code: 0))
            #expect(try await words.exit() == ProgramExit(code: 0))
            #expect(json.positions.count == 3)
            #expect(words.output.split(separator: "\n").count == 3)
            #expect(words.output.contains("47.378000 N"))
            #expect(json.errors == "" && words.errors == "")
            fifo.close()
        }

        @Test func refusesCountsAndTimesThatMakeNoSense() async throws {
            for arguments in [["--count", "0"], ["--count", "x"], ["--timeout", "0"], ["--timeout", "nan"]] {
                let run = try await finish([Program.waypost.path, "watch"] + arguments, in: TestFolder())
                #expect(run.code == 64, "\(arguments)")
                #expect(run.complaints.count == 1)
            }
        }

        @Test func endsQuietlyWhenItsReaderGoes() async throws {
            let folder = try TestFolder()
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder)
            let command = "set -o pipefail; '\(Program.waypost.path)' watch --socket socket | head -n 1"
            let pipe = try ProgramProcess(["bash", "-c", command], in: folder)
            var index = 0
            // It notices at a line that it cannot write.
            while pipe.ended == nil {
                try fifo.write(receiver.epoch(index).text)
                index += 1
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(pipe.ended == ProgramExit(code: 0))
            #expect(pipe.output.split(separator: "\n").count == 1)
            #expect(pipe.errors == "")
            #expect(tracker.process.ended == nil)
            fifo.close()
        }

        @Test(.enabled(if: Program.canRunAsNobody && getuid() == 0, "needs root, and programs that user 65534 can reach"))
        func showsStrangersNoPosition() async throws {
            let folder = try TestFolder()
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder)
            let watcher = try await tracker.watch("--json", "--count", "1")
            try fifo.write(receiver.epoch(0).text)
            #expect(try await watcher.exit() == ProgramExit(code: 0))

            let watch = try await finish(Program.asNobody + [Program.waypost.path, "watch", "--json", "--socket", "socket"], in: folder)
            #expect(watch.code == 77)
            #expect(watch.output == "")
            #expect(watch.complaints.count == 1)
            let status = try await finish(Program.asNobody + [Program.waypost.path, "status", "--json", "--socket", "socket"], in: folder)
            #expect(status.code == 0)
            let members = try JSONParser().parse(Array(status.output.utf8))
            #expect(members["health"]?.string == "healthy")
            for hidden in ["position", "source", "log", "problems"] { #expect(members[hidden] == nil, "\(hidden)") }
            // A socket that they cannot even reach.
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path)
            defer { try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path) }
            let elsewhere = try TestFolder()
            let unreachable = try await finish(
                Program.asNobody + [Program.waypost.path, "status", "--socket", folder.path("socket")], in: elsewhere)
            #expect(unreachable.code == 77)
            #expect(unreachable.complaints.count == 1)
            fifo.close()
        }

        @Test func letsAStoppedWatcherDisturbNobody() async throws {
            let folder = try TestFolder()
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder)
            let stuck = try await tracker.watch("--json")
            let lively = try await tracker.watch("--json")
            try fifo.write((0..<200).map { receiver.epoch($0).text }.joined())
            #expect(await eventually { lively.positions.count >= 199 })
            stuck.send(SIGSTOP)
            var before = 0

            // What waits for the stuck one: 50 kB a portion, were it all kept. In portions that the lively one takes meanwhile.
            for portion in 1...70 {
                let epochs = portion * 200..<(portion + 1) * 200
                try fifo.write(epochs.map { receiver.epoch($0).text }.joined())
                var last = TextBuffer()
                last.append(receiver.epoch(epochs.upperBound - 2).time)
                #expect(await eventually { lively.outputEnd.contains(last.string) })
                // By then its queue is full, and the allocator has most of what it takes (a busy machine: 0.9 MB more); 3 MB more would follow.
                if portion == 10 { before = try #require(tracker.process.anonymousKilobytes) }
            }
            #expect(lively.count(class: "DROPPED") == 0)
            let grown = try #require(tracker.process.anonymousKilobytes) - before
            #expect(grown < 1_536)
            stuck.send(SIGCONT)
            #expect(await eventually { stuck.count(class: "DROPPED") == 1 })
            fifo.close()
            #expect(try await tracker.process.exit() == ProgramExit(code: 0))
            #expect(stuck.count(class: "TPV") < lively.count(class: "TPV"))
        }
    }
}
