import Foundation
import Testing
import Waypost
import WaypostTestKit

extension EndToEnd {
    /// Positions that wait in the log when a journal of it is damaged.
    struct DamagedLogTests {
        private func ask(_ words: String..., in folder: TestFolder) async throws -> Finished {
            try await finish([Program.waypost.path] + words + ["--socket", "socket"], in: folder)
        }

        /// The first destination of a box that has logged before begins with what comes; where the outbox, its tally and the record of the
        /// destinations are lost together, everything in the log is sent.
        @Test func areSentFromTheOldestWhenNobodyKnowsWhatWasSent() async throws {
            let folder = try TestFolder()
            let server = try await FlakyServer("ok")
            let receiver = SimulatedReceiver()
            let destination = "[[destination]]\nname = \"home\"\nurl = \"\(server.url)\"\ninterval = 0\n"
            let words = "start with the oldest record of the log"
            func seconds() throws -> Set<String> {
                Set(try server.received().filter { $0["class"]?.string == "TPV" }.compactMap { $0["time"]?.string })
            }
            let runs = [("", "ok", 0), (destination, "ok", 20), (destination, "status 503", 20), (destination, "ok", 80)]
            for (run, (text, mode, expected)) in runs.enumerated() {
                try folder.write(text, to: "w.toml")
                try server.setMode(mode)
                if run == 3 {
                    for name in try folder.names(in: "state/kept/state") where name.hasPrefix("outbox.sqlite") {
                        try FileManager.default.removeItem(atPath: folder.path("state/kept/state/" + name))
                    }
                    try FileManager.default.removeItem(atPath: folder.path("log/journal/.destinations"))
                }
                let fifo = try ReceiverFIFO("receiver", in: folder)
                let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"])
                try fifo.write((run * 20..<run * 20 + 20).map { receiver.epoch($0).text }.joined())
                #expect(
                    try await eventually(within: .seconds(40)) {
                        if !text.isEmpty { _ = try await ask("dispatch", "now", "--wait", in: folder) }
                        return try seconds().count >= expected
                    }, "run \(run)")
                let status = try await ask("status", in: folder).output
                #expect(status.contains(words) == (run == 3), "\(status)")
                fifo.close()
                #expect(try await tracker.process.exit() == ProgramExit(code: 0))
                #expect(tracker.process.errors.contains(words) == (run == 3), "\(tracker.process.errors)")
                #expect(try seconds().count == expected)
                try FileManager.default.removeItem(atPath: folder.path("receiver"))
            }
        }

