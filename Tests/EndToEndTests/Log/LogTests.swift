import Foundation
import Glibc
import Testing
import Waypost
import WaypostTestKit

extension EndToEnd {
    /// `waypost log` beside a running tracker and without one.
    struct LogTests {
        /// A user who may not see the running tracker's log must not take an old one of their own for it.
        @Test(.enabled(if: Program.canRunAsNobody && getuid() == 0, "needs root, and programs that user 65534 can reach"))
        func showsAStrangerNoOtherLog() async throws {
            let folder = try TestFolder()
            // Where a user's own tracker listens: a socket that is named is that of the only tracker that is meant.
            let options = ["--source", "sim:walk"] + TrackerProcess.options + ["--socket", "waypost.sock"]
            let tracker = try ProgramProcess([Program.waypostd.path] + options, in: folder)
            let status = ["status", "--json", "--socket", "waypost.sock"]
            try #require(await eventually { try await finish([Program.waypost.path] + status, in: folder).output.contains("\"log\"") })
            let own = folder.path("home/.local/state/waypost/log")
            try FileManager.default.createDirectory(atPath: own + "/journal", withIntermediateDirectories: true)
            let surroundings = Program.asNobody + ["env", "HOME=\(folder.path("home"))", "XDG_RUNTIME_DIR=\(folder.path(""))"]
            let run = try await finish(surroundings + [Program.waypost.path, "log", "list"], in: folder)
            #expect(run.code == 77 && run.output.isEmpty, "\(run)")
            #expect(run.errors.hasPrefix("waypost: log: the running tracker does not tell this user where its log is; use sudo, or join "))
            #expect(run.errors.hasSuffix("; for your own log: --log \(own)\n"), "\(run.errors)")
            let named = try await finish(surroundings + [Program.waypost.path, "log", "list", "--log", own], in: folder)
            #expect(named.code == 0 && named.errors.contains("there are no tracks in \(own)"), "\(named)")
            tracker.send(SIGTERM)
            #expect(try await tracker.exit() == ProgramExit(code: 0))
        }

        private let receiver = SimulatedReceiver()

        /// A folder with a log of two tracks: of 30 fixes and of 20.
        private func logFolder() async throws -> TestFolder {
            let folder = try TestFolder()
            for (name, epochs) in [("first", 0..<30), ("second", 100..<120)] {
                try folder.write(epochs.map { receiver.epoch($0).text }.joined(), to: "\(name).nmea")
                let options = ["--source", "nmea:\(name).nmea?speed=0"] + TrackerProcess.options
                #expect(try await finish([Program.waypostd.path] + options, in: folder).code == 0)
            }
            return folder
        }

        private func log(_ arguments: String..., in folder: TestFolder) async throws -> Finished {
            try await finish([Program.waypost.path, "log"] + arguments + ["--log", "log", "--socket", "socket"], in: folder)
        }

        private func numbers(_ text: String) throws -> [Int] {
            try text.split(separator: "\n").map { try #require(JSONParser().parse(Array($0.utf8))["seq"]?.int) }
        }

        @Test func listsTracksAndWhoHasThem() async throws {
            let folder = try await logFolder()
            let lines = try await log("list", "--json", in: folder).outputLines.map { try JSONParser().parse(Array($0.utf8)) }
            #expect(lines.map { $0["positions"]?.int } == [30, 20])
            #expect(lines.map { $0["state"]?.string } == ["finished", "finished"])
            #expect(lines.allSatisfy { $0["pulled_by"]?.array?.isEmpty == true })
            let last = try #require(lines[0]["last_seq"]?.int)
            #expect(try await log("ack", "\(last)", "--puller", "home", in: folder).code == 0)
            let again = try await log("list", "--json", in: folder).outputLines.map { try JSONParser().parse(Array($0.utf8)) }
            #expect(again[0]["pulled_by"]?.array?.map(\.string) == ["home"] && again[1]["pulled_by"]?.array?.isEmpty == true)
            let words = try await log("list", in: folder)
            #expect(
                words.code == 0 && words.outputLines.count == 2 && words.outputLines[0].contains("30 positions")
                    && words.outputLines[0].contains(" 1 segment "))
            #expect(words.outputLines[0].hasSuffix("fetched by home"))
        }

