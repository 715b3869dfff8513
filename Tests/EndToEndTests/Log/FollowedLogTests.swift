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

        /// A stretch that is erased under a reader: who has it keeps it, who has not does not get it; what follows comes once to both.
        @Test func goesOnOverAnErasedStretchAndFromAMoment() async throws {
            let folder = try TestFolder()
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver?speed=0", in: folder)
            try write(0..<60, to: fifo)
            let early = try follow(in: folder)
            let since = try follow("--since", time(30), in: folder)
            try await wait(early, for: 55)
            try await wait(since, for: 25)
            #expect(try await erase(20..<40, in: folder).code == 0)
            try write(60..<100, to: fifo)
            let late = try follow(in: folder)
            let lateSince = try follow("--since", time(30), in: folder)
            for (process, count) in [(early, 95), (since, 65), (late, 75), (lateSince, 55)] { try await wait(process, for: count) }
            // In the last journal, beside its recorder, while all of them read it.
            #expect(try await erase(70..<80, in: folder).code == 0)
            try write(100..<120, to: fifo)
            for (process, count) in [(early, 115), (since, 85), (late, 95), (lateSince, 75)] { try await wait(process, for: count) }
            #expect(try await tracker.stop().code == 0)
            fifo.close()
            let whole = try await export(in: folder)
            let recent = try await export(in: folder, "--since", time(30))
            for (process, left) in [(early, whole), (since, recent), (late, whole), (lateSince, recent)] {
                let expected = times(left.output)
                #expect(await eventually { times(process.output).last == expected.last })
                process.send(SIGINT)
                #expect(try await process.exit().code == 0)
                #expect(process.errors == "")
                let found = times(process.output)
                #expect(found == Set(found).sorted() && Set(found).isSuperset(of: expected), "each once, in order, and none missing")
            }
            #expect(times(early.output).count == 120 && times(since.output).first == time(30) && times(since.output).count == 90)
            #expect(times(late.output).count == 100 && times(lateSince.output).first == time(40))
            #expect(times(whole.output).count == 90)
        }

        private func time(_ epoch: Int) -> String { String(format: "2026-03-01T12:%02d:%02d.000Z", epoch / 60, epoch % 60) }

        private func times(_ output: String) -> [String] {
            output.split(separator: "\n").compactMap { line in
                guard let value = try? JSONParser().parse(Array(line.utf8)), value["lat"] != nil else { return nil }
                return value["time"]?.string
            }
        }

        private func erase(_ epochs: Range<Int>, in folder: TestFolder) async throws -> Finished {
            try await finish(
                [
                    Program.waypost.path, "log", "erase", "--log", "log", "--from", time(epochs.lowerBound), "--to",
                    time(epochs.upperBound),
                    "--yes", "--socket", "socket",
                ], in: folder)
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

        /// The same tracker's numbers go on in it; another one's begin anew.
        @Test(arguments: [false, true]) func goesOnWithAnotherLogInItsPlace(isOfAnotherTracker: Bool) async throws {
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
            if isOfAnotherTracker { try FileManager.default.removeItem(atPath: folder.path("state")) }
            try await record("b.nmea")
            try await wait(process, for: 60)
            process.send(SIGINT)
            #expect(try await process.exit().code == 0)
            let told = process.errorLines.filter { $0.contains("another log lies there now") }
            #expect(told.count == process.errorLines.count && told.count == (isOfAnotherTracker ? 1 : 0), "\(process.errors)")
            #expect(Set(numbers(process)).count == (isOfAnotherTracker ? 30 : 60))
            let exported = try await export(in: folder)
            #expect(process.output.hasSuffix(exported.output) && numbers(process).count == 60)
        }
    }
}
