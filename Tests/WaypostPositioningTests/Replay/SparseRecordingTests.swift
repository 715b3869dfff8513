import Foundation
import Testing
import Waypost
import WaypostPositioning
import WaypostTestKit

/// Recordings of telephones and watches, and logs that leave points out.
@Suite(.timeLimit(.minutes(1))) struct SparseRecordingTests {
    @Test(arguments: ReplaySchedule.Style.allCases) func isNeverLostBetweenItsPoints(style: ReplaySchedule.Style) async throws {
        var moment = 0
        let times = (0..<300).map { index in
            defer { moment += [2, 17, 3, 9, 2, 2, 12, 5][index % 8] }
            return moment
        }
        let losses = try await losses(of: times, style: style)
        #expect(losses == [.ended])
    }

    @Test func isLostWhereAReceiverWas() async throws {
        let times = Array(0..<100) + Array(130..<200)
        #expect(try await losses(of: times, style: .actual).count == 2)
    }

    /// As it is read without any option of a recording.
    @Test(arguments: [0, 200]) func isReadLikeThatFromSentences(speed: Double) async throws {
        let receiver = SimulatedReceiver()
        var moment = 0
        let sparse = (0..<100).map { index in
            defer { moment += [2, 17, 3, 9, 2, 2, 12, 5][index % 8] }
            return receiver.epoch(moment).text
        }
        #expect(try await losses(of: sparse.joined(), speed: speed) == [.ended])
        let steady = (0..<300).filter { !(100..<130).contains($0) }
        #expect(try await losses(of: steady.map { receiver.epoch($0).text }.joined(), speed: speed) == [.silent, .ended])
        let blind = (0..<300).map { (100..<130).contains($0) ? receiver.epochWithoutFix($0) : receiver.epoch($0).text }
        #expect(try await losses(of: blind.joined(), speed: speed) == [.noFix, .ended])
        // A receiver that does not know the day yet.
        let dayless = steady.map { receiver.epoch($0).sentences[0] }
        #expect(try await losses(of: dayless.joined(), speed: speed) == [.silent, .ended])
    }

    /// What the manager tells of sentences in a file.
    private func losses(of sentences: String, speed: Double) async throws -> [LossReason] {
        let path = NSTemporaryDirectory() + "waypost-sparse-\(UInt32.random(in: 0...(.max))).nmea"
        try sentences.write(toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }  // What is left in the temporary folder does no harm.
        return try await losses(of: NMEAFileSource(path: path, speed: speed))
    }

    /// What the manager tells of a recording with points at those seconds, played at once.
    private func losses(of times: [Int], style: ReplaySchedule.Style) async throws -> [LossReason] {
        let points = times.map { second in
            let time = ISO8601DateFormatter().string(from: Date(timeIntervalSince1970: 1_772_344_800 + Double(second)))
            return "<trkpt lat=\"\(47 + Double(second) / 10_000)\" lon=\"8\"><time>\(time)</time></trkpt>"
        }
        let path = NSTemporaryDirectory() + "waypost-sparse-\(UInt32.random(in: 0...(.max))).gpx"
        let text = "<gpx version=\"1.1\" creator=\"t\"><trk><trkseg>\(points.joined())</trkseg></trk></gpx>"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }  // What is left in the temporary folder does no harm.
        return try await losses(of: ReplaySource(path: path, format: .gpx, options: .init(style: style, speed: 0)))
    }

    private func losses(of source: any PositionSource) async throws -> [LossReason] {
        let manager = PositioningManager(source: source)
        let log = UpdateLog()
        await manager.attach(log)
        await manager.start()
        try await manager.waitUntilFinished()
        return await log.updates.compactMap { if case .lost(let reason) = $0 { reason } else { nil } }
    }
}
