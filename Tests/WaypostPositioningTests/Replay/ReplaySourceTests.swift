import Foundation
import Testing
import Waypost
import WaypostPositioning
import WaypostTestKit

@Suite struct ReplaySourceTests {
    /// A track of one point per second to the north, 10 m/s, a second segment a minute later.
    private func track(points: Int = 10, segments: Int = 2, secondsApart: Int = 1) -> String {
        var text = "<?xml version=\"1.0\"?><gpx version=\"1.1\" xmlns=\"http://www.topografix.com/GPX/1/1\"><trk>"
        for segment in 0..<segments {
            text += "<trkseg>"
            for point in 0..<points {
                let second = segment * 60 + point * secondsApart
                let time = "2026-03-01T\(String(format: "%02d:%02d:%02d", 6 + second / 3_600, second / 60 % 60, second % 60))Z"
                text += "<trkpt lat=\"\(47 + Double(second) * 0.00009)\" lon=\"8\"><time>\(time)</time></trkpt>"
            }
            text += "</trkseg>"
        }
        return text + "</trk></gpx>"
    }

    private func write(_ text: String, named name: String = "drive.gpx") throws -> String {
        let path = NSTemporaryDirectory() + UUID().uuidString + "-" + name
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    /// Everything that one run delivers until it ends.
    private func events(of source: some PositionSource) async throws -> [PositionSourceEvent] {
        let log = EventLog()
        try await source.run { log.append($0) }
        return log.events
    }

    @Test(arguments: ReplaySchedule.Style.allCases) func keepsTheContract(style: ReplaySchedule.Style) async throws {
        let path = try write(track())
        defer { try? FileManager.default.removeItem(atPath: path) }
        let violations = await PositionSourceContract().violations {
            ReplaySource(path: path, format: .gpx, options: .init(style: style, speed: 20))
        }
        #expect(violations.isEmpty, "\(violations)")
    }

    @Test func keepsTheTimesOfTheRecordingWhenAsked() async throws {
        let path = try write(track(points: 3))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let found = try await events(of: ReplaySource(path: path, format: .gpx, options: .init(speed: 0, rebasesTimes: false)))
        let start = try #require(UTCTime(year: 2026, month: 3, day: 1, millisecondOfDay: 21_600_000))
        let told = found.compactMap { event -> String? in
            switch event {
            case .position(let position): position.time.map { "\(($0.millisecondsSince1970 - start.millisecondsSince1970) / 1_000)" }
            case .lost: "lost"
            case .finished: "finished"
            default: nil
            }
        }
        #expect(told == ["0", "1", "2", "lost", "60", "61", "62", "finished"])
    }

    @Test func movesTheTimesToNowByDefault() async throws {
        let path = try write(track(points: 3, segments: 1))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let before = Int64(Date().timeIntervalSince1970 * 1_000)
        let found = try await events(of: ReplaySource(path: path, format: .gpx, options: .init(speed: 0)))
        let times = found.compactMap { event -> Int64? in
            if case .position(let position) = event { position.time?.millisecondsSince1970 } else { nil }
        }
        let first = try #require(times.first)
        #expect((before - 1_000...before + 60_000).contains(first))
        // The drive's own time, although it took no time.
        #expect(times == [first, first + 1_000, first + 2_000])
    }

    @Test func givesTheSamePlacesAtFullSpeedAndPaced() async throws {
        let path = try write(track(points: 5, segments: 1))
        defer { try? FileManager.default.removeItem(atPath: path) }
        func replay(_ speed: Double) async throws -> [PositionSourceEvent] {
            try await events(
                of: ReplaySource(path: path, format: .gpx, options: .init(style: .interpolated, speed: speed, rebasesTimes: false)))
        }
        let start = ContinuousClock.now
        let paced = try await replay(8)
        #expect(ContinuousClock.now - start >= .milliseconds(490), "4 s at 8 times")
        #expect(try await replay(0) == paced)
    }

    @Test func goesFasterAndSlowerFromTheMomentItIsTold() async throws {
        let path = try write(track(points: 600, segments: 1))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let source = ReplaySource(path: path, format: .gpx, options: .init(speed: 0.01, rebasesTimes: false))
        #expect(throws: PlaybackError.self) { try source.control.setSpeed(-1) }
        #expect(source.control.speed == nil)
        try await running(source) { log in
            #expect(await log.waits { $0.positions.count == 1 })
            // The next point would be due in 100 s.
            try source.control.setSpeed(50)
            #expect(await log.waits { $0.positions.count >= 20 })
            try source.control.setSpeed(nil)
            let count = log.positions.count
            try await Task.sleep(for: .milliseconds(300))
            #expect(log.positions.count <= count + 2)
            try source.control.setSpeed(0)
            #expect(await log.waits { $0.positions.count == 600 })
            #expect(Set(log.positions.map(\.time)).count == 600)
        }
    }

    @Test func changesIntervalAndStyleWhileItIsPlayed() async throws {
        let path = try write(track(points: 900, segments: 1, secondsApart: 10))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let source = ReplaySource(path: path, format: .gpx, options: .init(style: .interpolated, interval: .seconds(5), speed: 0))
        let log = EventLog()
        try await source.run { event in
            log.append(event)
            var options = source.options
            switch log.positions.count {
            case 3: options.interval = .milliseconds(500)
            case 400: options.style = .actual
            case 800: (options.style, options.interval) = (.fixed, .seconds(1))
            default: return
            }
            do { try source.change(to: options) } catch { Issue.record(error) }
        }
        let times = log.positions.compactMap { $0.time?.millisecondsSince1970 }
        let steps = zip(times, times.dropFirst()).map { $1 - $0 }
        let kinds = steps.reduce(into: [Int64]()) { if $0.last != $1 { $0.append($1) } }
        // In between, from a place on a line to its end.
        let expected: [Int64] = [5_000, 500, 10_000, 1_000]
        #expect(kinds.filter(expected.contains) == expected && kinds.count <= 5, "\(kinds)")
        #expect(log.positions.last?.coordinate.latitudeDegrees == 47 + 8_990 * 0.00009)
        #expect(log.events.last == .finished)
    }

    @Test func doesNotWaitForTheOldInterval() async throws {
        let path = try write(track(points: 60, segments: 1, secondsApart: 10))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let source = ReplaySource(path: path, format: .gpx, options: .init(style: .fixed, interval: .seconds(86_400)))
        try await running(source) { log in
            #expect(await log.waits { $0.positions.count == 1 })
            try source.change(to: .init(style: .fixed, interval: .milliseconds(100)))
            #expect(await log.waits { $0.positions.count >= 4 })
            try source.change(to: .init(style: .interpolated, interval: .milliseconds(200), speed: 0))
            #expect(await log.waits { $0.events.last == .finished })
            #expect(log.positions.count > 60)
        }
        // Later runs begin like that.
        #expect(try await events(of: source).count > 60 * 40)
    }

    @Test(arguments: [(-1, 1_000), (.nan, 1_000), (1, 50), (1, 0), (1, -1)] as [(Double, Int64)])
    func refusesAChangeToThatPaceAndGoesOnAsBefore(speed: Double, intervalMilliseconds: Int64) async throws {
        let path = try write(track(points: 3, segments: 1))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let source = ReplaySource(path: path, format: .gpx, options: .init(speed: 0))
        let before = source.options
        #expect(throws: PlaybackError.self) {
            try source.change(to: .init(interval: .milliseconds(intervalMilliseconds), speed: speed))
        }
        #expect(source.options == before)
        #expect(try await events(of: source).count == 4)
    }

