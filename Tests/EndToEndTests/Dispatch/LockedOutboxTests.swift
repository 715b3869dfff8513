import Foundation
import Glibc
import Testing
import Waypost
import WaypostSystem
import WaypostTestKit

extension EndToEnd {
    /// Another program has a transaction open on the outbox: a backup tool, somebody's `sqlite3`.
    @Suite struct LockedOutboxTests {
        private func ask(_ words: String..., in folder: TestFolder) async throws -> Finished {
            try await finish([Program.waypost.path] + words + ["--socket", "socket"], in: folder)
        }

        private func loggedCount(_ folder: TestFolder) async throws -> Int? {
            let status = try await ask("status", "--json", in: folder).output
            return try JSONParser().parse(Array(status.utf8))["log"]?["positions"]?.int
        }

        /// The log comes first: no fix waits for the outbox, and nobody who asks does for long.
        @Test func holdsUpNoPositionAndNobodyWhoAsks() async throws {
            let folder = try TestFolder()
            let server = try await FlakyServer()
            try folder.writeGate(sendingTo: server.url, interval: 1)
            let receiver = SimulatedReceiver()
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"])
            try fifo.write((0..<4).map { receiver.epoch($0).text }.joined())
            #expect(try await eventually { try await loggedCount(folder) ?? 0 >= 3 })

            let other = try SQLiteDatabase(path: folder.path("state/kept/state/outbox.sqlite"))
            try other.execute("BEGIN IMMEDIATE")
            let start = ContinuousClock.now
            try fifo.write((4..<40).map { receiver.epoch($0).text }.joined())
            #expect(try await eventually(within: .seconds(5)) { try await loggedCount(folder) ?? 0 >= 38 }, "\(tracker.process.errors)")
            #expect(try await eventually(within: .seconds(5)) { try await ask("status", in: folder).output.contains("exit Gate") })
            #expect(ContinuousClock.now - start < .seconds(8))

            let asked = ContinuousClock.now
            let refused = try await ask("track", "tour_begins", in: folder)
            #expect(refused.code == 74 && refused.errors.contains("another program holds a lock on "), "\(refused)")
            let status = try await ask("status", in: folder)
            #expect(status.output.contains("another program holds a lock on ") && status.output.contains("degraded"), "\(status)")
            #expect(ContinuousClock.now - asked < .seconds(4))

            // What happened meanwhile is sent, once, when the other one lets go.
            try other.execute("ROLLBACK")
            let hasAll = try await eventually(within: .seconds(40), every: .seconds(1)) {
                _ = try await ask("dispatch", "now", "--wait", in: folder)
                return try server.received().count { $0["class"]?.string == "EVENT" } >= 2
            }
            let events = try server.received().compactMap { $0["event"]?.string }
            #expect(hasAll && events == ["enter", "exit"], "\(events) \(tracker.process.errors)")
            #expect(!(try await ask("status", in: folder)).output.contains("holds a lock"))

            // The end does not wait for it either.
            try other.execute("BEGIN IMMEDIATE")
            try fifo.write((40..<50).map { receiver.epoch($0).text }.joined())
            #expect(try await eventually(within: .seconds(5)) { try await loggedCount(folder) ?? 0 >= 48 })
            let stopped = ContinuousClock.now
            #expect(try await tracker.stop() == ProgramExit(code: 0))
            #expect(ContinuousClock.now - stopped < .seconds(8))
            try other.execute("ROLLBACK")
            fifo.close()
        }

        /// What is erased meanwhile is not sent, and removed when the other one lets go.
        @Test func sendsNothingThatIsErasedMeanwhile() async throws {
            let folder = try TestFolder()
            let server = try await FlakyServer("status 503")
            try folder.writeGate(sendingTo: server.url)
            let receiver = SimulatedReceiver()
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"])
            try fifo.write((0..<40).map { receiver.epoch($0).text }.joined())
            #expect(try await eventually { try await ask("status", in: folder).output.contains("exit Gate") })
            #expect(try await ask("track", "secret", in: folder).code == 0)
            let other = try SQLiteDatabase(path: folder.path("state/kept/state/outbox.sqlite"))
            try other.execute("BEGIN IMMEDIATE")
            try await expectErasedAndNotSent(in: folder, server) { try other.execute("ROLLBACK") }
            fifo.close()
            #expect(try await tracker.stop() == ProgramExit(code: 0))
        }