        @Test func saysWhatCannotBeVerifiedOrExported() async throws {
            let folder = try await logFolder()
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("log"))
            try FileManager.default.createDirectory(atPath: folder.path("fetched"), withIntermediateDirectories: false)
            for name in names where name.hasSuffix(".gpx") || name == "SHA256SUMS" {
                try FileManager.default.copyItem(atPath: folder.path("log/\(name)"), toPath: folder.path("fetched/\(name)"))
            }
            let known = try await waypost("log", "verify", "--log", "fetched", in: folder)
            #expect(known.code == 0 && known.output.hasSuffix("no journals; the tracks are as in SHA256SUMS\n"), "\(known)")
            try FileManager.default.removeItem(atPath: folder.path("fetched/SHA256SUMS"))
            let unknown = try await waypost("log", "verify", "--log", "fetched", in: folder)
            #expect(unknown.code == 66 && unknown.errors.contains("is not a log"), "\(unknown)")

            let beyond = try await log("export", "--since", "99999", in: folder)
            #expect(beyond.code == 0 && beyond.errors.contains("the cursor 99999 is after the end of the log"), "\(beyond)")
            let reversed = try await log("export", "--since", "2026-05-03", "--until", "2026-05-02", in: folder)
            #expect(reversed.code == 64 && reversed.errors.contains("--since must be before --until"), "\(reversed)")
        }

        /// The tracker logs at full speed; each export goes on where the one before ended.
        @Test func exportsBesideATrackerMissNothing() async throws {
            let folder = try TestFolder()
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver?speed=0", in: folder)
            let count = 6_000
            let text = stride(from: 0, to: count, by: 100).map { start in (start..<start + 100).map { receiver.epoch($0).text }.joined() }
            let writer = Task.detached {
                for part in text { try fifo.write(part) }
                fifo.close()
            }
            var cursor = 0
            var found = 0
            let deadline = ContinuousClock.now + .seconds(120)
            while found < count - 5, ContinuousClock.now < deadline {
                let export = try await log("export", "--since", "\(cursor)", in: folder)
                // Before the tracker has made its folder there is none.
                if cursor == 0, export.code != 0 { continue }
                #expect(export.code == 0 && export.errors == "")
                let new = try numbers(export.output)
                // The first record is a break.
                #expect(new == Array((cursor == 0 ? 2 : cursor + 1)..<((cursor == 0 ? 2 : cursor + 1) + new.count)))
                found += new.count
                cursor = new.last ?? cursor
            }
            try await writer.value
            #expect(found >= count - 5)
            _ = try await tracker.stop()
            let whole = try numbers(try await log("export", in: folder).output)
            #expect(whole == Array(2..<whole.count + 2) && whole.count >= found)
        }

        /// One destination alone, which asks for more while the log grows behind what it has read.
        @Test func aDestinationMissesNothingWhileTheLogGrows() async throws {
            let folder = try TestFolder()
            let server = try await FlakyServer()
            let fifo = try ReceiverFIFO("receiver", in: folder)
            try folder.write("[[destination]]\nname = \"home\"\nurl = \"\(server.url)\"\ninterval = 0\n", to: "w.toml")
            let options = ["--config", "w.toml"]
            let tracker = try await TrackerProcess(source: "nmea:receiver?speed=0", in: folder, options: options)
            func dispatch() async throws -> Finished {
                try await finish([Program.waypost.path, "dispatch", "now", "--wait", "--socket", "socket"], in: folder)
            }
            for start in stride(from: 0, to: 6_000, by: 100) {
                try fifo.write((start..<start + 100).map { receiver.epoch($0).text }.joined())
                // Not before more than a piece of the log waits.
                if start >= 1_500, start % 500 == 0 { _ = try await dispatch() }
            }
            fifo.close()
            #expect(try await tracker.process.exit().code == 0)
            let again = try await TrackerProcess(source: "sim:none", in: folder, options: options)
            #expect(try await eventually { try await dispatch().output != "good\n" })
            _ = try await again.stop()
            let sent = try server.received().filter { $0["class"]?.string == "TPV" }.compactMap { $0["id"]?.string }
            let logged = try numbers(try await log("export", in: folder).output)
            #expect(sent.count >= 5_990 && Set(sent).count == sent.count)
            // A name begins with the number.
            #expect(sent.compactMap { Int($0.split(separator: "-")[1]) } == logged)
        }

