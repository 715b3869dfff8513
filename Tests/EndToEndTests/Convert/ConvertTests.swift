import Foundation
import Glibc
import Testing
import Waypost
import WaypostTestKit

extension EndToEnd {
    /// `waypost convert`: files, pipes, links and what must not be lost.
    struct ConvertTests {
        private let receiver = SimulatedReceiver()
        private var recording: String { (0..<10).map { receiver.epoch($0).text }.joined() }

        @Test func makesGPXThatKeepsToTheSchema() async throws {
            let folder = try TestFolder()
            let run = try await waypost("convert", Package.drive, "drive.gpx", in: folder)
            #expect(run.code == 0)
            #expect(run.output == "")
            let track = try GPXFile(path: folder.path("drive.gpx"))
            #expect(track.pointCount > 500)
            #expect(try await track.objections() == "")
            // Nothing else is left.
            #expect(try folder.names().filter { !$0.hasSuffix(".out") && !$0.hasSuffix(".err") } == ["drive.gpx"])
        }

        /// `convert *.gpx` where there are two; a script that names its output is not asked.
        @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script"), "no script(1)"))
        func asksOnATerminalBeforeItReplacesARecording() async throws {
            let folder = try TestFolder()
            try folder.write(recording, to: "in.nmea")
            try folder.write("precious", to: "out.gpx")
            let command = "\(Program.waypost.path) convert in.nmea out.gpx"
            let refused = try await shell("echo no | script -qec '\(command)' /dev/null", in: folder)
            #expect(refused.code == 1 && refused.output.contains("Replace out.gpx, which exists (8 bytes)?"), "\(refused)")
            #expect(try String(contentsOfFile: folder.path("out.gpx"), encoding: .utf8) == "precious")
            let forced = try await shell("echo no | script -qec '\(command) --force' /dev/null", in: folder)
            #expect(forced.code == 0, "\(forced)")
            #expect(try GPXFile(path: folder.path("out.gpx")).pointCount == 10)
            #expect(try await waypost("convert", "in.nmea", "out.gpx", in: folder).code == 0)
        }

        /// NMEA to NMEA leaves out sentences: whoever names one file twice would lose them.
        @Test(arguments: ["in.nmea", "./in.nmea", "link.nmea", "second.nmea"])
        func refusesToReplaceItsOwnInput(output: String) async throws {
            let folder = try TestFolder()
            try folder.write(recording, to: "in.nmea")
            try FileManager.default.createSymbolicLink(atPath: folder.path("link.nmea"), withDestinationPath: "in.nmea")
            try FileManager.default.linkItem(atPath: folder.path("in.nmea"), toPath: folder.path("second.nmea"))
            for refused in [
                try await waypost("convert", "in.nmea", output, in: folder),
                try await waypost("convert", "in.nmea", "-o", output, in: folder),
            ] {
                #expect(refused.code == 64, "\(refused)")
                #expect(
                    refused.errors
                        == "waypost: \(output): it is the input and the output; name another output, or replace the recording with --force\n"
                )
            }
            #expect(try folder.text("in.nmea") == recording)
            let expected = try await waypost("convert", "in.nmea", "-", "--to", "jsonl", in: folder).output
            #expect(try await waypost("convert", "in.nmea", output, "--to", "jsonl", "--force", in: folder).code == 0)
            #expect(try folder.text(output) == expected)
        }

