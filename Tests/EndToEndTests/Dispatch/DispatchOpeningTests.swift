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

        /// Nothing is lost meanwhile, and nobody has to start the tracker again.
        @Test func opensTheOutboxAsSoonAsItCanBe() async throws {
            let folder = try TestFolder()
            let server = try await FlakyServer()
            let fifo = try ReceiverFIFO("receiver", in: folder)
            try folder.writeGate(sendingTo: server.url)
            // A folder stands where the file should be.
            let blocked = folder.path("state/outbox.sqlite")
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
    }
}