        @Test func goesOnExactlyBehindACursor() async throws {
            let folder = try await logFolder()
            let whole = try await log("export", in: folder)
            #expect(whole.code == 0 && whole.errors == "")
            let numbers = try numbers(whole.output)
            #expect(numbers.count == 50 && zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
            for index in [0, 29, 49] {
                let rest = try await log("export", "--since", "\(numbers[index])", in: folder)
                #expect(rest.outputLines == Array(whole.outputLines[(index + 1)...]))
            }
            let fromTime = try await log("export", "--since", "2026-03-01T12:00:25Z", in: folder)
            #expect(fromTime.outputLines.count == 25)
            let stretch = try await log("export", "--since", "2026-03-01T12:00:25Z", "--until", "2026-03-01T12:01:45Z", in: folder)
            #expect(stretch.outputLines.count == 10)
            #expect(try await log("export", "--since", "2026-03-02", in: folder).output == "")
        }

        @Test(arguments: ["gpx", "nmea"]) func tellsTheCursorBesideOtherFormats(format: String) async throws {
            let folder = try await logFolder()
            let run = try await log("export", "--format", format, in: folder)
            let last = try #require(try numbers(try await log("export", in: folder).output).last)
            #expect(run.code == 0 && run.errors == "cursor \(last)\n")
            try folder.write(run.output, to: "out.\(format)")
            if format == "gpx" {
                let track = try GPXFile(path: folder.path("out.gpx"))
                #expect(track.pointCount == 50 && track.segmentCount == 2)
                #expect(try await track.objections() == "")
            }
            let nothing = try await log("export", "--format", format, "--since", "\(last)", in: folder)
            #expect(nothing.code == 0 && nothing.errors == "cursor \(last)\n")
        }

        @Test func givesAPullerWhatItHasNot() async throws {
            let folder = try await logFolder()
            let whole = try await log("export", "--puller", "home", in: folder)
            #expect(whole.outputLines.count == 50)
            let numbers = try numbers(whole.output)
            #expect(try await log("ack", "\(numbers[19])", "--puller", "home", in: folder).code == 0)
            #expect(try await log("export", "--puller", "home", in: folder).outputLines == Array(whole.outputLines[20...]))
            // What has arrived has arrived.
            let older = try await log("ack", "\(numbers[3])", "--puller", "home", in: folder)
            #expect(older.code == 0 && older.complaints.count == 1)
            #expect(try await log("export", "--puller", "home", in: folder).outputLines.count == 30)
            #expect(try await log("ack", "\(numbers[49] + 1)", "--puller", "home", in: folder).code == 65)
            #expect(try await log("ack", "--forget", "--puller", "home", in: folder).code == 0)
            #expect(try await log("ack", "--forget", "--puller", "home", in: folder).code == 66)
            #expect(try await log("ack", "1", "--puller", "../x", in: folder).code == 64)
        }

