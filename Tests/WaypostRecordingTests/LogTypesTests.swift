import Foundation
import Testing
import Waypost
import WaypostSystem

@testable import WaypostRecording

@Suite struct LogTypesTests {
    private func seconds(of path: String?) throws -> [Int64] {
        let text = try String(contentsOfFile: try #require(path), encoding: .utf8)
        let track = text[(text.range(of: "<trk>")?.lowerBound ?? text.endIndex)...]
        return track.split(separator: "<time>").dropFirst().compactMap { piece in
            UTCTime(rfc3339: Array(piece.utf8.prefix { $0 != UInt8(ascii: "<") }).span)
                .map { ($0.millisecondsSince1970 - Sample.start.millisecondsSince1970) / 1_000 }
        }
    }

    private func position(_ second: Int, _ status: FixStatus = .gps) -> Position {
        var position = Sample.position(second: second)
        position.status = status
        return position
    }

    @Test func makesAFileOfEachTypeFromOneJournal() async throws {
        try await Sample.withFolder { folder in
            var configuration = TrackRecorder.Configuration()
            configuration.types = [.raw, .source, .matched]
            let recorder = try TrackRecorder(folder: folder, configuration: configuration)
            for second in 0..<10 {
                // A tunnel from 3 to 6, dead-reckoned.
                let status: FixStatus = (3...6).contains(second) ? .deadReckoning : .gps
                #expect(try await recorder.record(position(second, status), as: [.source, .raw, .current]) != .leftOut(.notMeasured))
                // Matched positions have places of their own, and the time of their fix.
                if second % 2 == 0 { try await recorder.record(position(second), as: [.matched, .current]) }
            }
            #expect(try await recorder.record(position(20), as: .current) == .notWanted)
            let track = try #require(try await recorder.close())
            #expect(track.otherTrackPaths == [folder + "/\(track.stem).source.gpx", folder + "/\(track.stem).matched.gpx"])
            #expect(try seconds(of: track.trackPath) == [0, 1, 2, 7, 8, 9])
            #expect(try seconds(of: track.otherTrackPaths.first) == Array(0...9))
            #expect(try seconds(of: track.otherTrackPaths.last) == [0, 2, 4, 6, 8])
            #expect(track.positionCount == 6 && track.segmentCount == 1)
            // The journal holds every fix once: ten, five matched ones, and the breaks before the first of each type.
            #expect(try LogFolder(path: folder).lastSequence() <= 18)
        }
    }

    /// A position in the tracks of three types is one position, for whoever asks how many there are.
    @Test func countsAPositionOnceInHoweverManyTracksItIs() async throws {
        try await Sample.withFolder { folder in
            var configuration = TrackRecorder.Configuration()
            configuration.types = [.raw, .current, .matched]
            let recorder = try TrackRecorder(folder: folder, configuration: configuration)
            for second in 0..<10 {
                try await recorder.record(position(second), as: [.source, .raw])
                // On a road but for the last; in the middle the matcher is not sure.
                if second == 9 {
                    try await recorder.record(position(second), as: .current)
                } else if second == 5 {
                    try await recorder.record(position(second), as: .current)
                    try await recorder.record(position(second), as: .matched)
                } else {
                    try await recorder.record(position(second), as: [.current, .matched])
                }
            }
            // The same time again, and one without.
            for type in [LogTypes.raw, [.current, .matched]] {
                try await recorder.record(position(9), as: type)
                var untimed = position(9)
                untimed.time = nil
                try await recorder.record(untimed, as: type)
            }
            let statistics = await recorder.statistics
            #expect(statistics.loggedCount == 10 && statistics.segmentCount == 1)
            #expect(statistics.repeatedCount == 1 && statistics.untimedCount == 1)
            let track = try #require(try await recorder.close())
            #expect(try seconds(of: track.trackPath).count == 10)
            let erasure = try LogMaintenance(folder: LogFolder(path: folder), creator: "test").erase(
                from: Sample.start, to: Sample.start.advanced(byMilliseconds: 4_000))
            #expect(erasure.positionCount == 4 && erasure.trackCount == 1)
        }
    }

    @Test func makesTheTypesOfTheJournalWhateverIsConfiguredLater() async throws {
        try await Sample.withFolder { folder in
            var configuration = TrackRecorder.Configuration()
            configuration.types = [.source]
            var recorder: TrackRecorder? = try TrackRecorder(folder: folder, configuration: configuration)
            try await recorder?.record(position(0, .simulated))
            recorder = nil
            let track = try #require(try await TrackRecorder(folder: folder).recover().tracks.first)
            #expect(try seconds(of: track.trackPath) == [0])
        }
    }

    @Test func writesEventsAsWaypointsBeforeTheTrack() async throws {
        try await Sample.withFolder { folder in
            let recorder = try TrackRecorder(folder: folder)
            try await recorder.record(Sample.position(second: 0))
            var event = TrackerEvent(
                id: "01J", kind: "enter", name: "home <1>", time: Sample.start, position: Sample.position(second: 0),
                payload: .init(fenceID: "home", visit: 7, reason: .changed))
            try await recorder.record(event)
            try await recorder.record(Sample.position(second: 1))
            event.position = nil
            event.name = "nowhere"
            try await recorder.record(event)
            let track = try #require(try await recorder.close())
            #expect(track.eventCount == 2 && track.positionCount == 2 && track.segmentCount == 1)
            let path = try #require(track.trackPath)
            let text = try String(contentsOfFile: path, encoding: .utf8)
            #expect(text.ranges(of: "<wpt").count == 1 && text.contains("<name>home &lt;1&gt;</name>"))
            let (waypoint, segment) = (try #require(text.range(of: "<wpt")), try #require(text.range(of: "<trk>")))
            #expect(waypoint.lowerBound < segment.lowerBound)
            if Schema.path != nil { #expect(try Schema.complaints(about: [path]) == "") }
            var reader = LogReader(folder: LogFolder(path: folder))
            var events: [TrackerEvent] = []
            while let record = try reader.next() { if case .event(let found) = record.content { events.append(found) } }
            #expect(events.map(\.name) == ["home <1>", "nowhere"] && events.first?.position == Sample.position(second: 0))
            #expect(events.allSatisfy { $0.payload == event.payload })
        }
    }

    /// An event that is longer than a record is logged as far as it fits, and whoever logs it is told so.
    @Test(arguments: [3_500, 5_000, 70_000]) func leavesOutThePayloadOfALongEvent(length: Int) async throws {
        try await Sample.withFolder { folder in
            let recorder = try TrackRecorder(folder: folder)
            var event = TrackerEvent(id: "1", kind: "enter", name: "Yard", time: Sample.start, position: Sample.position(second: 0))
            event.payload = .init(fenceID: String(repeating: "é", count: length / 2), visit: 7)
            let isWhole = length < 4_000
            #expect(try await recorder.record(event) == .logged(sequence: 1, isWhole: isWhole))
            if !isWhole { event.payload = nil }
            var long = event
            (long.id, long.name) = ("2", String(repeating: "東", count: length))
            #expect(try await recorder.record(long) == .logged(sequence: 2, isWhole: false))
            long.name = String(repeating: "東", count: 341)
            if length == 3_500 { long.payload = nil }
            #expect(try await recorder.record(TrackerEvent(id: "3", kind: "enter", name: "Yard", time: nil)) == .untimed)
            _ = try await recorder.close()
            var reader = LogReader(folder: LogFolder(path: folder))
            var events: [TrackerEvent] = []
            while let record = try reader.next() { if case .event(let found) = record.content { events.append(found) } }
            #expect(events == [event, long])
        }
    }

    @Test func makesAFileOfEventsAlone() async throws {
        try await Sample.withFolder { folder in
            let recorder = try TrackRecorder(folder: folder)
            try await recorder.record(TrackerEvent(id: "1", kind: "enter", name: "a", time: Sample.start, position: Sample.bare()))
            let track = try #require(try await recorder.close())
            let path = try #require(track.trackPath)
            if Schema.path != nil { #expect(try Schema.complaints(about: [path]) == "") }
            #expect(track.positionCount == 0 && track.eventCount == 1)
        }
    }
}