        @Test(arguments: [false, true]) func areCountedAndReported(isRemoved: Bool) async throws {
            let folder = try TestFolder()
            let server = try await FlakyServer("status 503")
            try folder.write("[[destination]]\nname = \"home\"\nurl = \"\(server.url)\"\ninterval = 0\n", to: "w.toml")
            let receiver = SimulatedReceiver()
            let options = ["--config", "w.toml"]
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let first = try await TrackerProcess(source: "nmea:receiver", in: folder, options: options)
            try fifo.write((0..<40).map { receiver.epoch($0).text }.joined())
            fifo.close()
            #expect(try await first.process.exit() == ProgramExit(code: 0))
            let name = try #require(try folder.names(in: "log/journal").first { $0.hasSuffix(".journal") })
            let path = folder.path("log/journal/" + name)
            let half = try Data(contentsOf: URL(filePath: path))
            if isRemoved {
                try FileManager.default.removeItem(atPath: path)
            } else {
                try half.prefix(half.count / 2).write(to: URL(filePath: path))
            }
            try FileManager.default.removeItem(atPath: folder.path("receiver"))

            try server.setMode("ok")
            let next = try ReceiverFIFO("receiver", in: folder)
            let second = try await TrackerProcess(source: "nmea:receiver", in: folder, options: options)
            try next.write((40..<60).map { receiver.epoch($0).text }.joined())
            let words = "records lost before every destination had them: "
            #expect(
                try await eventually(within: .seconds(40)) {
                    _ = try await ask("dispatch", "now", "--wait", in: folder)
                    let hasAll = try server.received().contains { $0["time"]?.string == "2026-03-01T12:00:59.000Z" }
                    return try await ask("status", in: folder).output.contains(words) && hasAll
                })
            let answer = try JSONParser().parse(Array(try await ask("status", "--json", in: folder).output.utf8))
            #expect(answer["health"]?.string == "degraded")
            let sent = try server.received().count { $0["class"]?.string == "TPV" }
            let dropped = try #require(answer["destinations"]?.array?.first?["dropped"]?.int)
            // The numbers of breaks are among them.
            #expect(dropped >= 15 && (0...2).contains(dropped + sent - 60), "\(dropped) and \(sent)")
            #expect(second.process.errors.contains("up to \(dropped) \(words)") && second.process.errors.contains(name))
            // The ledger shows them, all together and each one.
            let ledger = try await ask("ledger", "--since", "2000-01-01", "--json", in: folder).output.split(separator: "\n")
                .map { try JSONParser().parse(Array($0.utf8)) }
            let lost = try #require(ledger.first { $0["kind"]?.string == "lost" })
            let (from, to) = (try #require(lost["seq"]?.int), try #require(lost["last_seq"]?.int))
            #expect(lost["count"]?.int == dropped && to - from + 1 == dropped, "\(lost)")
            #expect(lost["reason"]?.string?.contains(isRemoved ? "\(name) is missing" : "\(name) is damaged at byte ") == true)
            let id = try #require(ledger.first { $0["kind"]?.string == "position" }?["id"]?.string)
            let digits = try #require(id.split(separator: "-").last)
            let one = try await ask("ledger", "--id", "p-\(to)-1-\(digits)", in: folder).output
            #expect(one.contains("lost (\(to)): ") && one.contains("; home: lost"), "\(one)")
            #expect(try await ask("ledger", "--id", "p-\(to)-1-000000000000", in: folder).code == 66)
            next.close()
            #expect(try await second.process.exit() == ProgramExit(code: 0))
        }

        /// A tracker that ends in order has queued every event itself: a track that goes meanwhile takes none with it.
        @Test func areNotEventsOfATrackerThatEndedInOrder() async throws {
            let folder = try TestFolder()
            let server = try await FlakyServer("ok")
            try folder.write("[[destination]]\nname = \"home\"\nurl = \"\(server.url)\"\ninterval = 0\n", to: "w.toml")
            let receiver = SimulatedReceiver()
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let first = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"])
            func sent() throws -> Int { try server.received().count { $0["class"]?.string == "TPV" } }
            for track in 0..<3 {
                try fifo.write((track * 20..<track * 20 + 20).map { receiver.epoch($0).text }.joined())
                #expect(
                    try await eventually(within: .seconds(40)) {
                        _ = try await ask("dispatch", "now", "--wait", in: folder)
                        return try sent() == track * 20 + 20
                    })
                if track < 2 { #expect(try await ask("log", "rotate", in: folder).code == 0) }
            }
            let journals = try folder.names(in: "log/journal").filter { $0.hasSuffix(".journal") }.sorted()
            let middle = try #require(journals.dropFirst().first)
            for path in ["log/journal/" + middle, "log/" + middle.dropLast(".journal".count) + ".gpx"] {
                try FileManager.default.removeItem(atPath: folder.path(path))
            }
            fifo.close()
            #expect(try await first.process.exit() == ProgramExit(code: 0))
            try FileManager.default.removeItem(atPath: folder.path("receiver"))
            let next = try ReceiverFIFO("receiver", in: folder)
            let second = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"])
            try next.write((60..<80).map { receiver.epoch($0).text }.joined())
            #expect(
                try await eventually(within: .seconds(40)) {
                    _ = try await ask("dispatch", "now", "--wait", in: folder)
                    return try sent() == 80
                })
            let status = try JSONParser().parse(Array(try await ask("status", "--json", in: folder).output.utf8))
            #expect(status["problems"]?.array?.isEmpty == true, "\(status)")
            #expect(status["destinations"]?.array?.first?["dropped"]?.int == 0)
            next.close()
            #expect(try await second.process.exit() == ProgramExit(code: 0))
            #expect(!second.process.errors.contains("lost"), "\(second.process.errors)")
        }
    }
}