        /// One that is held at the start delays the destinations, and ends none.
        @Test func isOpenedWhenTheOtherLetsGo() async throws {
            let folder = try TestFolder()
            let server = try await FlakyServer()
            let fifo = try ReceiverFIFO("receiver", in: folder)
            try folder.write("[[destination]]\nname = \"home\"\nurl = \"\(server.url)\"\ninterval = 1\ntimeout = 5\n", to: "w.toml")
            try FileManager.default.createDirectory(atPath: folder.path("state/kept/state"), withIntermediateDirectories: true)
            let other = try SQLiteDatabase(path: folder.path("state/kept/state/outbox.sqlite"))
            try other.execute("CREATE TABLE theirs(a); DROP TABLE theirs; BEGIN IMMEDIATE")
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"])
            let receiver = SimulatedReceiver()
            try fifo.write((0..<10).map { receiver.epoch($0).text }.joined())
            #expect(try await eventually(within: .seconds(10)) { try await loggedCount(folder) ?? 0 >= 9 })
            let status = try await ask("status", in: folder)
            #expect(status.output.contains("another program holds a lock on "), "\(status)")
            try other.execute("ROLLBACK")
            #expect(
                try await eventually(within: .seconds(40), every: .seconds(1)) {
                    try server.received().count { $0["class"]?.string == "TPV" } >= 9
                }, "\(tracker.process.errors)")
            fifo.close()
            #expect(try await tracker.process.exit() == ProgramExit(code: 0))
        }

        /// The outbox cannot be opened in a whole run: a destination that is new in it gets what it logs, and one that is not in it does not.
        @Test(arguments: [SIGTERM, SIGKILL]) func knowsWhoWasMeantInARunWithoutIt(signal: Int32) async throws {
            let folder = try TestFolder()
            let names = ["old", "new"]
            let servers = [try await FlakyServer("status 503"), try await FlakyServer("status 503")]
            let receiver = SimulatedReceiver()
            let kept = folder.path("state/kept/state/outbox.sqlite")
            for (run, configured) in [[0], [1], [0, 1]].enumerated() {
                let destinations = configured.map {
                    "[[destination]]\nname = \"\(names[$0])\"\nurl = \"\(servers[$0].url)\"\ninterval = 0\n"
                }
                try folder.writeGate(sendingTo: "")
                let fences = "[geofences]\nfile = \"fences.geojson\"\nrule = \"exact\"\n"
                try folder.write("[dispatch]\nstop_budget = \"0 s\"\n" + fences + destinations.joined(), to: "w.toml")
                let other = run == 1 ? try SQLiteDatabase(path: kept) : nil
                try other?.execute("BEGIN EXCLUSIVE")
                let fifo = try ReceiverFIFO("receiver", in: folder)
                let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"])
                // In and out in the second run.
                let epochs = [0..<4, 4..<40, 40..<50][run]
                try fifo.write(epochs.map { receiver.epoch($0).text }.joined())
                #expect(try await eventually(within: .seconds(20)) { try await loggedCount(folder) ?? 0 >= epochs.count })
                if run == 1 {
                    let status = try await ask("status", in: folder).output
                    #expect(status.contains("another program holds a lock on ") && status.contains("exit Gate"), "\(status)")
                } else if run == 2 {
                    for server in servers { try server.setMode("ok") }
                    let isComplete = try await eventually(within: .seconds(30), every: .seconds(1)) {
                        _ = try await ask("dispatch", "now", "--wait", "--timeout", "3", in: folder)
                        return try positions(servers[0]).count >= 14 && positions(servers[1]).count >= 46
                    }
                    let counts = try servers.map { try positions($0).count }
                    #expect(isComplete && counts == [14, 46], "\(counts) \(tracker.process.errors)")
                    #expect(try servers.map { try $0.received().compactMap { $0["event"]?.string } } == [[], ["enter", "exit"]])
                }
                _ = try await tracker.stop(with: run == 1 ? signal : SIGTERM)
                fifo.close()
                try FileManager.default.removeItem(atPath: folder.path("receiver"))
                try other?.execute("ROLLBACK")
                #expect(FileManager.default.fileExists(atPath: folder.path("log/journal/.unopened")) == (run == 1))
            }
        }

