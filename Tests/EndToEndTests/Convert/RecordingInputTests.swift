import Glibc
import Testing
import Waypost
import WaypostSystem
import WaypostTestKit

extension EndToEnd {
    /// The tracker on NMEA from files, pipes and FIFOs, to its end or until somebody stops it.
    struct RecordingInputTests {
        private let receiver = SimulatedReceiver()

        private func track(_ arguments: String..., in folder: TestFolder) async throws -> Finished {
            try await finish([Program.waypost.path, "run"] + TrackerProcess.options + arguments, in: folder)
        }

        @Test func logsEveryFixOfAFileAndEndsWithIt() async throws {
            let folder = try TestFolder()
            let run = try await track("--source", "nmea:\(Package.drive)?speed=0", in: folder)
            #expect(run.code == 0)
            let converted = try await waypost("convert", Package.drive, "-", "--to", "jsonl", in: folder)
            let fixes = converted.outputLines.count { $0.contains("\"lat\":") }
            #expect(fixes > 500)
            let names = try folder.names(in: "log").filter { $0.hasSuffix(".gpx") }
            let track = try GPXFile(path: folder.path("log/\(try #require(names.first))"))
            #expect(names.count == 1)
            #expect(track.pointCount == fixes)
            #expect(track.times.count == fixes)
            #expect(try await track.objections() == "")
            // The daemon says where the track is, and leaves no socket behind.
            #expect(run.errors.contains("wrote \(folder.path("log"))/\(names[0]): \(fixes) positions"))
            #expect(try folder.names().contains("socket") == false)
        }

        @Test(arguments: ["gpx", "csv", "kml", "jsonl"], [false, true])
        func playsWhatConvertReads(format: String, isPacked: Bool) async throws {
            let folder = try TestFolder()
            try #require(try await waypost("convert", Package.drive, "drive.\(format)", in: folder).code == 0)
            let fixes = try await waypost("convert", "drive.\(format)", "-", "--to", "jsonl", in: folder).outputLines
                .count { $0.contains("\"lat\":") }
            var name = "drive.\(format)"
            if isPacked {
                name += ".gz"
                try folder.write(try Gzip.compress(Array(try folder.text("drive.\(format)").utf8)), to: name)
            }
            let run = try await track("--source", "\(format):\(name)?speed=0&times=original", in: folder)
            #expect(run.code == 0)
            let tracks = try folder.names(in: "log").filter { $0.hasSuffix(".gpx") }
            #expect(fixes > 500)
            #expect(try tracks.map { try GPXFile(path: folder.path("log/\($0)")).pointCount }.reduce(0, +) == fixes)
        }

        @Test func playsARecordingThatIsNamedAlone() async throws {
            let folder = try TestFolder()
            let table = "time,lat,lon\n2026-05-09T06:00:00Z,1,2\n2026-05-09T06:00:01Z,1,2.0001\n"
            try folder.write(try Gzip.compress(Array(table.utf8)), to: "a?speed=9.csv.gz")
            let run = try await track("a?speed=9.csv.gz", in: folder)
            #expect(run.code == 0)
            #expect(run.errors.contains(": 2 positions, 1 segment\n"))
            let nameless = try await track("drive", in: folder)
            #expect(nameless.code == 64)
            #expect(nameless.errors.hasPrefix("waypost: drive: its extension does not give a format that is played; use --source "))
            let both = try await track("a?speed=9.csv.gz", "--source", "sim:walk", in: folder)
            #expect(both.code == 64 && both.errors.contains("a recording is played alone, without --source"))
        }

        @Test func readsStandardInput() async throws {
            let folder = try TestFolder()
            try folder.write((0..<20).map { receiver.epoch($0).text }.joined(), to: "in.nmea")
            let command = "cat in.nmea | '\(Program.waypost.path)' run --source nmea:- \(TrackerProcess.options.joined(separator: " "))"
            let run = try await finish(["sh", "-c", command], in: folder)
            #expect(run.code == 0)
            #expect(run.errors.contains(": 20 positions, 1 segment\n"))
        }

