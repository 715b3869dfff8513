import Foundation
import Testing
import Waypost
import WaypostPositioning
import WaypostTestKit

/// The promise of `waypost playback`: it steers `nmea:FILE`, with or without a style.
@Suite struct NMEAPlaybackTests {
    @Test func holdsLosesAndResetsAFile() async throws {
        let receiver = SimulatedReceiver(periodMilliseconds: 1_000)
        let path = NSTemporaryDirectory() + "waypost-playback-\(UUID().uuidString).nmea"
        try (0..<600).map { receiver.epoch($0).text }.joined().write(toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let source = NMEAFileSource(path: path, speed: 10)
        #expect(source.playbackControls.count == 1)
        try await running(source) { log in
            #expect(await log.waits { $0.positions.count >= 3 })
            source.control.isStationary = true
            try await Task.sleep(for: .milliseconds(300))
            let before = log.positions.count
            #expect(await log.waits { $0.positions.count >= before + 2 })
            let held = log.positions.suffix(2)
            #expect(Set(held.map(\.coordinate)).count == 1 && Set(held.map(\.time)).count == 2)
            #expect(held.allSatisfy { $0.speedMetresPerSecond == 0 })
            source.control.isStationary = false
            source.control.isPositionLost = true
            #expect(await log.waits { $0.losses == [.noFix] })
            source.control.isPositionLost = false
            let place = try #require(held.last?.coordinate)
            #expect(await log.waits { $0.positions.last?.coordinate != place }, "goes on")
            let times = log.positions.compactMap { $0.time?.millisecondsSince1970 }
            #expect(times == times.sorted())
            let first = try #require(log.positions.first)
            let count = log.positions.count
            source.control.reset()
            #expect(await log.waits { $0.losses == [.noFix, .ended] && $0.positions.count > count })
            #expect(log.positions[count].coordinate == first.coordinate)
        }
    }

    @Test func playsAFileFasterFromTheMomentItIsTold() async throws {
        let receiver = SimulatedReceiver(periodMilliseconds: 1_000)
        let path = NSTemporaryDirectory() + "waypost-playback-\(UUID().uuidString).nmea"
        try (0..<600).map { receiver.epoch($0).text }.joined().write(toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let source = NMEAFileSource(path: path, speed: 0.01)
        try await running(source) { log in
            #expect(await log.waits { $0.positions.count == 1 })
            // The next epoch would be due in 100 s.
            try source.control.setSpeed(50)
            #expect(await log.waits { $0.positions.count >= 10 })
            try source.control.setSpeed(nil)
            let count = log.positions.count
            try await Task.sleep(for: .milliseconds(300))
            #expect(log.positions.count <= count + 2)
            try source.control.setSpeed(0)
            #expect(await log.waits { $0.positions.count == 600 })
        }
    }

    @Test func hasNoSwitchesForWhatCannotBePlayedAgain() {
        #expect(NMEAFileSource(path: "-").playbackControls.isEmpty)
    }
}
