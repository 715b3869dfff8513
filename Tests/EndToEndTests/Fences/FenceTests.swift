import Foundation
import Testing
import Waypost
import WaypostSystem
import WaypostTestKit

extension EndToEnd {
    /// Fences of a running tracker.
    struct FenceTests {
        /// The bundled drive passes these.
        private func configuration(in folder: TestFolder) throws -> String {
            try folder.write(
                """
                {"type":"FeatureCollection","features":[
                 {"type":"Feature","properties":{"name":"Start","radius":60},"geometry":{"type":"Point","coordinates":[10.2410,51.7325]}},
                 {"type":"Feature","properties":{"name":"Far","radius":60},"geometry":{"type":"Point","coordinates":[0,0]}}]}
                """, to: "fences.geojson")
            return try folder.write("[geofences]\nfile = \"fences.geojson\"\nrule = \"exact\"\n", to: "waypost.toml")
        }

        @Test func tellsTheLogAndThoseWhoWatch() async throws {
            let folder = try TestFolder()
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let options = ["--config", try configuration(in: folder)]
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder, options: options)
            let watcher = try await tracker.watch("--json", "--events", "--count", "1", "--timeout", "60")
            try fifo.write(String(contentsOfFile: Package.drive, encoding: .utf8))
            #expect(try await watcher.exit() == ProgramExit(code: 0))
            let event = try JSONParser().parse(Array(watcher.output.utf8).dropLast())
            #expect(event["class"]?.string == "EVENT")
            #expect(event["event"]?.string == "exit")
            #expect(event["fence"]?.string == "Start")
            let screen = try await waypost("status", "--socket", "socket", in: folder)
            #expect(screen.output.contains("2 fences"))
            #expect(screen.output.contains("exit Start"))
            #expect(try await waypost("status", "--json", "--socket", "socket", in: folder).output.contains("\"lat\""))
            #expect(try await waypost("private", "on", "--socket", "socket", in: folder).code == 0)
            let secret = try await waypost("status", "--json", "--socket", "socket", in: folder).output
            #expect(secret.contains("\"exit\"") && !secret.contains("\"lat\"") && !secret.contains("\"lon\""), "\(secret)")
            #expect(try await waypost("private", "off", "--socket", "socket", in: folder).code == 0)
            fifo.close()
            _ = try await tracker.process.exit()
            let waypoints = try tracker.tracks.map(\.text).joined()
            #expect(waypoints.split(separator: "<wpt").count == 2)
            #expect(waypoints.contains("<name>Start</name>"))
        }

        @Test func changesTheFencesOfARunningTracker() async throws {
            let folder = try TestFolder()
            let options = ["--config", try configuration(in: folder)]
            let first = try await TrackerProcess(source: "sim:walk", in: folder, options: options)
            func fences(_ arguments: String...) async throws -> Finished {
                try await finish([Program.waypost.path, "fences"] + arguments + ["--socket", "socket"], in: folder)
            }
            #expect(try await fences("add", "Home", "--at", "46.95,7.96", "--radius", "100").code == 0)
            let list = try await fences("list")
            let words = list.outputLines.map { $0.split(separator: "  ").map { $0.drop { $0 == " " } } }
            #expect(
                words.map { $0.prefix(3) } == [
                    ["Start", "circle 60 m", "51.73250 N 10.24100 E"], ["Far", "circle 60 m", "0.00000 N 0.00000 E"],
                    ["Home", "circle 100 m", "46.95000 N 7.96000 E"],
                ])
            #expect(words.map { $0.last == "added" } == [false, false, true])
            let removal = try await fences("remove", "Start")
            #expect(removal.code == 77)
            #expect(removal.errors.contains("fence file of the configuration"))
            try folder.write(
                #"[{"name":"Shop","latitude":46.9,"longitude":7.9,"radius":30,"trigger_on_enter":true,"trigger_on_exit":true}]"#,
                to: "t.json")
            let imports = [try await fences("import", "t.json"), try await fences("import", "t.json")]
            #expect(imports.map(\.code) == [0, 0])
            #expect(imports.map(\.output) == ["imported 1 fence, all new\n", "imported 1 fence: 0 new, 1 replaced\n"])
            #expect(try await fences("export", "all.kml").code == 0)
            #expect(try await waypost("fences", "check", "all.kml", in: folder).code == 0)
            #expect(try await fences("active").outputLines.count == 4)
            _ = try await first.stop()
            let second = try await TrackerProcess(source: "sim:walk", in: folder, options: options)
            #expect(try await fences("list", "--json").outputLines.count == 4)
            #expect(try await fences("remove", "Home").code == 0)
            #expect(try await fences("list").outputLines.count == 3)
            // The file is read again when it has changed.
            try folder.write(#"{"type":"FeatureCollection","features":[]}"#, to: "fences.geojson")
            let last = try await fences("list").outputLines
            #expect(last.count == 1 && last[0].hasPrefix("Shop  circle 30 m") && last[0].hasSuffix("added"), "\(last)")
            _ = try await second.stop()
        }