        /// The shell opens what the command then reads and writes.
        @Test(arguments: [
            "- in.nmea --from nmea <in.nmea", "- link.nmea --from nmea <second.nmea", "- --output in.nmea --from nmea <in.nmea",
            "- other.nmea --output in.nmea --from nmea 0<>in.nmea", "in.nmea - --to nmea >>in.nmea", "in.nmea - --to nmea 1<>second.nmea",
            "- - --from nmea --to nmea <in.nmea >>in.nmea", "other.nmea - --output - --from nmea --to nmea <in.nmea 1<>in.nmea",
        ])
        func refusesToReplaceWhatTheShellHasOpened(words: String) async throws {
            let folder = try TestFolder()
            for name in ["in.nmea", "other.nmea"] { try folder.write(recording, to: name) }
            try FileManager.default.createSymbolicLink(atPath: folder.path("link.nmea"), withDestinationPath: "in.nmea")
            try FileManager.default.linkItem(atPath: folder.path("in.nmea"), toPath: folder.path("second.nmea"))
            let refused = try await shell("'\(Program.waypost.path)' convert \(words)", in: folder)
            #expect(refused.code == 64, "\(refused)")
            #expect(refused.errors.contains(": it is the input and the output; "), "\(refused)")
            #expect(try folder.text("in.nmea") == recording)
            if words.contains("1<>") || words.contains(">>") {
                // It would be read and written without end.
                #expect(try await shell("'\(Program.waypost.path)' convert --force \(words)", in: folder).code == 64)
            }
            if words.hasPrefix("- in.nmea") {
                #expect(try await shell("'\(Program.waypost.path)' convert --force \(words)", in: folder).code == 0)
                #expect(try folder.text("in.nmea") != recording)
            }
        }

        /// A terminal, or nothing, is what is read and written by most.
        @Test func readsFromTheDeviceThatItWritesTo() async throws {
            let folder = try TestFolder()
            let run = try await shell(
                "'\(Program.waypost.path)' convert - - --from nmea --to nmea 0<>/dev/null 1>&0; echo $? >&2", in: folder)
            #expect(run.errors.contains("holds nothing usable") && run.errors.hasSuffix("65\n"), "\(run)")
        }

        @Test func readsAndWritesStandardStreams() async throws {
            let folder = try TestFolder()
            let input = try folder.write(recording, to: "in.nmea")
            let run = try await finish(
                [Program.waypost.path, "convert", "-", "-", "--from", "nmea", "--to", "jsonl"], in: folder, input: .file(input))
            #expect(run.code == 0)
            #expect(run.errors == "")
            #expect(run.outputLines.count == 10)
            #expect(run.outputLines.allSatisfy { $0.hasPrefix("{\"class\":\"TPV\",") })
            let gpx = try await waypost("convert", input, "-", "--to", "gpx", in: folder)
            #expect(gpx.output.split(separator: "<trkpt").count == 11)
        }

        @Test func makesTheSameOfAPipe() async throws {
            let folder = try TestFolder()
            try folder.write(recording, to: "in.nmea")
            // A pipe whose writer makes pauses.
            let command = """
                (head -c 700 in.nmea; sleep 0.3; tail -c +701 in.nmea) | '\(Program.waypost.path)' convert - out.jsonl --from nmea
                """
            #expect(try await finish(["sh", "-c", command], in: folder).code == 0)
            let direct = try await waypost("convert", "in.nmea", "-", "--to", "jsonl", in: folder)
            #expect(try folder.text("out.jsonl") == direct.output)
        }

        @Test func waitsForTheWriterOfAFIFO() async throws {
            let folder = try TestFolder()
            try #require(mkfifo(folder.path("in"), 0o644) == 0)
            try folder.write(recording, to: "in.nmea")
            let convert = try ProgramProcess(.waypost, ["convert", "in", "out.jsonl", "--from", "nmea"], in: folder)
            try await Task.sleep(for: .milliseconds(300))
            #expect(convert.ended == nil)
            let writer = "(head -c 700 in.nmea; sleep 0.3; tail -c +701 in.nmea) >in"
            #expect(try await finish(["sh", "-c", writer], in: folder).code == 0)
            #expect(try await convert.exit() == ProgramExit(code: 0))
            #expect(try folder.text("out.jsonl").split(separator: "\n").count == 10)
        }

        @Test func keepsTheOldFileWhenTheInputIsOfNoUse() async throws {
            let folder = try TestFolder()
            var generator = SeededGenerator(seed: 1)
            try folder.write((0..<1_000_000).map { _ in UInt8.random(in: .min ... .max, using: &generator) }, to: "noise.nmea")
            try folder.write("", to: "empty.nmea")
            try folder.write("{\"class\":\"VERSION\"}\n", to: "version.jsonl")
            try folder.write("precious", to: "out.gpx")
            for (input, code) in [("noise.nmea", 65), ("empty.nmea", 65), ("version.jsonl", 65), ("missing.nmea", 66), (".", 66)]
                as [(String, Int32)]
            {
                let run = try await waypost("convert", input, "out.gpx", "--from", input.hasSuffix("jsonl") ? "jsonl" : "nmea", in: folder)
                #expect(run.code == code, "\(input)")
                #expect(run.complaints.contains { $0.hasPrefix("waypost: \(input): ") }, "\(run.errors)")
                #expect(try folder.text("out.gpx") == "precious", "\(input)")
            }
            #expect(try folder.names().allSatisfy { !$0.hasSuffix(".tmp") })
        }

