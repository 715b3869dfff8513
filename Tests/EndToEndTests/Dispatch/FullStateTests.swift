import Foundation
import Glibc
import Testing
import Waypost
import WaypostTestKit

extension EndToEnd {
    /// The disk of the state folder is full, where the outbox is, and what is known of the log's numbers and folders.
    @Suite(.enabled(if: getuid() == 0, "only root can mount a small disk")) struct FullStateTests {
        private func ask(_ words: String..., in folder: TestFolder) async throws -> Finished {
            try await finish([Program.waypost.path] + words + ["--socket", "socket"], in: folder)
        }

        private func loggedCount(_ folder: TestFolder) async throws -> Int {
            let status = try await ask("status", "--json", in: folder).output
            return (try? JSONParser().parse(Array(status.utf8)))?["log"]?["positions"]?.int ?? 0  // Before it answers.
        }

        /// Makes small disks of folders for as long as the body runs.
        private func withSmallDisks(_ names: [String], in folder: TestFolder, _ body: () async throws -> Void) async throws {
            let paths = names.map { folder.path($0) }
            defer { for path in paths { umount2(path, Int32(MNT_DETACH)) } }
            for path in paths {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
                guard mount("tmpfs", path, "tmpfs", 0, "size=3m,mode=750") == 0 else { return print("skipped: no tmpfs can be mounted") }
            }
            try await body()
        }

        private func fill(_ name: String, in folder: TestFolder) {
            let file = open(folder.path(name) + "/filler", O_WRONLY | O_CREAT | O_APPEND, 0o600)
            var byteCount = 65_536
            let bytes = [UInt8](repeating: 1, count: byteCount)
            while byteCount > 0 { if write(file, bytes, byteCount) < byteCount { byteCount /= 2 } }
            close(file)
        }

        private func free(_ name: String, in folder: TestFolder) { unlink(folder.path(name) + "/filler") }

        private func times(_ server: FlakyServer) throws -> [String] {
            try server.received().filter { $0["class"]?.string == "TPV" }.compactMap { $0["time"]?.string }
        }

        /// Logs 20 fixes in a folder.
        private func log(_ run: Int, in log: String, _ folder: TestFolder, isKilled: Bool) async throws -> String {
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"], log: log)
            let receiver = SimulatedReceiver()
            try fifo.write((run * 20..<run * 20 + 20).map { receiver.epoch($0).text }.joined())
            #expect(try await eventually(within: .seconds(20)) { try await loggedCount(folder) >= 20 }, "\(run): \(tracker.process.errors)")
            _ = try await tracker.stop(with: isKilled ? SIGKILL : SIGTERM)
            fifo.close()
            try FileManager.default.removeItem(atPath: folder.path("receiver"))
            return tracker.process.errors
        }

        /// Positions wait in several folders, of which the full disk could note neither the numbers nor the names: none is lost.
        @Test(arguments: [["a", "a", "b"], ["a", "a", "b", "a"], ["a", "b", "c", "a"]], [(false, 1), (true, 1), (false, 2), (true, 2)])
        func losesNoEarlierLog(logs: [String], full: (isKilled: Bool, count: Int)) async throws {
            let folder = try TestFolder()
            let server = try await FlakyServer("status 503")
            try folder.write("[[destination]]\nname = \"home\"\nurl = \"\(server.url)\"\ninterval = 0\n", to: "w.toml")
            try await withSmallDisks(["state"], in: folder) {
                for (run, log) in logs.enumerated() {
                    if run == 1 { fill("state", in: folder) }
                    if run == 1 + full.count { free("state", in: folder) }
                    let told = try await self.log(run, in: log, folder, isKilled: full.isKilled && run == 1)
                    #expect(!told.contains("come again") && !told.contains("older copy"), "\(told)")
                }
                free("state", in: folder)
                try server.setMode("ok")
                let fifo = try ReceiverFIFO("receiver", in: folder)
                let last = try #require(logs.last)
                let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"], log: last)
                let isComplete = try await eventually(within: .seconds(30), every: .seconds(1)) {
                    _ = try await ask("dispatch", "now", "--wait", "--timeout", "3", in: folder)
                    return try Set(times(server)).count == logs.count * 20
                }
                let count = try times(server).count
                #expect(isComplete && count == logs.count * 20, "\(count) \(tracker.process.errors)")
                let status = try JSONParser().parse(Array(try await ask("status", "--json", in: folder).output.utf8))
                #expect(status["destinations"]?.array?.first?["dropped"]?.int == 0, "\(status)")
                _ = try await tracker.stop()
                fifo.close()
            }
        }

        /// What is erased meanwhile is not sent, and removed when there is room.
        @Test func sendsNothingThatIsErasedMeanwhile() async throws {
            let folder = try TestFolder()
            let server = try await FlakyServer("status 503")
            try folder.writeGate(sendingTo: server.url)
            try await withSmallDisks(["state"], in: folder) {
                let receiver = SimulatedReceiver()
                let fifo = try ReceiverFIFO("receiver", in: folder)
                let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"])
                try fifo.write((0..<40).map { receiver.epoch($0).text }.joined())
                #expect(try await eventually { try await ask("status", in: folder).output.contains("exit Gate") })
                // More than is free in the files that the outbox has.
                let text = String(repeating: "secret ", count: 2_000)
                for _ in 0..<24 { #expect(try await ask("track", "secret", "text=\(text)", in: folder).code == 0) }
                fill("state", in: folder)
                try await expectErasedAndNotSent(in: folder, server) { free("state", in: folder) }
                fifo.close()
                #expect(try await tracker.stop() == ProgramExit(code: 0))
            }
        }

        /// What neither the log nor the state has at the end is lost, and whoever stops the tracker learns of it.
        @Test func saysWhatIsLostAtTheEnd() async throws {
            let folder = try TestFolder()
            let server = try await FlakyServer("status 503")
            try folder.writeGate(sendingTo: server.url, settings: "[log]\nmin_free = 0\n[dispatch]\nstop_budget = \"1 s\"\n")
            try await withSmallDisks(["log", "state"], in: folder) {
                let receiver = SimulatedReceiver()
                for run in 0..<2 {
                    if run == 1 { fill("log", in: folder) }
                    let fifo = try ReceiverFIFO("receiver", in: folder)
                    let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"])
                    if run == 1 { fill("state", in: folder) }
                    try fifo.write((run * 4..<run * 36 + 4).map { receiver.epoch($0).text }.joined())
                    if run == 0 {
                        #expect(try await eventually { try await loggedCount(folder) >= 4 })
                    } else {
                        #expect(try await eventually { try await ask("status", in: folder).output.contains("exit Gate") })
                    }
                    let exit = try await tracker.stop()
                    let told = tracker.process.errors
                    #expect(exit == ProgramExit(code: run == 0 ? 0 : 74), "\(told)")
                    // The first of the two may have found room in the outbox.
                    let lost = told.firstMatch(of: #/[12] fence events? (is|are) lost: neither the log, /#)
                    #expect((lost != nil) == (run == 1), "\(told)")
                    fifo.close()
                    try FileManager.default.removeItem(atPath: folder.path("receiver"))
                }
            }
        }
    }
}
