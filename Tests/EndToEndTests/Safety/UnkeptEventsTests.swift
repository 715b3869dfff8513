import Foundation
import Testing
import Waypost
import WaypostTestKit

extension EndToEnd {
    /// Events that were logged, and that a full disk kept from the state and the outbox when the tracker was killed.
    @Suite struct UnkeptEventsTests {
        private func ask(_ words: String..., in folder: TestFolder) async throws -> Finished {
            try await finish([Program.waypost.path] + words + ["--socket", "socket"], in: folder)
        }

        @Test func reachTheDestinationsFromTheLog() async throws {
            let folder = try TestFolder()
            let server = try await FlakyServer()
            try folder.writeGate(sendingTo: server.url)
            let receiver = SimulatedReceiver()
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"])
            try fifo.write((0..<4).map { receiver.epoch($0).text }.joined())
            #expect(await eventually { FileManager.default.fileExists(atPath: folder.path("state/kept/state/fences-known")) })
            // What is written from here on was not: as if the disk of the state were full.
            try FileManager.default.copyItem(atPath: folder.path("state"), toPath: folder.path("old"))
            try fifo.write((4..<40).map { receiver.epoch($0).text }.joined())
            #expect(try await eventually { try await ask("status", in: folder).output.contains("exit Gate") })
            #expect(try await tracker.stop(with: SIGKILL).signal == SIGKILL)
            try FileManager.default.removeItem(atPath: folder.path("state"))
            try FileManager.default.moveItem(atPath: folder.path("old"), toPath: folder.path("state"))
            fifo.close()
            try FileManager.default.removeItem(atPath: folder.path("receiver"))

            let next = try ReceiverFIFO("receiver", in: folder)
            let second = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"])
            try next.write((40..<50).map { receiver.epoch($0).text }.joined())
            let hasAll = try await eventually(within: .seconds(40), every: .seconds(1)) {
                _ = try await ask("dispatch", "now", "--wait", in: folder)
                return try server.received().count { $0["class"]?.string == "EVENT" } >= 2
            }
            // Each once, in their order, and no other one that says the same again.
            let events = try server.received().compactMap { $0["event"]?.string }
            #expect(hasAll && events == ["enter", "exit"], "\(second.process.errors)")
            next.close()
            #expect(try await second.process.exit() == ProgramExit(code: 0))
        }

        /// They waited when the sending was switched off, and the outbox is lost afterwards.
        @Test func doNotComeBackAfterOptingOut() async throws {
            let folder = try TestFolder()
            let server = try await FlakyServer("status 503")
            let receiver = SimulatedReceiver()
            for (run, isOptedOut) in [false, true, false, false].enumerated() {
                try folder.writeGate(
                    sendingTo: server.url, settings: "[dispatch]\nopt_out = \(isOptedOut)\nstop_budget = \"0 s\"\n")
                if run == 3 {
                    try server.setMode("ok")
                    for name in try folder.names(in: "state/kept/state") where name.hasPrefix("outbox.sqlite") {
                        try FileManager.default.removeItem(atPath: folder.path("state/kept/state/\(name)"))
                    }
                }
                let fifo = try ReceiverFIFO("receiver", in: folder)
                let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"])
                // In and out in the first run.
                let epochs = run == 0 ? 0..<40 : (30 + run * 10)..<(40 + run * 10)
                try fifo.write(epochs.map { receiver.epoch($0).text }.joined())
                if run == 0 {
                    #expect(try await eventually { try await ask("status", in: folder).output.contains("exit Gate") })
                }
                if run == 3 {
                    #expect(
                        try await eventually(within: .seconds(20), every: .seconds(1)) {
                            _ = try await ask("dispatch", "now", "--wait", in: folder)
                            return try server.received().count { $0["class"]?.string == "TPV" } >= 8
                        }, "\(tracker.process.errors)")
                    #expect(try server.received().compactMap { $0["event"]?.string } == [])
                }
                // The tracker ends with its source.
                fifo.close()
                #expect(try await tracker.stop() == ProgramExit(code: 0))
                try FileManager.default.removeItem(atPath: folder.path("receiver"))
            }
        }

        /// The state is lost while a server is down: what it lacks is in the log, and so is where it began.
        @Test(arguments: ["state", "state/kept/state/outbox.sqlite", "both"]) func reachTheDestinationsWithout(lost: String) async throws {
            let folder = try TestFolder()
            let server = try await FlakyServer()
            try folder.writeGate(sendingTo: server.url, settings: "[log]\nsync_interval = \"1 s\"\n")
            let receiver = SimulatedReceiver()
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"])
            try server.setMode("status 503")
            try fifo.write((0..<40).map { receiver.epoch($0).text }.joined())
            #expect(try await eventually { try await ask("status", in: folder).output.contains("exit Gate") })
            try await Task.sleep(for: .seconds(2))
            #expect(try await tracker.stop(with: SIGKILL).signal == SIGKILL)
            for suffix in lost == "state" ? [""] : lost == "both" ? ["", "-wal", "-shm", "-tally"] : ["", "-wal", "-shm"] {
                try FileManager.default.removeItem(atPath: folder.path((lost == "both" ? "state/kept/state/outbox.sqlite" : lost) + suffix))
            }
            fifo.close()
            try FileManager.default.removeItem(atPath: folder.path("receiver"))

            let next = try ReceiverFIFO("receiver", in: folder)
            let second = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"])
            try next.write((40..<50).map { receiver.epoch($0).text }.joined())
            let isUnknown = lost != "state/kept/state/outbox.sqlite"
            let told = try await ask("status", in: folder).output
            #expect(told.contains("the outbox was removed or emptied") && told.contains("not known") == isUnknown, "\(told)")
            try server.setMode("ok")
            let hasAll = try await eventually(within: .seconds(40), every: .seconds(1)) {
                _ = try await ask("dispatch", "now", "--wait", in: folder)
                let classes = try server.received().compactMap { $0["class"]?.string }
                return classes.count { $0 == "EVENT" } >= 2 && classes.count { $0 == "TPV" } >= 50
            }
            let events = try server.received().compactMap { $0["event"]?.string }
            #expect(hasAll && events == ["enter", "exit"], "\(events) \(second.process.errors)")
            // What is over is not told any more; what nobody knows is.
            let after = try await ask("status", in: folder).output
            #expect(after.contains("the outbox was removed") == isUnknown, "\(after)")
            next.close()
            #expect(try await second.process.exit() == ProgramExit(code: 0))
        }
    }
}
