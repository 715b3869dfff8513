import Foundation
import Testing
import Waypost
import WaypostSystem

@testable import WaypostRecording

@Suite struct RetentionTests {
    private static let day = Duration.seconds(86_400)

    /// Five tracks of a thousand bytes, a day after the other, with numbers up to 10, 20, ...
    private let tracks = (1...5).map { number in
        RetentionRule.Track(
            stem: "\(number)", lastSequence: UInt64(number * 10),
            lastTime: Sample.start.advanced(byMilliseconds: Int64(number) * 86_400_000),
            byteCount: 1_000)
    }

    private func situation(
        day: Int64? = nil, free: Int64? = 1_000_000, open: Int64 = 500, pullers: [String: UInt64] = [:]
    ) -> RetentionRule.Situation {
        .init(
            confirmedTime: day.map { Sample.start.advanced(byMilliseconds: $0 * 86_400_000) }, freeByteCount: free, openByteCount: open,
            pullers: pullers.map { .init(name: $0.key, cursor: $0.value) })
    }

    @Test func deletesNothingUnlessTold() {
        #expect(RetentionRule().isIdle && RetentionRule().expired(tracks, in: situation(day: 10_000, free: 0)) == [])
    }

    @Test func deletesByAgeOnlyWhenTheDateIsConfirmed() {
        var rule = RetentionRule()
        rule.maximumAge = Self.day * 3
        #expect(rule.expired(tracks, in: situation(day: 5)).map(\.stem) == ["1"])
        #expect(rule.expired(tracks, in: situation(day: 100)).map(\.stem) == ["1", "2", "3", "4", "5"])
        #expect(rule.expired(tracks, in: situation(day: nil)) == [])
        #expect(rule.expired(tracks, in: situation(day: -20_000)) == [], "1970")
    }

    @Test func takesNoTrackForOlderThanThoseBefore() {
        var rule = RetentionRule()
        rule.maximumAge = Self.day * 3
        var tracks = tracks
        // One day says 2006, another 2046: weeks that ran over.
        tracks[3].lastTime = tracks[3].lastTime?.advanced(byMilliseconds: -619_315_200_000)
        tracks[1].lastTime = tracks[1].lastTime?.advanced(byMilliseconds: 619_315_200_000)
        #expect(rule.expired(tracks, in: situation(day: 5)).map(\.stem) == ["1"])
        #expect(rule.expired(tracks, in: situation(day: 7)).map(\.stem) == ["1", "3", "4"])
    }

    @Test func deletesTheOldestUntilTheRestFits() {
        var rule = RetentionRule()
        rule.maximumByteCount = 3_500
        #expect(rule.expired(tracks, in: situation()).map(\.stem) == ["1", "2"])
        rule.maximumByteCount = 5_500
        #expect(rule.expired(tracks, in: situation()) == [])
        rule.maximumByteCount = nil
        rule.minimumFreeByteCount = 10_000
        #expect(rule.expired(tracks, in: situation(free: 7_500)).map(\.stem) == ["1", "2", "3"])
        #expect(rule.expired(tracks, in: situation(free: nil)) == [])
    }

    @Test func keepsWhatOneOfThePullersHasNot() {
        var rule = RetentionRule()
        rule.maximumByteCount = 1
        rule.keepsUnpulled = true
        #expect(rule.expired(tracks, in: situation()) == [], "nobody has pulled yet")
        #expect(rule.expired(tracks, in: situation(pullers: ["nas": 29])).map(\.stem) == ["1", "2"])
        #expect(rule.expired(tracks, in: situation(pullers: ["nas": 50, "laptop": 10])).map(\.stem) == ["1"])
        rule.keepsUnpulled = false
        #expect(rule.expired(tracks, in: situation(pullers: ["nas": 0])).count == 5)
    }

    private func sums(_ folder: String) throws -> [String] {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/sha256sum")
        process.arguments = ["--check", "--strict", "SHA256SUMS"]
        process.currentDirectoryURL = URL(filePath: folder)
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(text)")
        return text.split(separator: "\n").map(String.init)
    }