        @Test func replacesTheOldFileAtOnce() async throws {
            let folder = try TestFolder()
            try folder.write(recording, to: "in.nmea")
            try folder.write("old", to: "out.jsonl")
            // Who has the old file open keeps it: it is replaced, not overwritten.
            let old = try #require(FileHandle(forReadingAtPath: folder.path("out.jsonl")))
            #expect(try await waypost("convert", "in.nmea", "out.jsonl", in: folder).code == 0)
            #expect(try old.readToEnd().map { String(decoding: $0, as: UTF8.self) } == "old")
            #expect(try folder.text("out.jsonl").hasPrefix("{"))
        }

        @Test(arguments: [true, false]) func writesThroughALink(targetExists: Bool) async throws {
            let folder = try TestFolder()
            try folder.write(recording, to: "in.nmea")
            try FileManager.default.createDirectory(atPath: folder.path("below"), withIntermediateDirectories: false)
            if targetExists { try folder.write("old", to: "below/target.gpx") }
            try FileManager.default.createSymbolicLink(atPath: folder.path("link.gpx"), withDestinationPath: "below/target.gpx")
            #expect(try await waypost("convert", "in.nmea", "link.gpx", in: folder).code == 0)
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.path("link.gpx")) == "below/target.gpx")
            #expect(try GPXFile(path: folder.path("below/target.gpx")).pointCount == 10)
        }

        @Test func writesIntoAFIFO() async throws {
            let folder = try TestFolder()
            try folder.write(recording, to: "in.nmea")
            try #require(mkfifo(folder.path("out"), 0o644) == 0)
            let reader = try ProgramProcess(["cat", "out"], in: folder)
            #expect(try await waypost("convert", "in.nmea", "out", "--to", "jsonl", in: folder).code == 0)
            #expect(try await reader.exit() == ProgramExit(code: 0))
            #expect(reader.output.split(separator: "\n").count == 10)
            var status = stat()
            #expect(lstat(folder.path("out"), &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
        }

        @Test func neverReplacesADevice() async throws {
            let folder = try TestFolder()
            try folder.write(recording, to: "in.nmea")
            #expect(try await waypost("convert", "in.nmea", "/dev/null", "--to", "gpx", in: folder).code == 0)
            var status = stat()
            #expect(lstat("/dev/null", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
            // A device that is full says so.
            let full = try await waypost("convert", "in.nmea", "/dev/full", "--to", "gpx", in: folder)
            #expect(full.code == 74)
            #expect(full.complaints.count == 1)
        }

        @Test func refusesOutputsThatCannotBe() async throws {
            let folder = try TestFolder()
            try folder.write(recording, to: "in.nmea")
            for output in ["missing/out.gpx", "."] {
                let run = try await waypost("convert", "in.nmea", output, "--to", "gpx", in: folder)
                #expect(run.code == 73, "\(output)")
                #expect(run.complaints.count == 1)
            }
        }

        @Test(arguments: [
            ["in.nmea", "out.kmz"], ["in.xyz", "out.gpx"], ["in.nmea", "-"], ["in.nmea", "out.gpx", "--from", "geojson"], ["in.nmea"],
        ])
        func refusesFormatsThatItDoesNotKnow(arguments: [String]) async throws {
            let folder = try TestFolder()
            try folder.write(recording, to: "in.nmea")
            try folder.write(recording, to: "in.xyz")
            let run = try await finish([Program.waypost.path, "convert"] + arguments, in: folder)
            #expect(run.code == 64)
            #expect(run.complaints.count == 1, "\(run.errors)")
        }

        @Test func readsWhatGpspipeWrites() async throws {
            let folder = try TestFolder()
            // Lines as of gpsd 3.22, made for this test; what is no report is passed over.
            try folder.write(
                """
                {"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}
                {"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/pts/1","driver":"NMEA0183","bps":9600}]}
                {"class":"WATCH","enable":true,"json":true}
                {"class":"TPV","device":"/dev/pts/1","mode":1}
                {"class":"SKY","device":"/dev/pts/1","hdop":0.90,"satellites":[{"PRN":2,"el":12.0,"az":34.0,"ss":31.0,"used":true}]}
                {"class":"TPV","device":"/dev/pts/1","mode":3,"time":"2026-03-01T12:00:01.000Z","lat":47.5,"lon":8.25,"altMSL":400.0,"epx":1.0}
                {"class":"TPV","device":"/dev/pts/1","mode":2,"time":"2026-03-01T12:00:02.000Z","lat":47.50001,"lon":8.25001

                {"class":"TPV","device":"/dev/pts/1","mode":3,"time":"2026-03-01T12:00:03.000Z","lat":47.50002,"lon":8.25002,"speed":1.5}
                """, to: "gpspipe.jsonl")
            let run = try await waypost("convert", "gpspipe.jsonl", "out.gpx", in: folder)
            #expect(run.code == 0)
            #expect(run.complaints.count == 1)
            #expect(run.errors.contains("line 7"))
            let track = try GPXFile(path: folder.path("out.gpx"))
            #expect(track.text.contains("lat=\"47.5\" lon=\"8.25\"") || track.text.contains("lat=\"47.500000"))
            #expect(track.pointCount == 2)
            #expect(try await track.objections() == "")
        }

        @Test func correctsRolledOverDatesOnlyWhenTold() async throws {
            let folder = try TestFolder()
            // 2006-07-16, 1024 weeks before 2026-03-01.
            let old = SimulatedReceiver(start: UTCTime(millisecondsSince1970: 1_772_366_400_000 - 1_024 * 604_800_000))
            try folder.write(old.epoch(0).text + old.epoch(1).text, to: "old.nmea")
            let kept = try await waypost("convert", "old.nmea", "-", "--to", "jsonl", in: folder)
            #expect(kept.output.contains("\"time\":\"2006-07-16T12:00:00.000Z\""))
            let corrected = try await waypost("convert", "old.nmea", "-", "--to", "jsonl", "--fix-rollover", in: folder)
            #expect(corrected.output.contains("\"time\":\"2026-03-01T12:00:00.000Z\""))
        }

        @Test func endsQuietlyWhenItsReaderGoes() async throws {
            let command = "set -o pipefail; '\(Program.waypost.path)' convert '\(Package.drive)' - --to jsonl | head -n 1"
            let run = try await finish(["bash", "-c", command], in: TestFolder())
            #expect(run.code == 0)
            #expect(run.outputLines.count == 1)
            #expect(run.errors == "")
        }

        @Test func needsNoMoreMemoryForMoreNoise() async throws {
            let folder = try TestFolder()
            var generator = SeededGenerator(seed: 7)
            func noise(_ megabytes: Int) -> Data {
                var data = Data(capacity: megabytes << 20)
                for _ in 0..<(megabytes << 17) { withUnsafeBytes(of: generator.next()) { data.append(contentsOf: $0) } }
                return data
            }
            try folder.write(noise(2), to: "small.nmea")
            try folder.write(noise(12), to: "large.nmea")
            var peaks: [Int] = []
            for name in ["small.nmea", "large.nmea"] {
                let converted = try await waypost("convert", name, "out.gpx", in: folder)
                #expect(converted.code == 65)
                let run = try await finish(
                    [Program.waypost.path, "run", "--source", "nmea:\(name)?speed=0"] + TrackerProcess.options, in: folder)
                #expect(run.code == 65)
                peaks += [converted.peakKilobytes, run.peakKilobytes]
            }
            #expect(peaks.allSatisfy { $0 > 0 })
            #expect(peaks[2] < peaks[0] + 2_048)
            #expect(peaks[3] < peaks[1] + 2_048)
        }
    }
}
