import Foundation
import Glibc
import Testing
import Waypost
import WaypostSystem
import WaypostTestKit

extension EndToEnd {
    /// What is erased is never sent, whatever could not be changed at that moment, and in the next run neither.
    @Suite struct ErasedDespiteFaultsTests {
        private let receiver = SimulatedReceiver()

        private func ask(_ words: String..., in folder: TestFolder) async throws -> Finished {
            try await finish([Program.waypost.path] + words + ["--socket", "socket"], in: folder)
        }

        private func erase(in folder: TestFolder) async throws -> Finished {
            try await ask("log", "erase", "--log", "log", "--from", "2026-03-01", "--to", "2026-03-02", "--yes", in: folder)
        }

        /// Drives through the gate while nothing can be sent, tells a secret, and ends in some way.
        private func run(in folder: TestFolder, then: (TrackerProcess) async throws -> Void) async throws {
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"])
            try fifo.write((0..<40).map { receiver.epoch($0).text }.joined())
            #expect(try await eventually { try await ask("status", in: folder).output.contains("exit Gate") })
            #expect(try await ask("track", "secret", in: folder).code == 0)
            try await then(tracker)
            fifo.close()
            try FileManager.default.removeItem(atPath: folder.path("receiver"))
        }

        /// What the next run sends, which has no fix.
        private func sentByTheNext(in folder: TestFolder, to server: FlakyServer) async throws -> [JSONValue] {
            try server.setMode("good")
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"])
            for _ in 0..<2 { #expect(try await ask("dispatch", "now", "--wait", in: folder).code == 0) }
            #expect(try await tracker.stop() == ProgramExit(code: 0))
            fifo.close()
            return try server.received()
        }

        /// The list of what is erased goes with the log.
        @Test(arguments: [false, true]) func isNotSentWhenTheLogHasGone(isMoved: Bool) async throws {
            let folder = try TestFolder()
            let server = try await FlakyServer("status 503")
            try folder.writeGate(sendingTo: server.url)
            let known = folder.path("state/kept/state/log-folders")
            try await run(in: folder) { tracker in
                let other = try SQLiteDatabase(path: folder.path("state/kept/state/outbox.sqlite"))
                try other.execute("BEGIN IMMEDIATE")
                #expect(try await erase(in: folder).code == 73)
                #expect(try String(contentsOfFile: known, encoding: .utf8).contains("\"outbox\":true"))
                if isMoved { try FileManager.default.moveItem(atPath: folder.path("log"), toPath: folder.path("moved")) }
                #expect(try await tracker.stop(with: SIGKILL).signal == SIGKILL)
                try other.execute("ROLLBACK")
                if !isMoved { try FileManager.default.removeItem(atPath: folder.path("log")) }
            }
            #expect(try await sentByTheNext(in: folder, to: server).isEmpty)
            #expect(try String(contentsOfFile: known, encoding: .utf8).contains("outbox") == false)
        }

        /// Makes a small disk of the log for as long as the body runs.
        private func withLogDisk(in folder: TestFolder, _ body: () async throws -> Void) async throws {
            try FileManager.default.createDirectory(atPath: folder.path("log"), withIntermediateDirectories: true)
            guard mount("tmpfs", folder.path("log"), "tmpfs", 0, "size=6m") == 0 else {
                return print("\(#function) skipped: no tmpfs can be mounted")
            }
            defer { umount2(folder.path("log"), Int32(MNT_DETACH)) }
            try await body()
        }

        private func fill(_ folder: TestFolder) async throws {
            _ = try await finish(["sh", "-c", "cat /dev/zero >>log/ballast"], in: folder)
            #expect(try await finish(["sh", "-c", "! echo x >log/more"], in: folder).code == 0)
        }

        /// Neither the log nor the outbox can be changed.
        @Test func isNotSentWhenTheLogIsFullAndTheOutboxLocked() async throws {
            let folder = try TestFolder()
            let server = try await FlakyServer("status 503")
            try folder.writeGate(sendingTo: server.url, settings: "[log]\nmin_free = 0\n")
            try await withLogDisk(in: folder) {
                try await run(in: folder) { tracker in _ = try await tracker.stop(with: SIGKILL) }
                try await fill(folder)
                let other = try SQLiteDatabase(path: folder.path("state/kept/state/outbox.sqlite"))
                try other.execute("BEGIN IMMEDIATE")
                let fifo = try ReceiverFIFO("receiver", in: folder)
                let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"])
                #expect(try await erase(in: folder).code == 73)
                #expect(try await tracker.stop(with: SIGKILL).signal == SIGKILL)
                fifo.close()
                try FileManager.default.removeItem(atPath: folder.path("receiver"))
                try other.execute("ROLLBACK")
                try FileManager.default.removeItem(atPath: folder.path("log/ballast"))
                #expect(try await sentByTheNext(in: folder, to: server).isEmpty)
                #expect(try await ask("log", "export", "--log", "log", in: folder).output.isEmpty)
            }
        }

        /// What is erased has taken more room than the order to erase it needs.
        @Test(arguments: [SIGTERM, SIGKILL]) func isErasedOnAFullDiskWithoutATracker(signal: Int32) async throws {
            let folder = try TestFolder()
            let server = try await FlakyServer("status 503")
            try folder.writeGate(sendingTo: server.url, settings: "[log]\nmin_free = 0\n")
            try await withLogDisk(in: folder) {
                try await run(in: folder) { tracker in _ = try await tracker.stop(with: signal) }
                try await fill(folder)
                let erased = try await erase(in: folder)
                #expect(erased.code == 0 && erased.output == "erased 40 positions from 1 track\n", "\(erased)")
                #expect(try folder.names(in: "log").allSatisfy { !$0.hasSuffix(".gpx") })
                try FileManager.default.removeItem(atPath: folder.path("log/ballast"))
                #expect(try await ask("log", "verify", "--log", "log", in: folder).code == 0)
                #expect(try await ask("log", "export", "--log", "log", in: folder).output.isEmpty)
                #expect(try await sentByTheNext(in: folder, to: server).isEmpty)
            }
        }

        /// Two at once are two, and none is told that somebody records there.
        @Test func isErasedByEachOfTwoCommands() async throws {
            let folder = try TestFolder()
            let server = try await FlakyServer("status 503")
            try folder.writeGate(sendingTo: server.url)
            try await run(in: folder) { tracker in _ = try await tracker.stop() }
            let parts = [("12:00:00Z", "12:00:10Z"), ("12:00:20Z", "12:00:30Z"), ("12:00:35Z", "12:00:40Z")]
            let runs = try await withThrowingTaskGroup(of: Finished.self) { group in
                for (from, to) in parts {
                    group.addTask {
                        try await ask(
                            "log", "erase", "--log", "log", "--from", "2026-03-01T\(from)", "--to", "2026-03-01T\(to)", "--yes", in: folder)
                    }
                }
                return try await group.reduce(into: [Finished]()) { $0.append($1) }
            }
            #expect(runs.allSatisfy { $0.code == 0 }, "\(runs)")
            let left = try await ask("log", "export", "--log", "log", in: folder).output.split(separator: "\n")
            #expect(left.count == 15)
        }

        /// A tracker that records nothing has the stretch in what it sends and tells.
        @Test(arguments: [false, true]) func isErasedWhereNothingIsRecorded(isNamed: Bool) async throws {
            let folder = try TestFolder()
            let server = try await FlakyServer("status 503")
            try folder.writeGate(sendingTo: server.url, settings: "[log]\ntypes = []\n")
            try folder.write(folder.text("w.toml") + "positions = false\n", to: "w.toml")
            try await run(in: folder) { tracker in
                let place = isNamed ? ["--log", "log"] : []
                let erased = try await finish(
                    [Program.waypost.path, "log", "erase", "--from", "2026-03-01", "--to", "2026-03-02", "--yes", "--socket", "socket"]
                        + place,
                    in: folder)
                #expect(erased.code == 0 && erased.output == "erased 0 positions from 0 tracks\n", "\(erased)")
                try server.setMode("good")
                #expect(try await ask("dispatch", "now", "--wait", in: folder).code == 0)
                #expect(try server.received().isEmpty)
                #expect(try await ask("status", "--json", in: folder).output.contains("\"lat\"") == false)
                #expect(try await tracker.stop(with: SIGKILL).signal == SIGKILL)
            }
            #expect(try await sentByTheNext(in: folder, to: server).isEmpty)
        }
    }
}
