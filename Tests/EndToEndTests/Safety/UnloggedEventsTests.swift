import Foundation
import Glibc
import Testing
import Waypost
import WaypostTestKit

extension EndToEnd {
    /// Fence events that the log cannot take, or that nobody can read out of it.
    @Suite struct UnloggedEventsTests {
        private let receiver = SimulatedReceiver()

        private func status(in folder: TestFolder) async throws -> (problems: [String], events: [JSONValue]) {
            let run = try await finish([Program.waypost.path, "status", "--json", "--socket", "socket"], in: folder)
            let status = try JSONParser().parse(Array(run.output.utf8))
            return ((status["problems"]?.array ?? []).compactMap(\.string), status["events"]?.array ?? [])
        }

        /// A fence around the place of an epoch, which takes about fourteen to pass.
        private func writeFence(around epoch: Int, in folder: TestFolder, more: String = "") throws {
            let place = receiver.epoch(epoch).coordinate
            try folder.write(
                #"{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"Point","coordinates":"#
                    + #"[\#(place.longitudeDegrees),\#(place.latitudeDegrees)]},"properties":{"name":"Gate","radius":100}}]}"#,
                to: "fences.geojson")
            try folder.write("[geofences]\nfile = \"fences.geojson\"\nrule = \"exact\"\n" + more, to: "w.toml")
        }

        private func write(_ epochs: Range<Int>, to fifo: ReceiverFIFO) throws {
            try fifo.write(epochs.map { receiver.epoch($0).text }.joined())
        }

        @Test func comeIntoTheLogWhenItsDiskHasRoomAgain() async throws {
            let folder = try TestFolder()
            try FileManager.default.createDirectory(atPath: folder.path("log"), withIntermediateDirectories: true)
            guard mount("tmpfs", folder.path("log"), "tmpfs", 0, "size=256k") == 0 else {
                print("\(#function) skipped: no tmpfs can be mounted")
                return
            }
            defer { umount2(folder.path("log"), Int32(MNT_DETACH)) }
            try writeFence(around: 700, in: folder)
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver?speed=0", in: folder, options: ["--config", "w.toml"])
            try write(0..<20, to: fifo)
            #expect(await eventually { (try? folder.names(in: "log/journal").contains { $0.hasSuffix(".journal") }) == true })
            _ = try await finish(["sh", "-c", "head -c 1M /dev/zero >log/ballast"], in: folder)
            try write(20..<740, to: fifo)
            #expect(try await eventually { try await status(in: folder).problems.contains("2 events wait for the log") })
            try FileManager.default.removeItem(atPath: folder.path("log/ballast"))
            try write(740..<760, to: fifo)
            #expect(try await eventually { try await !status(in: folder).problems.contains { $0.contains("wait for the log") } })
            fifo.close()
            #expect(try await tracker.process.exit() == ProgramExit(code: 0), "\(tracker.process.errors)")
            // With their own times, before those of the fixes that were logged before them.
            let waypoints = try folder.names(in: "log").filter { $0.hasSuffix(".gpx") }.flatMap { name in
                try folder.text("log/\(name)").matches(of: /<wpt .*?<time>(.*?)<\/time>.*?<name>(.*?)<\/name>/).map { ($0.1, $0.2) }
            }
            #expect(waypoints.count == 2, "\(waypoints)")
            #expect(waypoints.allSatisfy { $0.0 < "2026-03-01T12:12:20" })
        }

        @Test func areSaidNotToBeSentWhileTheLogCannotBeRead() async throws {
            let folder = try TestFolder()
            try writeFence(around: 20, in: folder, more: "[[destination]]\nname = \"home\"\nurl = \"http://127.0.0.1:9/\"\ninterval = 0\n")
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver?speed=0", in: folder, options: ["--config", "w.toml"])
            try write(0..<4, to: fifo)
            #expect(await eventually { FileManager.default.fileExists(atPath: folder.path("state/kept/state/fences-known")) })
            try FileManager.default.copyItem(atPath: folder.path("state"), toPath: folder.path("old"))
            try write(4..<40, to: fifo)
            fifo.close()
            #expect(try await tracker.process.exit() == ProgramExit(code: 0))
            // The outbox and the fences know nothing of what the log has; and that is not to be read.
            try FileManager.default.removeItem(atPath: folder.path("state"))
            try FileManager.default.moveItem(atPath: folder.path("old"), toPath: folder.path("state"))
            try FileManager.default.removeItem(atPath: folder.path("receiver"))
            let name = try #require(try folder.names(in: "log/journal").first { $0.hasSuffix(".journal") })
            let journal = folder.path("log/journal/\(name)")
            try FileManager.default.moveItem(atPath: journal, toPath: folder.path("aside"))
            try FileManager.default.createDirectory(atPath: journal, withIntermediateDirectories: false)

            let next = try ReceiverFIFO("receiver", in: folder)
            let second = try await TrackerProcess(source: "nmea:receiver?speed=0", in: folder, options: ["--config", "w.toml"])
            func isTold() async throws -> Bool {
                try await status(in: folder).problems.contains { $0.hasPrefix("events in the log may not be sent: ") }
            }
            #expect(try await eventually { try await isTold() }, "\(second.process.errors)")
            try FileManager.default.removeItem(atPath: journal)
            try FileManager.default.moveItem(atPath: folder.path("aside"), toPath: journal)
            #expect(try await eventually(within: .seconds(30)) { try await !isTold() }, "\(second.process.errors)")
            #expect(second.process.errors.contains("the events in the log can be read again"))
            #expect(try await second.stop() == ProgramExit(code: 0))
            next.close()
        }
    }
}