        /// Each part of an import that were a change of its own would write all fences: some 700 of 64 kB here.
        @Test func importsManyAsOneChange() async throws {
            let folder = try TestFolder()
            let tracker = try await TrackerProcess(source: "sim:walk", in: folder, options: ["--config", try configuration(in: folder)])
            let features = (0..<20_000).map { number in
                """
                {"type":"Feature","properties":{"name":"Fence \(number)","radius":50},
                 "geometry":{"type":"Point","coordinates":[\(Double(number % 360) - 179.5),\(Double(number / 360) - 40.5)]}}
                """
            }
            try folder.write("{\"type\":\"FeatureCollection\",\"features\":[\(features.joined(separator: ","))]}", to: "many.geojson")
            let written = try tracker.process.writtenByteCount
            let clock = ContinuousClock()
            let start = clock.now
            let run = try await waypost("fences", "import", "many.geojson", "--socket", "socket", in: folder)
            #expect(run.code == 0 && run.complaints.allSatisfy { $0.contains(": warning: ") }, "\(run.errors)")
            // A debug build in a crowd; the old way takes minutes.
            #expect(clock.now - start < .seconds(60))
            let size =
                try FileManager.default.attributesOfItem(atPath: folder.path("state/kept/state/fences-added.geojson"))[.size] as? Int ?? 0
            #expect(try tracker.process.writtenByteCount - written < 2 * size + 4_000_000)
            #expect(try await waypost("fences", "list", "--socket", "socket", in: folder).outputLines.count == 20_002)
            #expect(try await tracker.stop().code == 0)
        }

        /// Half an import is none.
        @Test func forgetsAnImportThatEndsInTheMiddle() async throws {
            let folder = try TestFolder()
            let tracker = try await TrackerProcess(source: "sim:walk", in: folder, options: ["--config", try configuration(in: folder)])
            let descriptor = try UnixSocket.connect(folder.path("socket"))
            let part =
                #"{"request":"fences_add","more":true,"fences":{"type":"Feature","properties":{"name":"Half","radius":9},"#
                + #""geometry":{"type":"Point","coordinates":[1,2]}}}"#
            try UnixSocket.sendAll(descriptor, Array((part + "\n").utf8))
            #expect(try FenceTests.line(2, of: descriptor)["waiting"]?.int == 1)
            Syscalls.close(descriptor)
            #expect(try await waypost("fences", "add", "Whole", "--at", "1,2", "--radius", "9", "--socket", "socket", in: folder).code == 0)
            #expect(try await waypost("fences", "list", "--socket", "socket", in: folder).outputLines.count == 3)
            #expect(try await tracker.stop().code == 0)
        }

        /// The answer on a line of what the tracker sends.
        private static func line(_ number: Int, of descriptor: Int32) throws -> JSONValue {
            var answers: [UInt8] = []
            while answers.count(where: { $0 == UInt8(ascii: "\n") }) < number {
                let piece = try Syscalls.read(descriptor, upTo: 65_536)
                try #require(!piece.isEmpty, "the tracker is gone")
                answers += piece
            }
            return try JSONParser().parse(Array(answers.split(separator: UInt8(ascii: "\n"))[number - 1]))
        }

        /// Whatever number a client says, the list is empty from there on, and the tracker goes on.
        @Test(arguments: ["3", "9223372036854775807", "1e300", "-1"]) func listsFromAnyNumber(from: String) async throws {
            let folder = try TestFolder()
            let options = ["--config", try configuration(in: folder)]
            let tracker = try await TrackerProcess(source: "sim:walk", in: folder, options: options)
            #expect(try await eventually { try await waypost("fences", "list", "--socket", "socket", in: folder).outputLines.count >= 2 })
            let descriptor = try UnixSocket.connect(folder.path("socket"))
            defer { Syscalls.close(descriptor) }
            try UnixSocket.sendAll(descriptor, Array("{\"request\":\"fences_list\",\"from\":\(from)}\n".utf8))
            let answer = try FenceTests.line(2, of: descriptor)
            if answer["class"]?.string == "FENCES" {
                #expect(answer["total"]?.int == 2 && answer["fences"]?.array == [] && answer["next"] == nil)
            } else {
                #expect(answer["code"]?.string == "bad_request")
            }
            #expect(try await tracker.stop().code == 0)
        }

