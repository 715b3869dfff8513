import Foundation
import Glibc
import Testing
import Waypost
import WaypostTestKit

extension EndToEnd {
    /// What nobody is told: no door of the tracker does.
    struct PrivacyTests {
        private let receiver = SimulatedReceiver()

        @Test func tellsNothingInsideAZone() async throws {
            let folder = try TestFolder()
            // In the middle of the drive.
            let zone = try #require(Coordinate(latitudeDegrees: 51.714533, longitudeDegrees: 10.262429))
            try folder.write("[privacy]\nzones = [\"client: \(zone.latitudeDegrees), \(zone.longitudeDegrees), 200 m\"]\n", to: "w.toml")
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"])
            let watcher = try await tracker.watch("--json")
            try fifo.write(String(decoding: try Data(contentsOf: URL(filePath: Package.drive)), as: UTF8.self))
            fifo.close()
            #expect(try await watcher.exit().code == 69)
            #expect(try await tracker.process.exit() == ProgramExit(code: 0))

            #expect(watcher.positions.count > 300)
            #expect(watcher.positions.allSatisfy { Geodesic.distanceMetres(from: zone, to: $0.coordinate) > 200 })
            #expect(watcher.output.contains("\"reason\":\"privacy_zone\""))
            let whole = try await waypost("convert", Package.drive, "-", "--to", "jsonl", in: folder).output
            let inside = whole.split(separator: "\n").compactMap { line -> Position? in
                guard case .position(let position)? = try? TPVCodec.decode(Array(line.utf8)) else { return nil }
                return Geodesic.distanceMetres(from: zone, to: position.coordinate) <= 200 ? position : nil
            }
            #expect(inside.count > 10)
            // Neither times nor places of these are anywhere on the disk.
            let files = try await finish(["sh", "-c", "cat log/*.gpx log/journal/*.journal | od -An -v -tx1 | tr -d ' \\n'"], in: folder)
                .output
            let tracks = try tracker.tracks
            #expect(tracks.count == 1 && tracks[0].segmentCount >= 2)
            for position in inside {
                let time = try #require(position.time)
                #expect(!tracks[0].times.contains(time))
                // A time in the journal is a varint of its milliseconds, sign in the lowest bit.
                var rest = UInt64(time.millisecondsSince1970) << 1
                var varint = ""
                while rest > 0 {
                    let byte = UInt8(rest & 0x7F) | (rest > 0x7F ? 0x80 : 0)
                    varint += (byte < 16 ? "0" : "") + String(byte, radix: 16)
                    rest >>= 7
                }
                #expect(!files.contains(varint))
            }
        }

        /// The place that stands for a zone is kilometres from where the device is, and in nobody's fence.
        @Test func findsNoFenceAtThePlaceThatStandsForAZone() async throws {
            let folder = try TestFolder()
            try folder.write(
                """
                {"type":"FeatureCollection","features":[{"type":"Feature","id":"depot","properties":{"radius":500},
                "geometry":{"type":"Point","coordinates":[10.3,51.7]}}]}
                """, to: "fences.geojson")
            try folder.write(
                """
                [privacy]
                zones = ["client: 51.714533, 10.262429, 200 m"]
                inside = "coarse"
                [geofences]
                file = "fences.geojson"
                rule = "exact"
                """, to: "w.toml")
            let run = [Program.waypostd.path, "--source", "nmea:\(Package.drive)?speed=0", "--config", "w.toml"] + TrackerProcess.options
            #expect(try await finish(run, in: folder).code == 0)
            let log = try await waypost("log", "export", "--log", "log", in: folder).output
            #expect(log.contains("\"lat\":51.7,\"lon\":10.3") && !log.contains("depot"), "\(log.suffix(500))")
        }

