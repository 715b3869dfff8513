import Foundation
import Testing
import Waypost
import WaypostTestKit

extension EndToEnd {
    /// `log list` beside the GPX files, after erasures of all kinds.
    struct ErasedSegmentsTests {
        private struct Dice: RandomNumberGenerator {
            var state: UInt64
            mutating func next() -> UInt64 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return state ^ state >> 29
            }
        }

        @Test(arguments: [1, 2, 3]) func countsTheSegmentsThatTheFileHas(seed: UInt64) async throws {
            var dice = Dice(state: seed)
            let folder = try TestFolder()
            let receiver = SimulatedReceiver()
            // Two tracks with interruptions of more than ten minutes.
            for (name, begin) in [("first", 0), ("second", 20_000)] {
                let epochs = [0..<20, 1_000..<1_030, 2_000..<2_002, 3_000..<3_040].flatMap { $0.map { begin + $0 } }
                try folder.write(epochs.map { receiver.epoch($0).text }.joined(), to: "\(name).nmea")
                let options = ["--source", "nmea:\(name).nmea?speed=0"] + TrackerProcess.options
                #expect(try await finish([Program.waypostd.path] + options, in: folder).code == 0)
            }
            func check(_ what: String) async throws {
                let list = try await waypost("log", "list", "--json", "--log", "log", in: folder)
                let tracks = try list.outputLines.map { try JSONParser().parse($0) }
                for track in tracks {
                    let file = try GPXFile(path: folder.path(try #require(track["track"]?.string)))
                    #expect(track["segments"]?.int == file.segmentCount, "\(what): \(track)")
                    #expect(track["positions"]?.int == file.pointCount, "\(what): \(track)")
                }
            }
            try await check("unchanged")
            var history: [String] = []
            for round in 0..<12 {
                let whole = try await waypost("log", "export", "--log", "log", in: folder).outputLines
                guard whole.count > 4 else { break }
                let times = try whole.map { try #require(try JSONParser().parse($0)["time"]?.string) }
                // At the beginning of the log, at an end of what is there, touching what was erased, or anywhere.
                let first = round == 0 ? 0 : Int.random(in: 0..<times.count - 1, using: &dice)
                let last = min(times.count - 1, first + Int.random(in: 1...8, using: &dice))
                let run = try await waypost(
                    "log", "erase", "--yes", "--log", "log", "--since", times[first], "--until", times[last], in: folder)
                #expect(run.code == 0, "\(run)")
                history.append("\(times[first]) \(times[last])")
                try await check(history.joined(separator: ", "))
            }
        }
    }
}
