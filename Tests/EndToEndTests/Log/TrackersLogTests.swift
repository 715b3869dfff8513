import Foundation
import Testing
import Waypost
import WaypostTestKit

extension EndToEnd {
    /// `waypost log` and the tracker whose log is meant.
    struct TrackersLogTests {
        /// Whoever names a tracker means that one, however it was named: the configuration's log is another one's.
        @Test(.enabled(if: Program.canRunAsNobody, "needs programs that user 65534 can reach"), arguments: [true, false])
        func takesNoOtherLogForThatOfANamedTracker(isInEnvironment: Bool) async throws {
            let folder = try TestFolder()
            let own = folder.path("state/waypost/log")
            try FileManager.default.createDirectory(atPath: own + "/journal", withIntermediateDirectories: true)
            let asUser = Program.asNobody + ["env", "XDG_STATE_HOME=\(folder.path("state"))", "XDG_CONFIG_HOME=\(folder.path("config"))"]
            func log(_ arguments: [String]) async throws -> Finished {
                let (name, option) = isInEnvironment ? (["WAYPOST_SOCKET=none"], []) : ([], ["--socket", "none"])
                return try await finish(asUser + name + [Program.waypost.path, "log"] + arguments + option, in: folder)
            }
            let line =
                "waypost: tracker: not running (nothing listens on none); start it with waypost run, or name its log with --log DIR\n"
            let erasing = ["erase", "--since", "2020-01-01", "--until", "2020-01-02", "--yes"]
            for arguments in [["list"], ["export"], ["verify"], ["recover"], erasing, ["ack", "1", "--puller", "laptop"]] {
                let run = try await log(arguments)
                #expect(run.code == 69 && run.output.isEmpty && run.errors == line, "\(arguments): \(run)")
            }
            // A folder that is named needs no tracker.
            #expect(try await log(["list", "--log", own]).code == 0)
            #expect(try await log(["verify", "--log", own]).code == 0)
            // Nobody was named: the user's own log.
            let unnamed = try await finish(asUser + [Program.waypost.path, "log", "list"], in: folder)
            #expect(unnamed.code == 0 && unnamed.errors.contains("there are no tracks in \(own)"), "\(unnamed)")
        }

        /// The journal has room for more on the disk, which is no part of the track.
        @Test func givesTheSizeOfWhatWasWritten() async throws {
            let folder = try TestFolder()
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder)
            let receiver = SimulatedReceiver()
            try fifo.write((0..<8).map { receiver.epoch($0).text }.joined())
            var track: JSONValue?
            #expect(
                try await eventually {
                    let run = try await waypost("log", "list", "--json", "--socket", "socket", in: folder)
                    track = run.outputLines.first.flatMap { try? JSONParser().parse(Array($0.utf8)) }  // Nothing is logged yet.
                    return track?["positions"]?.int == 8
                })
            #expect(track?["state"]?.string == "open")
            let status = try await waypost("status", "--json", "--socket", "socket", in: folder)
            let written = try #require(try JSONParser().parse(Array(status.output.utf8))["log"]?["bytes"]?.int)
            #expect(track?["journal_bytes"]?.int == written && written < 2_000, "\(status.output)")
            let path = try #require(track?["journal"]?.string)
            #expect(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0 > written, "room is reserved")
            let list = try await waypost("log", "list", "--socket", "socket", in: folder)
            #expect(list.output.contains("journal 1 KiB"), "\(list.output)")
            fifo.close()
            #expect(try await tracker.process.exit() == ProgramExit(code: 0))
        }
    }
}
