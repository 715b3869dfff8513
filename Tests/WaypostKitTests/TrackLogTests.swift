import Foundation
import Testing
import Waypost
import WaypostKit
import WaypostRecording
import WaypostSystem

@Suite(.timeLimit(.minutes(2))) struct TrackLogTests {
    private let folder: String
    private let home: Coordinate

    init() throws {
        folder = NSTemporaryDirectory() + "waypost-kit-log-\(UInt32.random(in: 0...(.max)))"
        home = try #require(Coordinate(latitudeDegrees: 47, longitudeDegrees: 8))
    }

    /// One position a second, 10 m apart, from a second on.
    private func drive(_ seconds: Range<Int>) -> [Position] {
        seconds.map { second in
            let place = Geodesic.end(from: home, azimuthDegrees: 0, distanceMetres: 10 * Double(second)).coordinate
            return Position(time: moment(second), coordinate: place)
        }
    }

    private func play(_ manager: PositioningManager) async {
        for await _ in manager.liveUpdates() {}
    }

    /// A log in the folder, as soon as the one before it has given it free.
    private func openLog(of manager: PositioningManager, _ options: TrackLog.Options = .init()) async throws -> TrackLog {
        for _ in 0..<100 {
            if let log = try? await TrackLog(manager, folder: folder, options: options) { return log }
            try await Task.sleep(for: .milliseconds(50))
        }
        return try await TrackLog(manager, folder: folder, options: options)
    }

    /// The places and times of a GPX file, found in its text.
    private func points(_ path: String) throws -> [String] {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        return text.matches(of: /<trkpt lat="([^"]*)" lon="([^"]*)">.*?<time>([^<]*)<\/time>/.dotMatchesNewlines()).map { match in
            "\(match.1) \(match.2) \(match.3)"
        }
    }

    private func words(_ positions: [Position]) -> [String] {
        positions.map { position in
            let date = Date(timeIntervalSince1970: Double(position.time?.millisecondsSince1970 ?? 0) / 1_000)
            let time = date.ISO8601Format()
            let places = [position.coordinate.latitudeDegrees, position.coordinate.longitudeDegrees]
            return places.map { String(format: "%.7f", $0) }.joined(separator: " ") + " " + time
        }
    }

    @Test func makesATrackOfAReplay() async throws {
        let positions = drive(0..<60)
        let manager = PositioningManager(source: ListedSource(positions))
        let log = try await TrackLog(manager, folder: folder)
        await play(manager)
        let track = try #require(try await log.close())
        #expect(track.positionCount == 60 && track.segmentCount == 1)
        #expect(try points(try #require(track.trackPath)) == words(positions))
        #expect(await log.problems.isEmpty)
        #expect(await log.statistics.loggedCount == 60)
        let again = try await log.close()
        #expect(again == nil, "closing again does nothing")
    }

    /// Of fixes that are matched, the log has what was measured, the place on the road, and the better of the two.
    @Test func logsRawMatchedAndCurrentPositions() async throws {
        let positions = drive(0..<60)
        let manager = PositioningManager(source: ListedSource(positions))
        var options = TrackLog.Options()
        options.recorder.types = [.raw, .matched, .current]
        let log = try await TrackLog(manager, folder: folder, options: options)
        await manager.matchPositions(with: Shift())
        await play(manager)
        let track = try #require(try await log.close())
        let path = try #require(track.trackPath)
        #expect(try points(path) == words(positions))
        let stem = path.dropLast(4)
        let onRoads = positions.map { Shift.matched($0) }
        // From the 20th to the 29th there is no road, from the 40th on none is likely enough.
        #expect(try points(stem + ".matched.gpx") == words(Array(onRoads[..<20] + onRoads[30...])))
        let text = try String(contentsOfFile: stem + ".matched.gpx", encoding: .utf8)
        #expect(text.components(separatedBy: "<trkseg>").count == 3)
        // The first fix came before it was known that they are matched.
        var current = positions
        current.replaceSubrange(1..<20, with: onRoads[1..<20])
        current.replaceSubrange(30..<40, with: onRoads[30..<40])
        #expect(try points(stem + ".current.gpx") == words(current))
        #expect(await log.statistics.loggedCount > 0)
    }

    @Test func logsCurrentPositionsWithoutMatches() async throws {
        let positions = drive(0..<20)
        let manager = PositioningManager(source: ListedSource(positions))
        var options = TrackLog.Options()
        options.recorder.types = [.current, .matched]
        let log = try await TrackLog(manager, folder: folder, options: options)
        await play(manager)
        let track = try #require(try await log.close())
        #expect(try points(try #require(track.trackPath)) == words(positions))
    }

    @Test func finishesTheTrackOfARunThatEndedWithoutClosing() async throws {
        let positions = drive(0..<30)
        do {
            let manager = PositioningManager(source: ListedSource(positions))
            let log = try await TrackLog(manager, folder: folder)
            await play(manager)
            #expect(await log.statistics.loggedCount == 30)
        }
        // Whoever drops a log gives its folder free as soon as its last work is done.
        let manager = PositioningManager(source: ListedSource(drive(60..<70)))
        let log = try await openLog(of: manager)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".gpx") }
        #expect(files.count == 1)
        #expect(try points("\(folder)/\(files[0])") == words(positions))
        await play(manager)
        #expect(try await log.close()?.positionCount == 10)
    }

    @Test func logsTheSameInTwoFoldersAndNeverTwiceInOne() async throws {
        let manager = PositioningManager(source: ListedSource(drive(0..<40)))
        let first = try await TrackLog(manager, folder: folder + "/a")
        let second = try await TrackLog(manager, folder: folder + "/b")
        await #expect(throws: RecordingError.self) { _ = try await TrackLog(manager, folder: folder + "/a") }
        await play(manager)
        let tracks = (try await first.close(), try await second.close())
        let found = try points(try #require(tracks.0?.trackPath))
        #expect(found.count == 40)
        #expect(try points(try #require(tracks.1?.trackPath)) == found)
    }

    @Test func beginsASegmentAfterALossAndATrackAfterItsEnd() async throws {
        let (before, after) = (drive(0..<10).map(PositionSourceEvent.position), drive(60..<70).map(PositionSourceEvent.position))
        let manager = PositioningManager(source: ListedSource(events: before + [.lost(.silent)] + after))
        let log = try await TrackLog(manager, folder: folder)
        await play(manager)
        let first = try #require(try await log.finishTrack())
        #expect(first.positionCount == 20 && first.segmentCount == 2)
        await manager.use(ListedSource(drive(100..<105)))
        await play(manager)
        let second = try #require(try await log.close())
        #expect(second.positionCount == 5 && second.trackPath != first.trackPath)
    }

    @Test func leavesOutWhatIsTooClose() async throws {
        var options = TrackLog.Options()
        options.thinning.minimumMetres = 45
        let manager = PositioningManager(source: ListedSource(drive(0..<51)))
        let log = try await TrackLog(manager, folder: folder, options: options)
        await play(manager)
        #expect(log.thinnedCount == 40)
        // Every 50 metres, both ends included.
        #expect(try await log.close()?.positionCount == 11)
    }

    @Test func saysThatItIsOffWithoutTypes() async throws {
        // What an earlier run has left is finished all the same.
        do {
            let manager = PositioningManager(source: ListedSource(drive(0..<30)))
            let log = try await TrackLog(manager, folder: folder)
            #expect(!log.isOff)
            await play(manager)
            #expect(log.unloggedCount == 0)
        }
        var options = TrackLog.Options()
        options.recorder.types = []
        let manager = PositioningManager(source: ListedSource(drive(60..<70)))
        let log = try await openLog(of: manager, options)
        await play(manager)
        #expect(log.isOff && log.unloggedCount == 10)
        #expect(try await log.record(TrackerEvent(id: "lap-1", kind: "lap", name: "first", time: moment(69))) == .notWanted)
        #expect(await log.statistics.loggedCount == 0)
        #expect(await log.problems.isEmpty)
        let track = try await log.close()
        #expect(track == nil)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".gpx") }
        #expect(files.count == 1, "only the track of the earlier run")
    }

    @Test func suppliesWhatItHasLogged() async throws {
        let positions = drive(0..<20)
        let manager = PositioningManager(source: ListedSource(positions))
        let log = try await TrackLog(manager, folder: folder)
        await play(manager)
        let event = TrackerEvent(id: "lap-1", kind: "lap", name: "first", time: moment(19), position: positions[19])
        let result = try await log.record(event)
        #expect("\(result)".hasPrefix("logged"), "\(result)")
        let supply = log.positions
        let newest = try await supply.newestNumber()
        let page = try await supply.positions(after: 0, through: newest, limit: 1_000)
        #expect(page.positions.map(\.position.coordinate) == positions.map(\.coordinate) && page.missing.isEmpty)
        #expect(try await supply.count(after: 0, through: newest) == 20)
        let track = try #require(try await log.close()?.trackPath)
        #expect(try String(contentsOfFile: track, encoding: .utf8).contains("<wpt "))
    }

    @Test func saysWhyAFolderCannotBeUsed() async throws {
        let file = folder + ".txt"
        try Data("x".utf8).write(to: URL(fileURLWithPath: file))
        do {
            _ = try await TrackLog(PositioningManager(source: ListedSource([])), folder: file)
            Issue.record("a file is not a folder")
        } catch {
            #expect("\(error)".hasPrefix(file + ": cannot be used for the log: "), "\(error)")
        }
    }
}

/// Puts fixes on a road 10 m to the east.
private actor Shift: PositionMatching {
    private var count = 0

    func match(_ position: Position) -> MatchedPosition? {
        count += 1
        guard !(21...30).contains(count) else { return nil }
        return MatchedPosition(
            position: Shift.matched(position), confidence: count > 40 ? 0.4 : 0.9, wayID: 7, offsetMetres: 10)
    }

    func lose() {}

    static func matched(_ position: Position) -> Position {
        var moved = position
        moved.coordinate = Geodesic.end(from: position.coordinate, azimuthDegrees: 90, distanceMetres: 10).coordinate
        return moved
    }
}
