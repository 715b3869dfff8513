import Foundation
import Glibc
import Testing
import Waypost
import WaypostTestKit

extension EndToEnd {
    /// `waypost log export --follow` beside a tracker, whatever happens to that and to its log.
    struct FollowedLogTests {
        private let receiver = SimulatedReceiver()

        private func follow(_ arguments: String..., in folder: TestFolder) throws -> ProgramProcess {
            try ProgramProcess(.waypost, ["log", "export", "--follow", "--log", "log", "--socket", "socket"] + arguments, in: folder)
        }

        private func numbers(_ process: ProgramProcess) -> [Int] {
            // The last line may be on its way.
            process.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().compactMap { line in
                (try? JSONParser().parse(Array(line.utf8)))?["seq"]?.int
            }
        }

        private func export(in folder: TestFolder, _ arguments: String...) async throws -> Finished {
            try await finish([Program.waypost.path, "log", "export", "--log", "log", "--socket", "socket"] + arguments, in: folder)
        }

        private func wait(_ process: ProgramProcess, for count: Int) async throws {
            #expect(await eventually { numbers(process).count >= count }, "\(numbers(process).count) \(process.errors)")
        }

        private func write(_ epochs: Range<Int>, to fifo: ReceiverFIFO) throws {
            try fifo.write(epochs.map { receiver.epoch($0).text }.joined())
        }

        /// Two readers at once, over a kill -9, a rotation, a restart and an erased stretch: nothing is missing and nothing comes twice.
        @Test func nothingIsMissingAndNothingComesTwice() async throws {
            let folder = try TestFolder()
            var fifo = try ReceiverFIFO("receiver", in: folder)
            let first = try await TrackerProcess(source: "nmea:receiver?speed=0", in: folder)
            try write(0..<40, to: fifo)
            let early = try follow(in: folder)
            try await wait(early, for: 30)
            try write(40..<80, to: fifo)
            try await wait(early, for: 70)
            #expect(try await finish([Program.waypost.path, "log", "rotate", "--socket", "socket"], in: folder).code == 0)
            try write(80..<120, to: fifo)
            try await wait(early, for: 110)
            let late = try follow(in: folder)
            try await wait(late, for: 110)
            first.process.send(SIGKILL)
            _ = try await first.process.exit()
            fifo.close()
            try FileManager.default.removeItem(atPath: folder.path("receiver"))
            fifo = try ReceiverFIFO("receiver", in: folder)
            let second = try await TrackerProcess(source: "nmea:receiver?speed=0", in: folder)
            try write(200..<260, to: fifo)
            try await wait(early, for: 165)
            try await wait(late, for: 165)
            #expect(try await second.stop().code == 0)
            let whole = try await export(in: folder)
            let last = numbers(early)
            for process in [early, late] {
                #expect(await eventually { process.output == whole.output })
                process.send(SIGINT)
                #expect(try await process.exit().code == 0)
                #expect(process.errors == "")
            }
            #expect(last == Array(Set(last)).sorted(), "each once, in order")
            #expect(early.output == late.output)
            #expect(early.output == whole.output)
            fifo.close()
        }

        @Test func closesTheDocumentAndEndsWithItsReader() async throws {
            let folder = try TestFolder()
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver?speed=0", in: folder)
            try write(0..<30, to: fifo)
            let gpx = try follow("--format", "gpx", in: folder)
            #expect(await eventually { gpx.output.contains("</trkpt>") })
            gpx.send(SIGTERM)
            #expect(try await gpx.exit().code == 0)
            #expect(gpx.output.hasSuffix("</gpx>\n") && gpx.errors.hasPrefix("cursor "), "\(gpx.errors)")
            // The log is quiet: nothing is written that would fail.
            let headless = try await finish(
                ["sh", "-c", "\(Program.waypost.path) log export --follow --log log --socket socket | head -n 3"], in: folder)
            #expect(headless.code == 0 && headless.outputLines.count == 3)
            let refused = try await export(in: folder, "--follow", "--format", "kml")
            #expect(refused.code == 64 && refused.errors.contains("kml has all times"))
            fifo.close()
            _ = try await tracker.stop()
        }

        @Test func goesOnWithAnotherLogInItsPlace() async throws {
            let folder = try TestFolder()
            try folder.write((0..<30).map { receiver.epoch($0).text }.joined(), to: "a.nmea")
            try folder.write((500..<530).map { receiver.epoch($0).text }.joined(), to: "b.nmea")
            func record(_ name: String) async throws {
                let options = ["--source", "nmea:\(name)?speed=0"] + TrackerProcess.options
                #expect(try await finish([Program.waypostd.path] + options, in: folder).code == 0)
            }
            try await record("a.nmea")
            let process = try follow(in: folder)
            try await wait(process, for: 30)
            try FileManager.default.moveItem(atPath: folder.path("log"), toPath: folder.path("old"))
            try await record("b.nmea")
            try await wait(process, for: 60)
            process.send(SIGINT)
            #expect(try await process.exit().code == 0)
            #expect(process.errorLines.count == 1 && process.errors.contains("another log lies there now"))
            let exported = try await export(in: folder)
            #expect(process.output.hasSuffix(exported.output) && numbers(process).count == 60)
        }
    }
}