        /// Pulled in pieces of 1 KiB over connections that break, while the tracker records; pulled again once it has ended.
        @Test func isPulledWholeInPiecesBesideARunningTracker() async throws {
            let folder = try TestFolder()
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder)
            var pulled: [String] = []
            var cursor = 0
            func pull() async throws {
                let command = "'\(Program.waypost.path)' log export --since \(cursor) --log log --socket socket | head -c 1024"
                let run = try await finish(["sh", "-c", command], in: folder)
                #expect(run.errors == "")
                // A line that was cut did not arrive.
                let whole = run.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
                pulled += whole
                if let last = try numbers(whole.joined(separator: "\n")).last { cursor = last }
            }
            for piece in 0..<6 {
                try fifo.write((piece * 10..<piece * 10 + 10).map { receiver.epoch($0).text }.joined())
                try await pull()
            }
            fifo.close()
            #expect(try await tracker.process.exit() == ProgramExit(code: 0))
            var before = -1
            while before != pulled.count {
                before = pulled.count
                try await pull()
            }
            let whole = try await log("export", in: folder)
            #expect(pulled == whole.outputLines && pulled.count == 60)
        }

        @Test func endsATrackWhenAsked() async throws {
            let folder = try TestFolder()
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder)
            try fifo.write((0..<10).map { receiver.epoch($0).text }.joined())
            func positions() async throws -> Int {
                let lines = try await finish([Program.waypost.path, "log", "list", "--json", "--socket", "socket"], in: folder).outputLines
                return try lines.reduce(0) { $0 + (try JSONParser().parse(Array($1.utf8))["positions"]?.int ?? 0) }
            }
            for _ in 0..<100 {
                if try await positions() >= 9 { break }
                try await Task.sleep(for: .milliseconds(100))
            }
            let rotated = try await waypost("log", "rotate", "--socket", "socket", in: folder)
            #expect(rotated.code == 0)
            #expect(try GPXFile(path: rotated.output.split(separator: "\n").first.map(String.init) ?? "").pointCount >= 9)
            #expect(try await waypost("log", "rotate", "--socket", "socket", in: folder).output == "")
            try fifo.write((20..<25).map { receiver.epoch($0).text }.joined())
            fifo.close()
            #expect(try await tracker.process.exit() == ProgramExit(code: 0))
            #expect(try tracker.tracks.count == 2)
            #expect(try await waypost("log", "rotate", "--socket", "socket", in: folder).code == 69)
        }

        @Test func erasesBesideARunningTrackerAndWithoutOne() async throws {
            let folder = try await logFolder()
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder)
            let unasked = try await log("erase", "--from", "2026-03-01T12:00:10Z", "--to", "2026-03-01T12:00:20Z", in: folder)
            #expect(unasked.code == 64)
            let beside = try await log("erase", "--from", "2026-03-01T12:00:10Z", "--to", "2026-03-01T12:00:20Z", "--yes", in: folder)
            #expect(beside.code == 0 && beside.output == "erased 10 positions from 1 track\n", "\(beside.errors)")
            fifo.close()
            _ = try await tracker.stop()
            let after = try await log("erase", "--from", "2026-03-01T12:01:40Z", "--to", "2026-03-02", "--yes", in: folder)
            #expect(after.output == "erased 20 positions from 1 track\n")
            #expect(try await log("export", in: folder).outputLines.count == 20)
            #expect(try tracker.tracks.map(\.pointCount) == [20])
            #expect(try await log("verify", in: folder).code == 0)
        }

        /// At 12:00:10 UTC the clocks go from 13:00:10 back to 12:00:10.
        @Test func namesTheStretchThatItErasesWhenTheClocksAreSetBack() async throws {
            let folder = try await logFolder()
            func erase(_ since: String, _ until: String) async throws -> Finished {
                let command = [Program.waypost.path, "log", "erase", "--log", "log", "--socket", "socket", "--yes"]
                return try await finish(
                    ["env", "TZ=STD0DST-1,J100,J60/13:00:10"] + command + ["--since", since, "--until", until], in: folder)
            }
            let doubled = try await erase("2026-03-01T12:00:15", "2026-03-01T12:00:20")
            #expect(doubled.code == 64 && doubled.output.isEmpty && doubled.complaints.count == 1, "\(doubled)")
            #expect(doubled.errors.contains("write 2026-03-01T12:00:15+01:00 or 2026-03-01T12:00:15+00:00"), "\(doubled.errors)")
            let never = try await erase("2026-04-10T02:30", "now")
            #expect(never.code == 64 && never.errors.contains("never show 2026-04-10 02:30:00"), "\(never)")
            let erased = try await erase("2026-03-01T12:00:05Z", "2026-03-01T12:00:20+00:00")
            #expect(erased.output == "erased 15 positions from 1 track\n")
            #expect(
                erased.errors == "waypost: log erase: log, from 2026-03-01 13:00:05 (UTC+1) until 2026-03-01 12:00:20 (UTC)\n",
                "\(erased.errors)")
        }

        @Test func saysWhereALogIsDamaged() async throws {
            let folder = try await logFolder()
            let fine = try await log("verify", in: folder)
            #expect(fine.code == 0 && fine.output == "log: 2 tracks, all as written\n")
            let name = try #require(try folder.names(in: "log/journal").first { $0.hasSuffix(".journal") })
            let path = folder.path("log/journal/\(name)")
            chmod(path, 0o600)
            var bytes = try Data(contentsOf: URL(filePath: path))
            bytes[600] ^= 4
            try bytes.write(to: URL(filePath: path))
            let damaged = try await log("verify", in: folder)
            #expect(damaged.code == 65 && damaged.complaints.count == 1)
            #expect(damaged.output.contains("\(name): not readable: "))
            let export = try await log("export", in: folder)
            #expect(export.code == 0 && export.complaints.count == 1 && export.outputLines.count == 49)
        }

        @Test func makesTheTracksThatACrashLeft() async throws {
            let folder = try TestFolder()
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder)
            try fifo.write((0..<10).map { receiver.epoch($0).text }.joined())
            let watcher = try await tracker.watch("--json", "--count", "1")
            try fifo.write((10..<14).map { receiver.epoch($0).text }.joined())
            try await watcher.exit()
            let held = try await log("recover", in: folder)
            #expect(held.code == 73 && held.complaints.count == 1)
            _ = try await tracker.stop(with: SIGKILL)
            let recovered = try await log("recover", in: folder)
            #expect(recovered.code == 0 && recovered.outputLines.count == 1)
            #expect(
                try tracker.tracks.map(\.path).map { ($0 as NSString).lastPathComponent } == [
                    (recovered.outputLines[0] as NSString).lastPathComponent
                ])
            #expect(try await log("recover", in: folder).output == "")
            fifo.close()
        }

        @Test func saysThatThereIsNoSuchLog() async throws {
            let folder = try TestFolder()
            for command in Self.commands {
                let run = try await finish([Program.waypost.path, "log"] + command + ["--log", "nowhere"], in: folder)
                #expect(run.code == 66 && run.complaints.count == 1, "\(command)")
            }
            // A folder of something else is none either, and nothing is made in it.
            try FileManager.default.createDirectory(atPath: folder.path("other"), withIntermediateDirectories: false)
            try FileManager.default.createDirectory(atPath: folder.path("log/journal"), withIntermediateDirectories: true)
            try folder.write("1", to: "log/journal/.sequence")
            for command in Self.commands {
                for (name, words) in [("other", "is not a log"), ("log/journal", "is the journal folder of a log")] {
                    let run = try await finish([Program.waypost.path, "log"] + command + ["--log", name], in: folder)
                    #expect(run.code == 66 && run.complaints.count == 1 && run.errors.contains(words), "\(command)")
                }
            }
            #expect(try folder.names(in: "other") == [])
        }

        private static let commands = [
            ["list"], ["export"], ["verify"], ["recover"], ["ack", "0", "--puller", "p"],
            ["erase", "--from", "2026-03-01", "--to", "2026-03-02", "--yes"],
        ]

        @Test func tellsOtherFoldersWhereTheLogIs() async throws {
            let folder = try await logFolder()
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder)
            let elsewhere = try TestFolder()
            let socket = folder.path("socket")
            func log(_ arguments: String...) async throws -> Finished {
                try await finish([Program.waypost.path, "log"] + arguments + ["--socket", socket], in: elsewhere)
            }
            #expect(try await log("list").outputLines.count == 2)
            #expect(try await log("export").outputLines.count == 50)
            let erased = try await log("erase", "--from", "2026-03-01T12:00:10Z", "--to", "2026-03-01T12:00:20Z", "--yes")
            #expect(erased.output == "erased 10 positions from 1 track\n", "\(erased.errors)")
            // What another tracker holds is not erased from this one's log.
            let other = try TestFolder()
            let otherFIFO = try ReceiverFIFO("receiver", in: other)
            let otherTracker = try await TrackerProcess(source: "nmea:receiver", in: other)
            let mistaken = try await log("erase", "--from", "2026-03-01", "--to", "2026-03-02", "--yes", "--log", other.path("log"))
            #expect(mistaken.code == 73 && mistaken.complaints.count == 1)
            #expect(try await log("export").outputLines.count == 40)
            fifo.close()
            otherFIFO.close()
            _ = try await tracker.stop()
            _ = try await otherTracker.stop()
        }
    }
}
