import Foundation
import Testing
import Waypost
import WaypostTestKit

extension EndToEnd {
    /// An outbox that cannot be opened when the tracker starts.
    struct DispatchOpeningTests {
        private func ask(_ words: String..., in folder: TestFolder) async throws -> Finished {
            try await finish([Program.waypost.path] + words + ["--socket", "socket"], in: folder)
        }

        /// A destination stays one of the configuration while the log cannot be read, and gets what waits as soon as it can be.
        @Test func attachesADestinationAsSoonAsTheLogCanBeRead() async throws {
            let folder = try TestFolder()
            let server = try await FlakyServer()
            try folder.write("[[destination]]\nname = \"home\"\nurl = \"\(server.url)\"\ninterval = 0\n", to: "w.toml")
            let options = ["--config", "w.toml"]
            let first = try await TrackerProcess(source: "sim:walk", in: folder, options: options)
            #expect(try await eventually { try await ask("dispatch", "now", "--wait", in: folder).output == "good\n" })
            _ = try await first.stop()
            // No log of ours has such a file.
            let strange = "log/journal/29991231T000000Z-00000000-9.journal"
            #expect(try await shell("mkfifo \(strange)", in: folder).code == 0)

            let tracker = try await TrackerProcess(source: "sim:walk", in: folder, options: options)
            #expect(try await eventually { try await ask("status", in: folder).output.contains("nothing is sent to home: the log: ") })
            let table = try await ask("dispatch", in: folder).output
            #expect(table.contains("failing") && table.contains("is not an ordinary file") && !table.contains("unconfigured"), "\(table)")
            for words in [
                ["dispatch", "now", "--wait"], ["dispatch", "now", "--wait", "--to", "home"], ["dispatch", "drain", "--budget", "5"],
            ] {
                let run = try await finish([Program.waypost.path] + words + ["--socket", "socket"], in: folder)
                #expect(run.code == 1 && run.output == "error\n" && run.errors.contains("destination home: the log: "), "\(run)")
            }
            let discarding = try await ask("dispatch", "discard", "home", in: folder)
            #expect(discarding.code == 64 && discarding.errors.contains("use --yes"), "\(discarding)")

            try FileManager.default.removeItem(atPath: folder.path(strange))
            #expect(try await eventually { !(try await ask("status", in: folder)).output.contains("nothing is sent") })
            #expect(try await ask("dispatch", "now", "--wait", in: folder).output == "good\n")
            _ = try await tracker.stop()
            #expect(tracker.process.errors.contains("destination home: what waits for it is sent"))
            // What it had before the log could not be read is not sent again.
            let numbers = try server.received().compactMap { $0["seq"]?.int }
            #expect(!numbers.isEmpty && Set(numbers).count == numbers.count, "\(numbers)")
        }

        /// Nothing is lost meanwhile, and nobody has to start the tracker again.
        @Test func opensTheOutboxAsSoonAsItCanBe() async throws {
            let folder = try TestFolder()
            let server = try await FlakyServer()
            let fifo = try ReceiverFIFO("receiver", in: folder)
            try folder.writeGate(sendingTo: server.url)
            // A folder stands where the file should be.
            let blocked = folder.path("state/kept/state/outbox.sqlite")
            try FileManager.default.createDirectory(atPath: blocked + "/in-the-way", withIntermediateDirectories: true)
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"])

            let receiver = SimulatedReceiver()
            try fifo.write((0..<40).map { receiver.epoch($0).text }.joined())
            #expect(try await eventually { try await ask("status", in: folder).output.contains("exit Gate") })
            let status = try await ask("status", in: folder)
            #expect(status.output.contains("nothing is sent: ") && status.output.contains("outbox.sqlite: cannot be opened"), "\(status)")
            let refused = try await ask("dispatch", in: folder)
            #expect(refused.code != 0 && refused.errors.contains("nothing is sent: "), "\(refused)")
            let erasure = try await ask("log", "erase", "--from", "2020-01-01", "--to", "2020-01-02", "--yes", in: folder)
            #expect(erasure.code != 0 && erasure.errors.contains("not what waits to be sent"), "\(erasure)")

            try FileManager.default.removeItem(atPath: blocked)
            #expect(try await eventually(within: .seconds(40)) { try await ask("dispatch", in: folder).code == 0 })
            // The fence's events follow from memory.
            let hasAll = try await eventually(within: .seconds(40), every: .seconds(1)) {
                _ = try await ask("dispatch", "now", "--wait", in: folder)
                return try server.received().count { $0["class"]?.string == "EVENT" } == 2
            }
            let records = try server.received()
            #expect(hasAll && records.compactMap { $0["event"]?.string } == ["enter", "exit"], "\(records.count) records")
            #expect(records.count { $0["class"]?.string == "TPV" } >= 38)
            #expect(!(try await ask("status", in: folder)).output.contains("nothing is sent"))
            fifo.close()
            #expect(try await tracker.process.exit() == ProgramExit(code: 0))
            #expect(tracker.process.errors.contains("the outbox is open: what waits is sent"))
        }

