import Foundation
import Glibc
import Testing
import Waypost
import WaypostTestKit

extension EndToEnd {
    /// A disk without a free byte that finished tracks could free.
    @Suite struct FullLogDiskTests {
        private let receiver = SimulatedReceiver()

        private func status(in folder: TestFolder) async throws -> JSONValue {
            let run = try await finish([Program.waypost.path, "status", "--json", "--socket", "socket"], in: folder)
            return try JSONParser().parse(Array(run.output.utf8))
        }

        private func stems(in folder: TestFolder) throws -> [String] {
            try folder.names(in: "log").filter { $0.hasSuffix(".gpx") }.sorted()
        }

        private func fill(_ folder: TestFolder) async throws {
            _ = try await finish(["sh", "-c", "cat /dev/zero >>log/ballast"], in: folder)
            #expect(try await finish(["sh", "-c", "! echo x >log/more"], in: folder).code == 0)
        }

        @Test func losesItsOldestTracksWhetherItFillsBeforeTheStartOrLater() async throws {
            let folder = try TestFolder()
            try FileManager.default.createDirectory(atPath: folder.path("log"), withIntermediateDirectories: true)
            guard mount("tmpfs", folder.path("log"), "tmpfs", 0, "size=6m") == 0 else {
                return print("\(#function) skipped: no tmpfs can be mounted")
            }
            defer { umount2(folder.path("log"), Int32(MNT_DETACH)) }
            try folder.write("[log]\nmin_free = \"12 kB\"\n", to: "w.toml")
            let fifo = try ReceiverFIFO("receiver", in: folder)
            var epoch = 0
            func drive(_ count: Int) throws {
                try fifo.write((epoch..<epoch + count).map { receiver.epoch($0).text }.joined())
                epoch += count
            }
            var tracker = try await TrackerProcess(source: "nmea:receiver?speed=0", in: folder, options: ["--config", "w.toml"])
            for count in 1...6 {
                try drive(40)
                let logged = 40 * count - 2
                #expect(try await eventually { try await status(in: folder)["log"]?["positions"]?.int ?? 0 >= logged })
                _ = try await finish([Program.waypost.path, "log", "rotate", "--socket", "socket"], in: folder)
            }
            let all = try stems(in: folder)
            #expect(all.count == 6)
            // The open journal has room yet: nobody is told anything, and nothing fails.
            try drive(1)
            try await fill(folder)
            func isRelieved() async throws -> Bool {
                try drive(1)
                let isPaused = try await status(in: folder).isPaused
                return try !isPaused && stems(in: folder).first != all.first
            }
            #expect(try await eventually(within: .seconds(40)) { try await isRelieved() }, "\(tracker.process.errors)")
            #expect(try stems(in: folder).last == all.last)
            #expect(!tracker.process.errors.contains("cannot be deleted") && !tracker.process.errors.contains("logging is paused"))
            #expect(try await tracker.stop() == ProgramExit(code: 0), "\(tracker.process.errors)")

            let rest = try stems(in: folder)
            try await fill(folder)
            tracker = try await TrackerProcess(source: "nmea:receiver?speed=0", in: folder, options: ["--config", "w.toml"])
            func isRelievedAgain() async throws -> Bool {
                try drive(1)
                let logged = try await status(in: folder)["log"]?["positions"]?.int ?? 0
                return try logged > 3 && stems(in: folder).first != rest.first
            }
            #expect(try await eventually(within: .seconds(40)) { try await isRelievedAgain() }, "\(tracker.process.errors)")
            #expect(try await !status(in: folder).isPaused)
            #expect(!tracker.process.errors.contains("cannot be deleted"), "\(tracker.process.errors)")
            #expect(try await finish(["sh", "-c", "cd log && sha256sum --check --strict --quiet SHA256SUMS"], in: folder).code == 0)
            try FileManager.default.removeItem(atPath: folder.path("log/ballast"))
            #expect(try await tracker.stop() == ProgramExit(code: 0), "\(tracker.process.errors)")
            fifo.close()
            #expect(try await finish([Program.waypost.path, "log", "verify", "--log", "log"], in: folder).code == 0)
        }
    }
}

extension JSONValue {
    /// Whether a status says that nothing can be logged.
    fileprivate var isPaused: Bool { self["log"]?["recording"]?.bool == false }
}
