import Foundation
import RunningCoach
import Testing
import WaypostKit

@Suite(.timeLimit(.minutes(1))) struct RunningCoachTests {
    private let folder = NSTemporaryDirectory() + "coach-\(UInt32.random(in: 0...(.max)))"

    /// A run at 3 metres per second, a point each second, with stops of so many seconds after so many metres.
    private func recording(metres: Int, stops: [(afterMetres: Int, seconds: Int)]) throws -> ReplaySource {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        var text = "<gpx version=\"1.1\" xmlns=\"http://www.topografix.com/GPX/1/1\"><trk><trkseg>"
        var second = 0
        for way in stride(from: 0, through: metres, by: 3) {
            let stop = stops.first { ($0.afterMetres..<($0.afterMetres + 3)).contains(way) }?.seconds ?? 0
            // On the equator a degree of longitude is 111 319.4908 m, by the WGS 84 ellipsoid.
            for _ in 0...stop {
                let time = Date(timeIntervalSince1970: 1_772_000_000 + Double(second)).ISO8601Format()
                text += "<trkpt lat=\"0\" lon=\"\(Double(way) / 111_319.4908)\"><time>\(time)</time></trkpt>"
                second += 1
            }
        }
        let path = folder + "/run.gpx"
        try (text + "</trkseg></trk></gpx>").write(toFile: path, atomically: true, encoding: .utf8)
        return ReplaySource(path: path, format: .gpx, options: .init(speed: 0))
    }

    private func words(_ source: ReplaySource) async throws -> (words: [RunningWord], track: String?) {
        var words: [RunningWord] = []
        let track = try await RunningCoach(source, folder: folder + "/runs").run { words.append($0) }
        return (words, track)
    }

    @Test func pausesByItselfAndLeavesThePauseOut() async throws {
        let (words, track) = try await words(recording(metres: 2_400, stops: [(600, 90), (1_500, 20)]))
        guard case .ended(let metres, let moving) = words.last else {
            Issue.record("a run has an end")
            return
        }
        // 3 m/s: a kilometre in 334 s, as the first position after it is at 1002 m.
        #expect(
            words.dropLast(2) == [
                .paused, .resumed, .kilometre(1, took: .seconds(334)), .paused, .resumed, .kilometre(2, took: .seconds(333)),
            ])
        #expect(abs(metres - 2_400) < 0.1 && moving == .seconds(800))
        let gpx = try String(contentsOfFile: #require(track), encoding: .utf8)
        #expect(gpx.matches(of: /<trkpt/).count == 911, "the pauses are in the track")
    }

    @Test func takesAShortStopForNone() async throws {
        let (words, _) = try await words(recording(metres: 300, stops: [(150, 4)]))
        #expect(!words.contains(.paused))
        guard case .ended(_, let moving) = words.last else {
            Issue.record("a run has an end")
            return
        }
        #expect(moving == .seconds(104))
    }

    @Test func saysThatTheRecordingIsMissing() async throws {
        let source = ReplaySource(path: folder + "/none.gpx", format: .gpx)
        await #expect(throws: PositionSourceError.self) { try await words(source) }
    }
}