        /// What the run before knew, before somebody drew the zone; with a receiver that has no fix, then one inside.
        @Test(arguments: [true, false]) func tellsNoPlaceFromBeforeTheZoneWasDrawn(hasFix: Bool) async throws {
            let folder = try TestFolder()
            let epoch = receiver.epoch(0)
            try folder.write(epoch.text, to: "in.nmea")
            try folder.write(
                """
                {"type":"FeatureCollection","features":[{"type":"Feature","id":"shop","properties":{"radius":500},
                "geometry":{"type":"Point","coordinates":[\(epoch.coordinate.longitudeDegrees),\(epoch.coordinate.latitudeDegrees)]}}]}
                """, to: "fences.geojson")
            let fences = "[geofences]\nfile = \"fences.geojson\"\nrule = \"exact\"\n"
            try folder.write(fences, to: "w.toml")
            let first = [Program.waypostd.path, "--source", "nmea:in.nmea", "--config", "w.toml"] + TrackerProcess.options
            #expect(try await finish(first, in: folder).code == 0)
            #expect(FileManager.default.fileExists(atPath: folder.path("state/kept/state/last-position")))

            let zone = "\(epoch.coordinate.latitudeDegrees), \(epoch.coordinate.longitudeDegrees)"
            try folder.write(fences + "[privacy]\nzones = [\"home: \(zone), 200 m\"]\n", to: "w.toml")
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"])
            if hasFix { try fifo.write((0..<6).map { receiver.epoch($0).text }.joined()) }
            let watcher = try await tracker.watch("--json", "--significant")
            try await Task.sleep(for: .seconds(1))
            let status = try await waypost("status", "--json", "--socket", "socket", in: folder).output
            let object = try JSONParser().parse(Array(status.utf8))
            #expect(object["position"] == nil && object["last_position"] == nil && object["last"] == nil)
            #expect(object["privacy"]?["withheld"]?.bool == hasFix)
            if hasFix { #expect(object["fences"]?["count"]?.int == 1 && object["fences"]?["inside"] == nil) }
            #expect(watcher.positions.isEmpty)
            #expect(!FileManager.default.fileExists(atPath: folder.path("state/kept/state/last-position")))
            fifo.close()
            _ = try await tracker.stop()
        }

        /// Who lets a coarse place be told is not told that nothing is.
        @Test(arguments: ["nothing", "coarse"]) func saysWhatIsToldInsideAZone(inside: String) async throws {
            let folder = try TestFolder()
            let place = receiver.epoch(0).coordinate
            let zone = "\(place.latitudeDegrees), \(place.longitudeDegrees)"
            try folder.write("[privacy]\nzones = [\"home: \(zone), 200 m\"]\ninside = \"\(inside)\"\n", to: "w.toml")
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"])
            try fifo.write((0..<6).map { receiver.epoch($0).text }.joined())
            var status = ""
            let isInside = try await eventually {
                status = try await waypost("status", "--socket", "socket", in: folder).output
                return status.contains("inside a privacy zone: ")
            }
            let words = inside == "coarse" ? "only one coarse place for the whole zone is" : "nothing is"
            #expect(isInside && status.contains("inside a privacy zone: \(words) logged, sent"), "\(status)")
            fifo.close()
            _ = try await tracker.stop()
        }

        @Test func keepsTheSecretOfItsZonesToItself() async throws {
            let folder = try TestFolder()
            try folder.write(receiver.epoch(0).text, to: "in.nmea")
            func secret() throws -> String { try folder.text("state/kept/state/privacy-secret") }
            let plain = [Program.waypostd.path, "--source", "nmea:in.nmea"] + TrackerProcess.options
            // Who has no zone needs no secret, whatever became of it.
            #expect(try await finish(plain, in: folder).code == 0)
            #expect(throws: (any Error).self) { try secret() }
            try folder.write("oops", to: "state/kept/state/privacy-secret")
            #expect(try await finish(plain, in: folder).code == 0)
            #expect(try secret() == "oops")
            try FileManager.default.removeItem(atPath: folder.path("state/kept/state/privacy-secret"))
            try folder.write("[privacy]\nzones = [\"home: 52.51702, 13.38886, 250 m\"]\n", to: "zones.toml")
            let zoned = plain + ["--config", "zones.toml"]
            #expect(try await finish(zoned, in: folder).code == 0)
            let first = try secret()
            #expect(first.count == 33)
            #expect(
                try FileManager.default.attributesOfItem(atPath: folder.path("state/kept/state/privacy-secret"))[.posixPermissions] as? Int
                    == 0o600)
            #expect(try await finish(zoned, in: folder).code == 0)
            #expect(try secret() == first)
            // Another one would move the holes: rather no tracker than that.
            try folder.write("oops", to: "state/kept/state/privacy-secret")
            let refused = try await finish(zoned, in: folder)
            #expect(refused.code == 65 && refused.complaints.count == 1)
        }