        /// Place, dwell, expiry, side and distance; in private mode nothing that would tell where the device is.
        @Test func listsWhatAFenceIs() async throws {
            let folder = try TestFolder()
            let fifo = try ReceiverFIFO("receiver", in: folder)
            try folder.write(
                """
                {"type":"FeatureCollection","features":[
                 {"type":"Feature","properties":{"name":"Here","radius":500,"dwell_seconds":300},"geometry":{"type":"Point","coordinates":[8.54,47.378]}},
                 {"type":"Feature","properties":{"name":"Old","radius":60,"expires":"2020-01-01T00:00:00Z"},"geometry":{"type":"Point","coordinates":[8.5,47]}},
                 {"type":"Feature","properties":{"name":"South","radius":60,"expires":"2126-01-01T00:00:00Z"},"geometry":{"type":"Point","coordinates":[8.54,46.478]}}]}
                """, to: "fences.geojson")
            let options = ["--config", try folder.write("[geofences]\nfile = \"fences.geojson\"\nrule = \"exact\"\n", to: "waypost.toml")]
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder, options: options)
            func list(_ arguments: String..., environment: [String: String] = ["TZ": "Asia/Tokyo"]) async throws -> [String] {
                let command = [Program.waypost.path, "fences", "list", "--socket", "socket"]
                return try await finish(command + arguments, in: folder, environment: environment).outputLines
            }
            #expect(try await list().allSatisfy { !$0.contains("inside") && !$0.contains("km") })
            let watcher = try await tracker.watch("--json", "--count", "2")
            let receiver = SimulatedReceiver()
            for index in 0..<4 { try fifo.write(receiver.epoch(index).text) }
            #expect(try await watcher.exit() == ProgramExit(code: 0))

            let text = try await list()
            #expect(
                text[0].contains("circle 500 m  47.37800 N 8.54000 E") && text[0].contains("inside, ") && text[0].hasSuffix("dwell 5 min"))
            #expect(text[1].hasSuffix("expired 2020-01-01 09:00"))
            #expect(text[2].contains("100 km") && text[2].hasSuffix("expires 2126-01-01 09:00"), "\(text[2])")
            #expect(try await list("--units", "imperial")[2].contains(" mi away  "))
            let values = try await list("--json").map { try JSONParser().parse(Array($0.utf8)) }
            #expect(values.map { $0["lat"]?.double } == [47.378, 47, 46.478])
            #expect(values.map { $0["inside"]?.bool } == [true, nil, false])
            #expect(values.map { $0["expired"]?.bool } == [nil, true, nil])
            #expect((values[0]["distance"]?.double ?? 1) < 0 && (values[2]["distance"]?.double ?? 0) > 99_000)

            #expect(try await waypost("private", "on", "--socket", "socket", in: folder).code == 0)
            for line in try await list("--json") { #expect(!line.contains("distance") && !line.contains("inside")) }
            #expect(try await waypost("fences", "active", "--socket", "socket", in: folder).output == "")
            fifo.close()
            _ = try await tracker.stop()
        }

        @Test func refusesANameThatTellsNoFormat() async throws {
            let folder = try TestFolder()
            let run = try await waypost("fences", "export", "x.foo", "--socket", "socket", in: folder)
            #expect(run.code == 64 && run.errors.contains("--format"))
            #expect(try folder.names(in: ".").contains("x.foo") == false)
        }

        @Test(arguments: [
            ["add", "", "--at", "1,2", "--radius", "5"], ["add", "X", "--id", "", "--at", "1,2", "--radius", "5"],
            ["add", "X", "--at", "91,0", "--radius", "5"], ["add", "X", "--at", "1", "--radius", "5"],
            ["add", "X", "--at", "1,2", "--radius", "0"], ["add", "X", "--at", "1,2", "--radius", "5", "--dwell", "-1"],
        ]) func refusesWhatIsNoFence(arguments: [String]) async throws {
            let run = try await finish([Program.waypost.path, "fences"] + arguments, in: TestFolder())
            #expect(run.code == 64)
            #expect(run.complaints.count == 1)
        }
    }
}