        /// What the message says is done, and nothing else.
        @Test func sendsOnceASecretCanBeRead() async throws {
            let folder = try TestFolder()
            let server = try await FlakyServer()
            let fifo = try ReceiverFIFO("receiver", in: folder)
            try folder.write("secret\n", to: "token")
            #expect(chmod(folder.path("token"), 0o644) == 0)
            try folder.write(
                "[[destination]]\nname = \"home\"\nurl = \"\(server.url)\"\ninterval = 0\ntoken_file = \"\(folder.path("token"))\"\n",
                to: "w.toml")
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"])
            for number in 1...3 { #expect(try await ask("track", "event\(number)", in: folder).code == 0) }
            #expect(try await ask("dispatch", "now", "--wait", in: folder).code == 1)
            #expect(try await ask("status", in: folder).output.contains("chmod 600"))

            #expect(chmod(folder.path("token"), 0o600) == 0)
            let run = try await ask("dispatch", "now", "--wait", in: folder)
            #expect(run.output == "good\n", "\(run)")
            #expect(try server.received().count { $0["class"]?.string == "TRACK" } == 3)
            let status = try await ask("status", in: folder)
            #expect(!status.output.contains("nothing is sent"), "\(status)")
            #expect(tracker.process.errors.contains("destination home takes records again"))
            fifo.close()
            _ = try await tracker.stop()
        }

        /// The outbox that had counted what a limit deleted is lost: the next one counts it and tells of it.
        @Test func tellsAgainOfWhatALimitDeletedWhenTheOutboxIsLost() async throws {
            let folder = try TestFolder()
            let server = try await FlakyServer("status 503")
            let receiver = SimulatedReceiver()
            let words = "40 positions deleted with old tracks before every destination had them ([log] max_"
            for (run, epochs) in [[0..<40, 90_000..<90_004], [90_004..<90_010]].enumerated() {
                let limit = run == 0 ? "[log]\nmax_bytes = 1\n" : ""
                try folder.write(limit + "[[destination]]\nname = \"home\"\nurl = \"\(server.url)\"\ninterval = 0\n", to: "w.toml")
                let fifo = try ReceiverFIFO("receiver", in: folder)
                let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"])
                for epochs in epochs { try fifo.write(epochs.map { receiver.epoch($0).text }.joined()) }
                let isTold = try await eventually(within: .seconds(30), every: .seconds(1)) {
                    let status = try await ask("status", "--json", in: folder).output
                    let dropped = (try? JSONParser().parse(Array(status.utf8)))?["destinations"]?.array?.first?["dropped"]?.int
                    return status.contains(words) && dropped == 40
                }
                #expect(isTold && tracker.process.errors.contains(words), "\(run): \(tracker.process.errors)")
                _ = try await tracker.stop(with: SIGKILL)
                fifo.close()
                for name in ["receiver", "state"] { try FileManager.default.removeItem(atPath: folder.path(name)) }
            }
        }
    }
}
