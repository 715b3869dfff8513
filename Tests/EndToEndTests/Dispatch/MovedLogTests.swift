import Foundation
import Glibc
import Testing
import Waypost
import WaypostSystem
import WaypostTestKit

extension EndToEnd {
    /// Positions that wait in one log when the tracker is given another folder for it.
    struct MovedLogTests {
        func ask(_ words: String..., in folder: TestFolder) async throws -> Finished {
            try await finish([Program.waypost.path] + words + ["--socket", "socket"], in: folder)
        }

        func destination(_ name: String, _ server: FlakyServer) -> String {
            "[[destination]]\nname = \"\(name)\"\nurl = \"\(server.url)\"\ninterval = 0\n"
        }

        func times(_ server: FlakyServer) throws -> [String] {
            try server.received().filter { $0["class"]?.string == "TPV" }.compactMap { $0["time"]?.string }
        }

        /// A tracker that logs 20 fixes of a drive in a folder, while one server takes records and the other may not.
        func drive(
            _ run: Int, log: String, in folder: TestFolder, _ servers: [FlakyServer], isKilled: Bool = false, settings: String = "",
            received count: Int? = nil, then check: (TrackerProcess) async throws -> Void = { _ in }
        ) async throws {
            try folder.write(settings + destination("up", servers[0]) + destination("away", servers[1]), to: "w.toml")
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"], log: log)
            let receiver = SimulatedReceiver()
            try fifo.write((run * 20..<run * 20 + 20).map { receiver.epoch($0).text }.joined())
            #expect(
                try await eventually(within: .seconds(40)) {
                    _ = try await ask("dispatch", "now", "--wait", "--timeout", "3", in: folder)
                    return try ids(servers[0]).count >= count ?? (run + 1) * 20
                }, "run \(run)")
            try await check(tracker)
            if isKilled {
                tracker.process.send(SIGKILL)
                _ = try await tracker.process.exit()
                fifo.close()
            } else {
                fifo.close()
                #expect(try await tracker.process.exit() == ProgramExit(code: 0))
            }
            try FileManager.default.removeItem(atPath: folder.path("receiver"))
        }

        func ids(_ server: FlakyServer) throws -> [String] {
            try server.received().filter { $0["class"]?.string == "TPV" }.compactMap { $0["id"]?.string }
        }

        func events(_ server: FlakyServer) throws -> [String] {
            try server.received().filter { $0["class"]?.string == "EVENT" }.compactMap { $0["event"]?.string }
        }