        private func positions(_ server: FlakyServer) throws -> [String] {
            try server.received().filter { $0["class"]?.string == "TPV" }.compactMap { $0["time"]?.string }
        }

        /// A limit deletes tracks that wait while the outbox cannot count them, and then the tracker is killed: each destination still counts them.
        @Test func losesNoCountOfWhatALimitDeletes() async throws {
            let folder = try TestFolder()
            let servers = [try await FlakyServer("status 503"), try await FlakyServer("status 503")]
            let destinations = servers.enumerated().map { "[[destination]]\nname = \"s\($0)\"\nurl = \"\($1.url)\"\ninterval = 0\n" }
            try folder.write("[log]\nmax_bytes = 1\n" + destinations.joined(), to: "w.toml")
            let receiver = SimulatedReceiver()
            func run(_ then: (ReceiverFIFO, TrackerProcess) async throws -> Void) async throws {
                let fifo = try ReceiverFIFO("receiver", in: folder)
                let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"])
                try await then(fifo, tracker)
                fifo.close()
                try FileManager.default.removeItem(atPath: folder.path("receiver"))
            }

            try await run { fifo, tracker in
                try fifo.write((0..<10).map { receiver.epoch($0).text }.joined())
                #expect(try await eventually { try await loggedCount(folder) ?? 0 >= 9 })
                let other = try SQLiteDatabase(path: folder.path("state/kept/state/outbox.sqlite"))
                try other.execute("BEGIN IMMEDIATE")
                try fifo.write((10..<40).map { receiver.epoch($0).text }.joined())
                #expect(try await eventually(within: .seconds(10)) { try await loggedCount(folder) ?? 0 >= 40 })
                // The next day: a new track.
                try fifo.write((90_000..<90_002).map { receiver.epoch($0).text }.joined())
                #expect(
                    await eventually(within: .seconds(30)) { tracker.process.errors.contains("deleted ") }, "\(tracker.process.errors)")
                #expect(try folder.names(in: "log").allSatisfy { !$0.hasSuffix(".gpx") })
                tracker.process.send(SIGKILL)
                _ = try await tracker.process.exit()
                try other.execute("ROLLBACK")
            }
            for server in servers { try server.setMode("ok") }
            try await run { fifo, tracker in
                try fifo.write((90_002..<90_022).map { receiver.epoch($0).text }.joined())
                // The two of the next day may be sent before that limit deletes them, too.
                var counts: [Int] = []
                let isComplete = try await eventually(within: .seconds(40), every: .seconds(1)) {
                    _ = try await ask("dispatch", "now", "--wait", "--timeout", "5", in: folder)
                    let status = try JSONParser().parse(Array(try await ask("status", "--json", in: folder).output.utf8))
                    let dropped = status["destinations"]?.array?.compactMap { $0["dropped"]?.int } ?? []
                    counts = try zip(servers, dropped).map { server, dropped in
                        dropped + Set(try server.received().compactMap { $0["class"]?.string == "TPV" ? $0["id"]?.string : nil }).count
                    }
                    return counts == [62, 62] && dropped.allSatisfy { $0 >= 40 }
                }
                #expect(isComplete, "\(counts) \(tracker.process.errors)")
                #expect(
                    try await ask("status", in: folder).output.contains(
                        "40 positions deleted with old tracks before every destination had them"))
                #expect(try await tracker.stop() == ProgramExit(code: 0))
            }
        }
    }
}