        @Test func readsAFIFOAsItComes() async throws {
            let folder = try TestFolder()
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder)
            let watcher = try await tracker.watch("--json")
            for index in 0..<5 {
                try fifo.write(receiver.epoch(index).text)
                // Each is shown before the next one comes.
                #expect(await eventually { watcher.positions.count == index + 1 })
            }
            #expect(watcher.positions.map(\.time) == (0..<5).map { receiver.epoch($0).time })
            #expect(watcher.positions.map(\.coordinate) == (0..<5).map { receiver.epoch($0).coordinate })
            fifo.close()
            #expect(try await tracker.process.exit() == ProgramExit(code: 0))
            #expect(try await watcher.exit() == ProgramExit(code: 69))
            #expect(watcher.count(class: "LOST") == 1)
            #expect(try tracker.tracks.map(\.pointCount) == [5])
        }

        @Test func staysAfterTheEndWhenTold() async throws {
            let folder = try TestFolder()
            let tracker = try await TrackerProcess(source: "nmea:\(Package.drive)?speed=0", in: folder, options: ["--stay"])
            #expect(await eventually { (try? folder.names(in: "log/journal").contains { $0.hasSuffix(".journal") }) == true })
            var status = try await waypost("status", "--socket", "socket", in: folder)
            while !status.output.contains("finished") {
                try #require(tracker.process.ended == nil)
                status = try await waypost("status", "--socket", "socket", in: folder)
            }
            #expect(status.code == 1)
            let exit = try await tracker.stop()
            #expect(exit == ProgramExit(code: 0))
        }

        @Test(arguments: [SIGTERM, SIGINT, SIGHUP]) func finishesTheTrackWhenAskedToStop(signal: Int32) async throws {
            let folder = try TestFolder()
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder)
            let watcher = try await tracker.watch("--json", "--count", "3")
            for index in 0..<3 { try fifo.write(receiver.epoch(index).text) }
            #expect(try await watcher.exit() == ProgramExit(code: 0))
            let exit = try await tracker.stop(with: signal)
            #expect(exit == ProgramExit(code: 0))
            let tracks = try tracker.tracks
            #expect(tracks.map(\.times) == [(0..<3).map { receiver.epoch($0).time }])
            #expect(try await tracks[0].objections() == "")
            #expect(try folder.names().contains("socket") == false)
            fifo.close()
        }

        /// `timeout` sends its signal to the program and to its group.
        @Test func takesTwoSignalsWithinAMomentForOne() async throws {
            for _ in 0..<3 {
                let folder = try TestFolder()
                let fifo = try ReceiverFIFO("receiver", in: folder)
                let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder)
                let watcher = try await tracker.watch("--json", "--count", "1")
                try fifo.write(receiver.epoch(0).text)
                #expect(try await watcher.exit() == ProgramExit(code: 0))
                for _ in 0..<5 {
                    tracker.process.send(SIGTERM)
                    usleep(3_000)
                }
                #expect(try await tracker.stop() == ProgramExit(code: 0))
                #expect(try tracker.tracks.count == 1)
                fifo.close()
            }
        }

        @Test func writesNoMessagesIntoItsFilesWhenStandardErrorIsClosed() async throws {
            let folder = try TestFolder()
            let options = TrackerProcess.options.joined(separator: " ")
            let command = "'\(Program.waypostd.path)' --source 'nmea:\(Package.drive)?speed=0' \(options) <&- >&- 2>&-"
            let run = try await finish(["sh", "-c", command], in: folder)
            #expect(run.code == 0)
            for name in try folder.names(in: "log/journal") + folder.names(in: "state/kept/state").map({ "../../state/kept/state/" + $0 }) {
                let bytes = try? folder.text("log/journal/\(name)")
                #expect(bytes?.contains("waypostd:") != true, "\(name)")
            }
            let tracks = try folder.names(in: "log").filter { $0.hasSuffix(".gpx") }
            #expect(tracks.count == 1)
            #expect(try await GPXFile(path: folder.path("log/\(tracks[0])")).objections() == "")
        }
    }
}