    @Test(arguments: [(-1, 1_000), (.nan, 1_000), (1e9, 1_000), (1, 50), (1, 0)] as [(Double, Int64)])
    func refusesToPlayAtThatPace(speed: Double, intervalMilliseconds: Int64) async throws {
        let path = try write(track(points: 3, segments: 1))
        defer { try? FileManager.default.removeItem(atPath: path) }
        var options = ReplaySource.Options(interval: .milliseconds(intervalMilliseconds))
        options.speed = speed
        await #expect(throws: PositionSourceError.self) { try await events(of: ReplaySource(path: path, format: .gpx, options: options)) }
        if intervalMilliseconds == 1_000 {
            await #expect(throws: PositionSourceError.self) { try await events(of: NMEAFileSource(path: path, speed: speed)) }
        }
    }

    @Test func holdsThePositionWhileItIsStationary() async throws {
        let path = try write(track(points: 100, segments: 1))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let source = ReplaySource(path: path, format: .gpx, options: .init(interval: .milliseconds(100), speed: 20))
        try await running(source) { log in
            #expect(await log.waits { $0.positions.count >= 5 })
            source.control.isStationary = true
            let before = log.positions.count
            #expect(await log.waits { $0.positions.count >= before + 10 })
            source.control.isStationary = false
            let held = log.positions[(before + 2)..<(before + 9)]
            #expect(Set(held.map(\.coordinate)).count == 1)
            #expect(held.allSatisfy { $0.speedMetresPerSecond == 0 })
            let place = try #require(held.last?.coordinate)
            #expect(await log.waits { $0.positions.last?.coordinate != place }, "goes on")
        }
    }

