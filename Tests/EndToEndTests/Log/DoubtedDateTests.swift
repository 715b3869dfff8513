import Foundation
import Testing
import Waypost
import WaypostSystem
import WaypostTestKit

extension EndToEnd {
    /// A receiver whose date contradicts the one confirmed since the machine was started: the status says so, and no track is deleted for
    /// its age meanwhile.
    @Suite struct DoubtedDateTests {
        private static let day = 86_400_000

        private func now(_ days: Int = 0) -> UTCTime {
            UTCTime(millisecondsSince1970: WallClock.milliseconds + Int64(days * DoubtedDateTests.day))
        }

        private func tracks(_ folder: TestFolder) throws -> Set<String> {
            Set(try folder.names(in: "log").filter { $0.hasSuffix(".gpx") })
        }

        @Test func deletesNothingUntilTheDateIsRightAgain() async throws {
            let folder = try TestFolder()
            // A track of three months ago, and one of now.
            for (days, name) in [(-90, "old"), (0, "new")] {
                let receiver = SimulatedReceiver(start: now(days))
                try folder.write((0..<20).map { receiver.epoch($0).text }.joined(), to: "\(name).nmea")
                let tracker = try ProgramProcess(
                    [Program.waypostd.path, "--source", "nmea:\(name).nmea?speed=0"] + TrackerProcess.options, in: folder)
                #expect(try await tracker.exit() == ProgramExit(code: 0), "\(tracker.errors)")
            }
            let written = try tracks(folder)
            #expect(written.count == 2)
            let old = try #require(written.min())
            // What a run before this one has settled since the machine was started.
            let settled = "\(SHA256.hexadecimal(BootIdentity.bytes)) \(BootClock.milliseconds) \(WallClock.milliseconds)\n"
            try folder.write(settled, to: "state/kept/state/confirmed-time")
            try folder.write("[log]\nmax_age = \"30 d\"\n", to: "waypost.toml")
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "waypost.toml"])
            func status(_ words: String...) async throws -> Finished {
                try await finish([Program.waypost.path, "status", "--socket", "socket"] + words, in: folder)
            }
            func say(days: Int, seconds: Int) async throws {
                // A second apart by either clock.
                let receiver = SimulatedReceiver(start: now(days))
                for index in 0..<seconds {
                    try fifo.write(receiver.epoch(index).text)
                    try await Task.sleep(for: .seconds(1))
                }
            }
            try await say(days: 3_650, seconds: 9)
            let doubted = try await status()
            let words = "until another source agrees, or an hour has passed, no track is deleted for its age"
            #expect(doubted.code == 1 && doubted.output.contains(words), "\(doubted)")
            let year = now(3_650).calendar.year
            #expect(doubted.output.contains("the receiver says \(year)-"), "\(doubted)")
            #expect(try await status("--json").output.contains(words))
            #expect(tracker.process.errors.contains(words), "told in the log of messages, too")
            // The end of a track is when tracks are deleted.
            #expect(try await waypost("log", "rotate", "--socket", "socket", in: folder).code == 0)
            try await say(days: 3_650, seconds: 3)
            let kept = try tracks(folder)
            #expect(kept.count == 3 && kept.isSuperset(of: written.subtracting([old])), "\(kept)")
            // A time server that agrees with this machine has said from the start how old the old one is.
            if WallClock.millisecondsIfSynchronized == nil {
                #expect(kept.contains(old) && !tracker.process.errors.contains("deleted \(old.dropLast(4))"))
            }
            try await say(days: 0, seconds: 4)
            #expect(try await eventually { try !tracks(folder).contains(old) }, "\(tracker.process.errors)")
            #expect(try tracks(folder).isSuperset(of: kept.subtracting([old])))
            #expect(tracker.process.errors.contains("deleted \(old.dropLast(4))"), "\(tracker.process.errors)")
            #expect(try await !status().output.contains(words))
            fifo.close()
            _ = try await tracker.stop()
        }
    }
}
