import Foundation
import Testing
import Waypost
import WaypostSystem

@testable import WaypostRecording

@Suite struct TrackRotationTests {
    private func stems(in folder: String) throws -> [String] {
        try Syscalls.names(inFolder: folder).filter { $0.hasSuffix(".gpx") }.compactMap { LogFolder.stem(ofTrack: $0)?.description }
    }

    /// What a log's records say, one word each: the second of a position, or why a segment begins.
    private func story(_ folder: String) throws -> [String] {
        var reader = LogReader(folder: LogFolder(path: folder))
        var words: [String] = []
        while let record = try reader.next() {
            switch record.content {
            case .position(let position):
                let time = try #require(position.time)
                words.append("\((time.millisecondsSince1970 - Sample.start.millisecondsSince1970) / 1_000)")
            case .segmentBreak(let reason): words.append("\(reason)")
            case .event(let event): words.append(event.name)
            case .lost, .other: Issue.record("\(record)")
            }
        }
        return words
    }

    @Test func endsTheTrackAtMidnightUTCAndGoesOnInTheNext() async throws {
        try await Sample.withFolder { folder in
            let recorder = try TrackRecorder(folder: folder)
            // 2026-05-02T03:25:02Z is 74 098 s before midnight.
            for second in [74_096, 74_097, 74_098, 74_099] {
                let outcome = try await recorder.record(Sample.position(second: second))
                guard case .logged(_, let endedTrack) = outcome else { throw RecordingError.closed }
                #expect(endedTrack == (second == 74_098))
            }
            let recovery = try await recorder.recover()
            #expect(recovery.failures == [] && recovery.tracks.map(\.positionCount) == [2])
            let last = try #require(try await recorder.close())
            #expect(last.positionCount == 2 && last.continuesPrevious)
            #expect(try stems(in: folder).map { $0.prefix(16) } == ["20260502T235958Z", "20260503T000000Z"])
            #expect(try story(folder) == ["start", "74096", "74097", "74098", "74099"], "one segment in two files")
        }
    }

    @Test func endsTheTrackWhenItsJournalIsLongEnough() async throws {
        try await Sample.withFolder { folder in
            var configuration = TrackRecorder.Configuration()
            configuration.rotateByteCount = 2_600
            let recorder = try TrackRecorder(folder: folder, configuration: configuration)
            for second in 0..<150 { try await recorder.record(Sample.position(second: second), now: 0) }
            #expect(try await recorder.recover().failures == [])
            #expect(try await recorder.close() != nil)
            #expect((3...4).contains(try stems(in: folder).count))
            for journal in try LogFolder(path: folder).journals() {
                #expect(try #require(Syscalls.byteCount(of: journal.path)) < 2_800 && !journal.isOpen)
            }
            #expect(try story(folder) == ["start"] + (0..<150).map(String.init))
        }
    }

    @Test func rotatesOnRequestAndSaysWhenTheLogWasRestarted() async throws {
        try await Sample.withFolder { folder in
            var recorder = try TrackRecorder(folder: folder)
            #expect(try await recorder.rotate() == nil)
            try await recorder.record(Sample.position(second: 0))
            #expect(try await recorder.rotate()?.positionCount == 1, "a segment of one point is a track")
            try await recorder.record(Sample.position(second: 1))
            #expect(try await recorder.close()?.continuesPrevious == true)
            recorder = try TrackRecorder(folder: folder)
            try await recorder.record(Sample.position(second: 2))
            await recorder.note(.loss)
            try await recorder.record(Sample.position(second: 3))
            #expect(try await recorder.close()?.continuesPrevious == false)
            #expect(try story(folder) == ["start", "0", "1", "restart", "2", "loss", "3"])
        }
    }

    @Test func keepsNamesOrderAndContentsWhenTheClockJumps() async throws {
        try await Sample.withFolder { folder in
            let recorder = try TrackRecorder(folder: folder)
            // A receiver that wakes in 1970, jumps to now at its first good fix, and later back by two days and on again.
            let now = Sample.start.millisecondsSince1970 / 1_000
            for second in [-now, -now + 1, 0, 1, 2, -172_800, -172_799, 3, 4] {
                var position = Sample.position(second: Int(second % 1_000))
                position.time = Sample.start.advanced(byMilliseconds: second * 1_000)
                try await recorder.record(position)
            }
            #expect(try await recorder.recover().failures == [])
            #expect(try await recorder.close() != nil)
            let names = try stems(in: folder).compactMap(TrackStem.init)
            #expect(
                names.sorted().map { $0.description.prefix(16) } == [
                    "19700101T000000Z", "20260502T032502Z", "20260430T032502Z", "20260502T032505Z",
                ])
            #expect(Set(names.map(\.description)).count == 4)
            #expect(
                try story(folder) == [
                    "start", "\(-now)", "\(-now + 1)", "jump", "0", "1", "2", "jump", "-172800", "-172799", "jump", "3", "4",
                ])
            if Schema.path != nil {
                #expect(try Schema.complaints(about: names.map { "\(folder)/\($0).gpx" }) == "")
            }
        }
    }

    @Test func aFlickeringDateDoesNotFillTheFolder() async throws {
        try await Sample.withFolder { folder in
            let recorder = try TrackRecorder(folder: folder)
            for index in 0..<400 { try await recorder.record(Sample.position(second: index % 2 == 0 ? index : index - 86_400), now: 0) }
            #expect(try await recorder.close() != nil)
            #expect(try LogFolder(path: folder).journals().count < 60)
        }
    }

    @Test func ordersAndReadsNames() throws {
        let stem = TrackStem(time: UTCTime(millisecondsSince1970: -1), bootIdentity: [1, 0xAB, 3, 4], sequence: 9)
        #expect(stem.description == "19691231T235959Z-01ab0304-9" && TrackStem(stem.description) == stem)
        let later = try #require(TrackStem("19700101T000000Z-00000000-10"))
        #expect(stem < later)
        for name in ["", "19700101T000000Z-00000000", "19700101T000000Z-00000000-010", "19700101T006000Z-00000000-1", "a-b-c", "x.1-2-3"] {
            #expect(TrackStem(name) == nil, "\(name)")
        }
    }
}
