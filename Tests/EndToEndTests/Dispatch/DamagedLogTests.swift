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

        @Test func areCountedAndReported() async throws {
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
            try half.prefix(half.count / 2).write(to: URL(filePath: path))
            try FileManager.default.removeItem(atPath: folder.path("receiver"))

            try server.setMode("ok")
            let next = try ReceiverFIFO("receiver", in: folder)
            let second = try await TrackerProcess(source: "nmea:receiver", in: folder, options: options)
            try next.write((40..<60).map { receiver.epoch($0).text }.joined())
            let words = "positions lost before every destination had them: "
            #expect(
                try await eventually(within: .seconds(40)) {
                    _ = try await ask("dispatch", "now", "--wait", in: folder)
                    let count = try server.received().count { $0["class"]?.string == "TPV" }
                    return try await ask("status", in: folder).output.contains(words) && count > 20
                })
            let answer = try JSONParser().parse(Array(try await ask("status", "--json", in: folder).output.utf8))
            #expect(answer["health"]?.string == "degraded")
            let sent = try server.received().count { $0["class"]?.string == "TPV" }
            let dropped = try #require(answer["destinations"]?.array?.first?["dropped"]?.int)
            // The numbers of breaks are among them.
            #expect(dropped >= 15 && (0...2).contains(dropped + sent - 60), "\(dropped) and \(sent)")
            #expect(second.process.errors.contains("up to \(dropped) \(words)") && second.process.errors.contains(name))
            next.close()
            #expect(try await second.process.exit() == ProgramExit(code: 0))
        }
    }
}