    @Test func deletesTracksWithAllTheirFilesAndKeepsTheDigestsRight() async throws {
        try await Sample.withFolder { folder in
            var configuration = TrackRecorder.Configuration()
            configuration.types = [.raw, .source]
            configuration.retention.maximumAge = Self.day * 2
            configuration.retention.keepsUnpulled = true
            let recorder = try TrackRecorder(folder: folder, configuration: configuration)
            var stems: [String] = []
            for day in 0..<4 {
                try await recorder.record(Sample.position(second: day * 86_400), now: 0)
                stems.append(try #require(try await recorder.finishTrack()).stem)
            }
            try await recorder.record(Sample.position(second: 4 * 86_400), now: 0)
            #expect(try sums(folder).count == 8)
            let today = Sample.start.advanced(byMilliseconds: 4 * 86_400_000)
            #expect(try await recorder.applyRetention(confirmedTime: today).map(\.stem) == [], "nobody has it")
            // The first track, and half of the second.
            try Pullers(folder: LogFolder(path: folder)).acknowledge(3, puller: "nas")
            #expect(try await recorder.applyRetention(confirmedTime: nil).map(\.stem) == [])
            #expect(try await recorder.applyRetention(confirmedTime: today).map(\.stem) == [stems[0]])
            #expect(try sums(folder).count == 6)
            try Pullers(folder: LogFolder(path: folder)).acknowledge(9, puller: "nas")
            #expect(try await recorder.applyRetention(confirmedTime: today).map(\.stem) == [stems[1]], "two days old is not older")
            #expect(try Syscalls.names(inFolder: folder).filter { $0.hasSuffix(".gpx") }.count == 4)
            #expect(try LogFolder(path: folder).journals().map(\.stem).prefix(2) == [stems[2], stems[3]])
            #expect(await recorder.statistics.deletedTrackCount == 2)
        }
    }

    /// Somebody may have waited for them.
    @Test func tellsWhichPositionsWentAndWhy() async throws {
        try await Sample.withFolder { folder in
            var configuration = TrackRecorder.Configuration()
            configuration.retention.maximumByteCount = 1
            let recorder = try TrackRecorder(folder: folder, configuration: configuration)
            for second in 0..<5 { try await recorder.record(Sample.position(second: second), now: 0) }
            let numbers = try LogFolder(path: folder).journals().map(\.firstSequence)
            let stem = try #require(try await recorder.finishTrack()).stem
            let gone = try await recorder.applyRetention(confirmedTime: nil)
            #expect(gone.map(\.stem) == [stem] && gone.map(\.reason) == [.tooMuch])
            let positions = try #require(gone.first?.positions)
            #expect(positions.reduce(0) { $0 + $1.count } == 5 && positions[0].lowerBound >= numbers[0])
        }
    }

    /// A new journal takes a megabyte for what is to come: that is not the log yet.
    @Test func deletesNothingForTheRoomOfTheOpenTrack() async throws {
        try await Sample.withFolder { folder in
            var configuration = TrackRecorder.Configuration()
            configuration.retention.maximumByteCount = 100_000
            let recorder = try TrackRecorder(folder: folder, configuration: configuration)
            try await recorder.record(Sample.position(second: 0), now: 0)
            _ = try #require(try await recorder.finishTrack())
            try await recorder.record(Sample.position(second: 60), now: 0)
            let open = try #require(try LogFolder(path: folder).journals().first(where: \.isOpen))
            #expect(try #require(Syscalls.byteCount(of: open.path)) > 100_000)
            #expect(try await recorder.applyRetention(confirmedTime: nil).map(\.stem) == [])
            // What is written counts.
            for second in 61..<3_000 { try await recorder.record(Sample.position(second: second), now: 0) }
            #expect(try await recorder.applyRetention(confirmedTime: nil).count == 1)
        }
    }

    /// Neither is that of the journal that a killed tracker left, which a full disk or its version keeps unfinished.
    @Test(arguments: [1, 2] as [UInt16]) func deletesNothingForTheRoomOfAKilledRun(version: UInt16) async throws {
        try await Sample.withFolder { folder in
            var configuration = TrackRecorder.Configuration()
            configuration.retention.maximumByteCount = 100_000
            let log = LogFolder(path: folder)
            do {
                let recorder = try TrackRecorder(folder: folder, configuration: configuration)
                try await recorder.record(Sample.position(second: 0), now: 0)
                _ = try #require(try await recorder.finishTrack())
                try await recorder.record(Sample.position(second: 60), now: 0)
            }
            let killed = try #require(try log.journals().first(where: \.isOpen))
            let bytes = try #require(try Syscalls.contents(of: killed.path, limit: 1 << 21))
            try Data(Sample.asVersion(version, bytes)).write(to: URL(filePath: killed.path))
            let recorder = try TrackRecorder(folder: folder, configuration: configuration)
            try await recorder.record(Sample.position(second: 120), now: 0)
            let open = try log.journals().filter(\.isOpen)
            #expect(open.count == 2)
            for journal in open {
                #expect(try #require(Syscalls.byteCount(of: journal.path)) > 100_000)
                #expect((1..<1_000).contains(journal.writtenByteCount))
            }
            #expect(try await recorder.applyRetention(confirmedTime: nil).map(\.stem) == [])
            for second in 121..<3_000 { try await recorder.record(Sample.position(second: second), now: 0) }
            #expect(try await recorder.applyRetention(confirmedTime: nil).count == 1)
        }
    }

    /// The list of digests needs room, too, and so does what is noted of the deleted numbers.
    @Test(arguments: [0, 3]) func makesRoomOnADiskWithoutAByte(fetchedCount: Int) async throws {
        try await Sample.withSmallDisk { disk in
            let (folder, ballast) = (disk + "/log", disk + "/ballast")
            var configuration = TrackRecorder.Configuration()
            configuration.retention.minimumFreeByteCount = 500
            var recorder = try TrackRecorder(folder: folder, configuration: configuration)
            var stems: [String] = []
            for minute in 0..<5 {
                try await recorder.record(Sample.position(second: minute * 60), now: 0)
                stems.append(try #require(try await recorder.finishTrack()).stem)
            }
            #expect(try await recorder.applyRetention(confirmedTime: nil).isEmpty)
            #expect(await !recorder.isDiskShort)
            _ = try await recorder.close()
            for stem in stems.prefix(fetchedCount) { try Syscalls.remove("\(folder)/\(stem).gpx") }
            // A file that is still open would keep its room when it is removed.
            func fill() throws {
                let file = try AppendOnlyFile(creating: ballast)
                while (try? file.append([UInt8](repeating: 1, count: 4_096))) != nil {}  // Until the disk is full.
            }
            try fill()
            #expect(Syscalls.freeByteCount(at: folder) == 0)

            recorder = try TrackRecorder(folder: folder, configuration: configuration)
            _ = try await recorder.recover()
            #expect(await recorder.isDiskShort)
            let gone = try await recorder.applyRetention(confirmedTime: nil)
            #expect((1..<5).contains(gone.count) && gone.map(\.stem) == Array(stems.prefix(gone.count)))
            #expect(await recorder.problems.retention == nil)
            let log = LogFolder(path: folder)
            #expect(try log.journals().map(\.stem) == Array(stems.dropFirst(gone.count)))
            #expect(try LogVerifier(folder: log).digestFaults() == [])
            #expect(try sums(folder).count == 5 - max(gone.count, fetchedCount))
            #expect(log.deletedPositions == gone.flatMap(\.positions))
            // Logging goes on in the room that was made.
            try await recorder.record(Sample.position(second: 600), now: 0)
            try Syscalls.remove(ballast)
            #expect(try await recorder.close() != nil)
        }
    }

    @Test func makesTheDigestsCompleteWhereverACrashLeftThem() async throws {
        try await Sample.withFolder { folder in
            var recorder = try TrackRecorder(folder: folder)
            try await recorder.record(Sample.position(second: 0))
            #expect(try await recorder.rotate() != nil)
            try await recorder.record(Sample.position(second: 1))
            let second = try #require(try await recorder.close())
            let whole = try #require(try Syscalls.contents(of: folder + "/SHA256SUMS"))
            #expect(whole.count { $0 == UInt8(ascii: "\n") } == 2)
            // Before the list, with half a list, with one of a file that was deleted, with nonsense.
            LogFolder(path: folder).note([1...1])
            let gone = String(repeating: "0", count: 64) + "  20200101T000000Z-00000000-1.gpx\n"
            for text in [nil, Array(whole.prefix(100)), Array(gone.utf8) + whole, [0, 1, 2]] {
                if let text { try AtomicFile.write(text, to: folder + "/SHA256SUMS") } else { try Syscalls.remove(folder + "/SHA256SUMS") }
                try Syscalls.rename(second.journalPath, to: folder + "/journal/\(second.stem).open.journal")
                recorder = try TrackRecorder(folder: folder)
                #expect(try await recorder.recover().failures == [])
                #expect(try await recorder.close() == nil)
                #expect(try Syscalls.contents(of: folder + "/SHA256SUMS") == whole)
                #expect(try sums(folder).count == 2)
            }
        }
    }
}