    @Test func losesThePositionWhileTheProgressGoesOn() async throws {
        let path = try write(track(points: 200, segments: 1))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let source = ReplaySource(path: path, format: .gpx, options: .init(speed: 20))
        try await running(source) { log in
            #expect(await log.waits { $0.positions.count >= 3 })
            source.control.isPositionLost = true
            #expect(await log.waits { $0.losses == [.noFix] })
            let before = log.positions
            try await Task.sleep(for: .milliseconds(500))
            #expect(log.positions.count - before.count <= 1)
            source.control.isPositionLost = false
            #expect(await log.waits { $0.positions.count > before.count + 1 })
            let last = try #require(before.last).coordinate.latitudeDegrees
            let next = log.positions[before.count + 1].coordinate.latitudeDegrees
            // Half a second at twenty times its speed is ten points of 0.00009 degrees.
            #expect(next - last > 0.0005, "the drive went on in the tunnel")
        }
    }

    @Test func beginsAgainAfterAReset() async throws {
        let path = try write(track(points: 200, segments: 1))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let source = ReplaySource(path: path, format: .gpx, options: .init(speed: 20))
        try await running(source) { log in
            #expect(await log.waits { $0.positions.count >= 5 })
            source.control.reset()
            #expect(await log.waits { $0.losses == [.ended] && $0.positions.last?.coordinate.latitudeDegrees ?? 0 < 47.0003 })
            let times = log.positions.compactMap { $0.time?.millisecondsSince1970 }
            #expect(times == times.sorted(), "times go on growing")
        }
    }

    @Test func wakesFromALongPauseWhenItIsReset() async throws {
        var text = track(points: 1, segments: 1)
        text = text.replacingOccurrences(
            of: "</trkseg>", with: "<trkpt lat=\"47.1\" lon=\"8\"><time>2026-03-01T06:09:00Z</time></trkpt></trkseg>")
        let path = try write(text)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let source = ReplaySource(path: path, format: .gpx)
        try await running(source) { log in
            #expect(await log.waits { $0.positions.count == 1 })
            source.control.reset()
            #expect(await log.waits { $0.positions.count == 2 })
        }
    }

    @Test func replaysNMEAInTheSameStyles() async throws {
        let lines = ["120000", "120002", "120006"].enumerated().map { index, time in
            let body = "GPRMC,\(time),A,470\(index).0000,N,00800.0000,E,10.0,0.0,010326,,,A"
            return "$\(body)*\(String(format: "%02X", body.utf8.reduce(0, ^)))\r\n"
        }
        let path = try write(lines.joined(), named: "drive.nmea")
        defer { try? FileManager.default.removeItem(atPath: path) }
        let found = try await events(of: ReplaySource(path: path, format: .nmea, options: .init(style: .interpolated, speed: 0)))
        #expect(found.count { if case .position = $0 { true } else { false } } == 7)
        #expect(found.last == .finished)
    }

    @Test(arguments: [
        ("<gpx><rte><rtept lat=\"1\" lon=\"2\"/></rte></gpx>", "holds no track point; to drive along its route use route:FILE"),
        ("<gpx></gpx>", "holds no track point"),
    ])
    func refusesWhatHoldsNoTrack(text: String, reason: String) async throws {
        let path = try write(text)
        defer { try? FileManager.default.removeItem(atPath: path) }
        await #expect(throws: PositionSourceError.unusable(path: path, reason: reason)) {
            _ = try await events(of: ReplaySource(path: path, format: .gpx, options: .init(speed: 0)))
        }
    }

    @Test func refusesAFileThatIsNotThere() async {
        await #expect(throws: PositionSourceError.cannotOpen(path: "/nowhere.gpx", reason: "No such file or directory")) {
            _ = try await events(of: ReplaySource(path: "/nowhere.gpx", format: .gpx))
        }
    }
}