        @Test func tellsNothingInPrivateModeNorAfterARestart() async throws {
            let folder = try TestFolder()
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder)
            let watcher = try await tracker.watch("--json")
            func write(_ epochs: Range<Int>) throws { try fifo.write(epochs.map { receiver.epoch($0).text }.joined()) }
            try write(0..<5)
            // The last epoch of a live receiver is complete when its sentences end as before: three cycles are learned from.
            #expect(await eventually { watcher.positions.count >= 4 })
            #expect(try await waypost("private", "--socket", "socket", in: folder).output == "off\n")
            #expect(try await waypost("private", "on", "--socket", "socket", in: folder).code == 0)
            let status = try await waypost("status", "--json", "--socket", "socket", in: folder)
            #expect(status.code == 0)
            let object = try JSONParser().parse(Array(status.output.utf8))
            #expect(object["privacy"]?["private"]?.bool == true && object["position"] == nil)
            let before = watcher.positions.count
            try write(5..<10)
            #expect(await eventually { watcher.count(class: "LOST") == 1 })
            try await Task.sleep(for: .milliseconds(500))
            #expect(watcher.positions.count == before)
            #expect(try await tracker.stop() == ProgramExit(code: 0))

            let again = try await TrackerProcess(source: "nmea:receiver", in: folder)
            #expect(try await waypost("private", "--socket", "socket", in: folder).output == "on\n")
            try write(20..<25)
            try await Task.sleep(for: .milliseconds(500))
            #expect(try await waypost("private", "off", "--socket", "socket", in: folder).code == 0)
            try write(30..<35)
            fifo.close()
            #expect(try await again.process.exit() == ProgramExit(code: 0))
            let seconds = try again.tracks.flatMap(\.times).map { ($0.millisecondsSince1970 - 1_772_366_400_000) / 1_000 }
            #expect(seconds.allSatisfy { $0 < 5 || $0 >= 30 }, "\(seconds)")
            #expect(seconds.contains { $0 >= 30 } && seconds.contains { $0 < 5 })
        }

        /// It must not end with the tracker unnoticed: status says so, and it is kept as soon as that is possible.
        @Test func saysThatPrivateModeIsNotKeptAndKeepsItLater() async throws {
            let folder = try TestFolder()
            try folder.write("[log]\nsync_interval = \"1 s\"\n", to: "waypost.toml")
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "waypost.toml"])
            let kept = folder.path("state/kept/state/private")
            // What it would write first is in the way, as a disk without room is.
            let obstacle = folder.path("state/kept/state/.private.\(tracker.process.processID).tmp")
            try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false)
            let refused = try await waypost("private", "on", "--socket", "socket", in: folder)
            #expect(
                refused.code == 73 && refused.complaints.first?.contains("is on, but only until the tracker ends") ?? false, "\(refused)")
            let status = try await waypost("status", "--socket", "socket", in: folder)
            #expect(status.code == 1 && status.output.contains("private mode is on only until the tracker ends"), "\(status)")
            try FileManager.default.removeItem(atPath: obstacle)
            #expect(await eventually(within: .seconds(10)) { FileManager.default.fileExists(atPath: kept) })
            let after = try await waypost("status", "--socket", "socket", in: folder)
            #expect(after.code == 0 && !after.output.contains("until the tracker ends"), "\(after)")
            fifo.close()
            _ = try await tracker.stop()
        }

        /// In a garage: status says what is missing, and not that private mode is on.
        @Test func saysWhatIsMissingAfterPrivateMode() async throws {
            let folder = try TestFolder()
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder)
            let watcher = try await tracker.watch("--json")
            try fifo.write((0..<5).map { receiver.epoch($0).text }.joined())
            #expect(await eventually { watcher.positions.count >= 4 })
            #expect(try await waypost("private", "on", "--socket", "socket", in: folder).code == 0)
            #expect(try await waypost("private", "off", "--socket", "socket", in: folder).code == 0)
            let status = try await waypost("status", "--json", "--socket", "socket", in: folder)
            let object = try JSONParser().parse(Array(status.output.utf8))
            #expect(object["source"]?["state"]?.string == "searching" && object["source"]?["reason"] == nil, "\(status.output)")
            #expect(object["search"]?["tried"] != nil)
            let words = try await waypost("status", "--socket", "socket", in: folder).output
            #expect(!words.contains("private"), "\(words)")
            let waiting = try await waypost("watch", "--timeout", "3", "--socket", "socket", in: folder)
            #expect(waiting.code == 75 && !(waiting.output + waiting.complaints.joined()).contains("there is a position"), "\(waiting)")
            fifo.close()
            _ = try await tracker.stop()
        }

        @Test(.enabled(if: Program.canRunAsNobody, "another user cannot reach the programs")) func isNoSwitchForEverybody() async throws {
            try #require(getuid() == 0)
            let folder = try TestFolder()
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder)
            let run = try await finish(
                Program.asNobody + [Program.waypost.path, "private", "on", "--socket", folder.path("socket")], in: folder)
            #expect(run.code == 77)
            #expect(try await waypost("private", "--socket", "socket", in: folder).output == "off\n")
            fifo.close()
            _ = try await tracker.stop()
        }
    }
}