        /// Every position arrives once, whatever folder it is in, however often the folder changes, and whether the tracker was stopped or killed.
        @Test(arguments: [["a", "b", "c"], ["a", "b", "a"], ["a", "b", "b", "a", "b"]], [false, true])
        func areSentFromThere(logs: [String], isKilled: Bool) async throws {
            let folder = try TestFolder()
            let servers = [try await FlakyServer("ok"), try await FlakyServer("status 503")]
            for (run, log) in logs.enumerated() {
                try await drive(run, log: log, in: folder, servers, isKilled: isKilled) { tracker in
                    let words = "wait in the log at "
                    #expect(tracker.process.errors.contains(words) == (run > 0), "\(tracker.process.errors)")
                    // They are not lost.
                    #expect(!tracker.process.errors.contains("records lost"), "\(tracker.process.errors)")
                }
            }
            try servers[1].setMode("ok")
            try await drive(logs.count, log: logs.last ?? "", in: folder, servers) { tracker in
                let all = Set(try ids(servers[0]))
                #expect(all.count == (logs.count + 1) * 20)
                #expect(
                    try await eventually(within: .seconds(60)) {
                        _ = try await ask("dispatch", "now", "--wait", "--timeout", "3", in: folder)
                        return try Set(ids(servers[1])) == all
                    })
                let status = try JSONParser().parse(Array(try await ask("status", "--json", in: folder).output.utf8))
                for destination in try #require(status["destinations"]?.array) {
                    #expect(destination["dropped"]?.int == 0 && destination["positions"]?.int == 0, "\(destination)")
                }
            }
            for server in servers { #expect(try ids(server).count == Set(ids(server)).count) }
            // Once all of them have arrived, nothing is said of the other folders any more.
            try await drive(logs.count + 1, log: "d", in: folder, servers) { tracker in
                #expect(!tracker.process.errors.contains("wait in the log at"), "\(tracker.process.errors)")
            }
        }

        /// They wait through a start without them: the folder is not there, the outbox is lost, or nothing is to be logged or sent for once.
        @Test(arguments: ["away", "outbox", "positions = false", "types = []"]) func waitThroughAStartWithoutThem(what: String) async throws
        {
            let folder = try TestFolder()
            let servers = [try await FlakyServer("ok"), try await FlakyServer("status 503")]
            try await drive(0, log: "a", in: folder, servers)
            switch what {
            case "away": try FileManager.default.moveItem(atPath: folder.path("a"), toPath: folder.path("x"))
            case "outbox":
                try await drive(1, log: "b", in: folder, servers)
                for name in try folder.names(in: "state/kept/state") where name.hasPrefix("outbox.sqlite") {
                    try FileManager.default.removeItem(atPath: folder.path("state/kept/state/" + name))
                }
            default: break
            }
            if what != "outbox" {
                let (up, away) = (destination("up", servers[0]), destination("away", servers[1]))
                let text = what == "types = []" ? "[log]\ntypes = []\n\(up)positions = false\n\(away)positions = false\n" : up + away
                try folder.write(what == "positions = false" ? text + "positions = false\n" : text, to: "w.toml")
                let tracker = try await TrackerProcess(
                    source: "sim:walk", in: folder, options: ["--config", "w.toml", "--socket", "socket"], log: "b")
                #expect(await eventually { tracker.process.errors.contains("source sim:walk") })
                let isTold = tracker.process.errors.contains("positions may wait in the log at \(folder.path("a")), and are not sent")
                #expect(isTold == (what == "away"), "\(tracker.process.errors)")
                #expect(try await tracker.stop() == ProgramExit(code: 0))
            }
            if what == "away" { try FileManager.default.moveItem(atPath: folder.path("x"), toPath: folder.path("a")) }
            try servers[1].setMode("ok")
            let expected = Set(try times(servers[0]).filter { $0 < "2026-03-01T12:00:20" })
            try #require(expected.count == 20)
            try await drive(what == "outbox" ? 2 : 1, log: "b", in: folder, servers) { tracker in
                let isThere = try await eventually(within: .seconds(60)) {
                    _ = try await ask("dispatch", "now", "--wait", "--timeout", "3", in: folder)
                    return try Set(times(servers[1])).isSuperset(of: expected)
                }
                #expect(isThere)
            }
        }

        /// They wait in a folder that is away until it is back, also where the log was before, whatever is sent meanwhile.
        @Test(arguments: ["a", "c"], [false, true]) func waitUntilTheirFolderIsBack(last: String, isSentMeanwhile: Bool) async throws {
            let folder = try TestFolder()
            let servers = [try await FlakyServer("ok"), try await FlakyServer("status 503")]
            try await drive(0, log: "a", in: folder, servers)
            try await drive(1, log: "b", in: folder, servers)
            try FileManager.default.moveItem(atPath: folder.path("b"), toPath: folder.path("x"))
            if isSentMeanwhile { try servers[1].setMode("ok") }
            for run in 2...3 {
                try await drive(run, log: last, in: folder, servers) { tracker in
                    let isTold = tracker.process.errors.contains("positions may wait in the log at \(folder.path("b")), and are not sent")
                    #expect(isTold, "\(tracker.process.errors)")
                    let isSent = try await eventually(within: .seconds(40)) {
                        _ = try await ask("dispatch", "now", "--wait", "--timeout", "3", in: folder)
                        return try Set(ids(servers[1])).count == (isSentMeanwhile ? run * 20 : 0)
                    }
                    #expect(isSent, "\(tracker.process.errors)")
                }
            }
            try FileManager.default.moveItem(atPath: folder.path("x"), toPath: folder.path("b"))
            try servers[1].setMode("ok")
            try await drive(4, log: last, in: folder, servers) { tracker in
                let all = Set(try ids(servers[0]))
                let isComplete = try await eventually(within: .seconds(60)) {
                    _ = try await ask("dispatch", "now", "--wait", "--timeout", "3", in: folder)
                    return try Set(ids(servers[1])) == all
                }
                #expect(isComplete && all.count == 100, "\(tracker.process.errors)")
                let status = try JSONParser().parse(Array(try await ask("status", "--json", in: folder).output.utf8))
                for destination in try #require(status["destinations"]?.array) {
                    #expect(destination["dropped"]?.int == 0 && destination["positions"]?.int == 0, "\(destination)")
                }
            }
            for server in servers { #expect(try ids(server).count == 100) }
        }

        /// The outbox cannot be opened while the tracker has another folder: once it can, what was logged there is sent, fence events too.
        @Test(arguments: [false, true]) func areSentThoughTheOutboxWasLockedThen(isKilled: Bool) async throws {
            let folder = try TestFolder()
            let servers = [try await FlakyServer("ok"), try await FlakyServer("status 503")]
            try folder.writeGate(sendingTo: "http://127.0.0.1:9/")
            let settings = "[geofences]\nfile = \"fences.geojson\"\nrule = \"exact\"\n"
            try await drive(0, log: "a", in: folder, servers, settings: settings)
            let other = try SQLiteDatabase(path: folder.path("state/kept/state/outbox.sqlite"))
            try other.execute("BEGIN IMMEDIATE")
            for (run, log) in [(1, "b"), (2, "c")] {
                let fifo = try ReceiverFIFO("receiver", in: folder)
                let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"], log: log)
                let receiver = SimulatedReceiver()
                try fifo.write((run * 20..<run * 20 + 20).map { receiver.epoch($0).text }.joined())
                let isLogged = try await eventually(within: .seconds(20)) {
                    let status = try await ask("status", "--json", in: folder).output
                    return try JSONParser().parse(Array(status.utf8))["log"]?["positions"]?.int ?? 0 >= 20
                }
                #expect(isLogged && tracker.process.errors.contains("holds a lock on "), "\(tracker.process.errors)")
                fifo.close()
                if isKilled { tracker.process.send(SIGKILL) }
                _ = try await tracker.process.exit()
                try FileManager.default.removeItem(atPath: folder.path("receiver"))
            }
            try other.execute("ROLLBACK")
            try servers[1].setMode("ok")
            try await drive(3, log: "a", in: folder, servers, settings: settings) { tracker in
                let isComplete = try await eventually(within: .seconds(60)) {
                    _ = try await ask("dispatch", "now", "--wait", "--timeout", "3", in: folder)
                    return try servers.allSatisfy { try Set(ids($0)).count == 80 && events($0) == ["enter", "exit"] }
                }
                let counts = try servers.map { "\(try Set(ids($0)).count) \(try events($0))" }
                #expect(isComplete, "\(counts) \(tracker.process.errors)")
            }
            for server in servers { #expect(try ids(server).count == 80) }
            // Nor does another start send any of them again.
            try await drive(4, log: "a", in: folder, servers, settings: settings)
            for server in servers { #expect(try events(server) == ["enter", "exit"]) }
        }

        /// The outbox is lost, also as the folder changes, or everything beside the log: the log knows the folders before it, for positions and
        /// for events.
        @Test(arguments: [("outbox.sqlite", "b"), ("outbox.sqlite", "c"), ("", "b")], [false, true])
        func areSentThoughTheStateIsLost(what: (lost: String, log: String), isKilled: Bool) async throws {
            let folder = try TestFolder()
            let servers = [try await FlakyServer("ok"), try await FlakyServer("status 503")]
            try folder.writeGate(sendingTo: "http://127.0.0.1:9/")
            let settings = "[geofences]\nfile = \"fences.geojson\"\nrule = \"exact\"\n"
            for (run, log) in ["a", "a", "b", "b"].enumerated() {
                try await drive(run, log: log, in: folder, servers, isKilled: isKilled, settings: settings)
            }
            let kept = "state/kept/state"
            for name in try folder.names(in: kept) where name.hasPrefix(what.lost) {
                try FileManager.default.removeItem(atPath: folder.path("\(kept)/\(name)"))
            }
            try servers[1].setMode("ok")
            try await drive(4, log: what.log, in: folder, servers, settings: settings) { tracker in
                let isComplete = try await eventually(within: .seconds(60)) {
                    _ = try await ask("dispatch", "now", "--wait", "--timeout", "3", in: folder)
                    return try Set(times(servers[1])) == Set(times(servers[0])) && Set(events(servers[1])) == ["enter", "exit"]
                }
                let (count, kinds) = (try Set(times(servers[1])).count, try events(servers[1]))
                #expect(isComplete, "\(count) \(kinds) \(tracker.process.errors)")
            }
        }

        /// What is kept of the logs is kept again in a state folder that was removed while the tracker ran.
        @Test(arguments: [false, true]) func areSentThoughTheStateWasMadeAgain(isKilled: Bool) async throws {
            let folder = try TestFolder()
            let servers = [try await FlakyServer("ok"), try await FlakyServer("status 503")]
            try await drive(0, log: "a", in: folder, servers, isKilled: isKilled) { tracker in
                try FileManager.default.removeItem(atPath: folder.path("state"))
                try FileManager.default.createDirectory(atPath: folder.path("state"), withIntermediateDirectories: true)
                let isBack = try await eventually(within: .seconds(40)) {
                    _ = try await ask("status", in: folder)
                    return tracker.process.errors.contains("it is taken again")
                }
                #expect(isBack, "\(tracker.process.errors)")
            }
            try servers[1].setMode("ok")
            try await drive(1, log: "b", in: folder, servers) { tracker in
                let isComplete = try await eventually(within: .seconds(60)) {
                    _ = try await ask("dispatch", "now", "--wait", "--timeout", "3", in: folder)
                    return try Set(times(servers[1])).count == 40
                }
                #expect(isComplete, "\(tracker.process.errors)")
            }
        }

        /// What another folder has is not lost in the one that comes back, though nothing waits there.
        @Test(arguments: [false, true], [false, true]) func areNotMissedThoughNothingWaits(isKilled: Bool, logs: Bool) async throws {
            let folder = try TestFolder()
            let servers = [try await FlakyServer("ok"), try await FlakyServer("ok")]
            func isSettled(_ count: Int) async throws {
                let isThere = try await eventually(within: .seconds(40)) {
                    _ = try await ask("dispatch", "now", "--wait", "--timeout", "3", in: folder)
                    return try servers.allSatisfy { try Set(ids($0)).count == count }
                }
                #expect(isThere)
            }
            try await drive(0, log: "a", in: folder, servers) { _ in try await isSettled(20) }
            if logs {
                try await drive(1, log: "b", in: folder, servers, isKilled: isKilled) { _ in try await isSettled(40) }
            } else {
                let fifo = try ReceiverFIFO("receiver", in: folder)
                let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"], log: "b")
                _ = try await ask("status", in: folder)
                if isKilled { tracker.process.send(SIGKILL) }
                fifo.close()
                _ = try await tracker.process.exit()
                try FileManager.default.removeItem(atPath: folder.path("receiver"))
            }
            let run = logs ? 2 : 1
            try await drive(run, log: "a", in: folder, servers) { tracker in
                try await isSettled(20 * run + 20)
                #expect(!tracker.process.errors.contains("older copy"), "\(tracker.process.errors)")
                let status = try JSONParser().parse(Array(try await ask("status", "--json", in: folder).output.utf8))
                for destination in try #require(status["destinations"]?.array) {
                    #expect(destination["dropped"]?.int == 0, "\(destination)")
                }
            }
        }

        /// What an older copy of the log lacks is counted and told, also once the tracker has another folder.
        @Test func areMissedWhereAnOlderCopyWasPutBack() async throws {
            let folder = try TestFolder()
            let servers = [try await FlakyServer("ok"), try await FlakyServer("status 503")]
            try await drive(0, log: "a", in: folder, servers)
            try FileManager.default.copyItem(atPath: folder.path("a"), toPath: folder.path("copy"))
            try await drive(1, log: "a", in: folder, servers)
            try FileManager.default.removeItem(atPath: folder.path("a"))
            try FileManager.default.moveItem(atPath: folder.path("copy"), toPath: folder.path("a"))
            try await drive(2, log: "a", in: folder, servers)
            try servers[1].setMode("ok")
            try await drive(3, log: "b", in: folder, servers) { tracker in
                _ = try await ask("dispatch", "now", "--wait", in: folder)
                let count = try Set(ids(servers[1])).count
                #expect(count == 60)
                let status = try JSONParser().parse(Array(try await ask("status", "--json", in: folder).output.utf8))
                let dropped = status["destinations"]?.array?.map { $0["dropped"]?.int ?? 0 } ?? []
                #expect(dropped.first == 0 && dropped.last.map { 20...24 ~= $0 } == true, "\(dropped)")
                #expect(tracker.process.errors.contains("is an older copy of the log, without them"), "\(tracker.process.errors)")
            }
        }

        /// Events that were meant for nobody are in the former folder: they are not new because this one lacks them.
        @Test func areNotMadeOfEventsFromBefore() async throws {
            let folder = try TestFolder()
            let servers = [try await FlakyServer("ok"), try await FlakyServer("ok")]
            try folder.writeGate(sendingTo: "http://127.0.0.1:9/")
            let settings = "[geofences]\nfile = \"fences.geojson\"\nrule = \"exact\"\n"
            let sending = destination("up", servers[0]) + destination("away", servers[1])
            try folder.write("[dispatch]\nopt_out = true\n" + settings + sending, to: "w.toml")
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"], log: "a")
            let receiver = SimulatedReceiver()
            try fifo.write((0..<80).map { receiver.epoch($0).text }.joined())
            let isLogged = try await eventually(within: .seconds(20)) {
                let status = try await ask("status", "--json", in: folder).output
                return try JSONParser().parse(Array(status.utf8))["log"]?["positions"]?.int ?? 0 >= 80
            }
            #expect(isLogged, "\(tracker.process.errors)")
            fifo.close()
            _ = try await tracker.process.exit()
            try FileManager.default.removeItem(atPath: folder.path("receiver"))
            let journals = try folder.names(in: "a/journal").filter { $0.hasSuffix(".journal") }
            let bytes = try journals.map { try Data(contentsOf: URL(filePath: folder.path("a/journal/\($0)"))) }
            for word in ["enter", "exit"] { #expect(bytes.contains { $0.range(of: Data(word.utf8)) != nil }, "\(journals)") }
            try await drive(4, log: "b", in: folder, servers, settings: settings, received: 20) { _ in
                _ = try await ask("dispatch", "now", "--wait", "--timeout", "3", in: folder)
            }
            for server in servers { #expect(try events(server) == [] && ids(server).count == 20) }
        }
    }
}
