import Foundation
import Glibc
import Testing
import Waypost
import WaypostSystem

@testable import WaypostRecording

@Suite struct LogReaderTests {
    private func sequences(_ folder: String, from start: LogReader.Start = .oldest) throws -> [UInt64] {
        var reader = LogReader(folder: LogFolder(path: folder), from: start)
        var sequences: [UInt64] = []
        while let record = try reader.next() {
            sequences.append(record.sequence)
            #expect(reader.cursor == record.sequence)
        }
        #expect(reader.damageCount == 0)
        return sequences
    }

    /// Three journals of that many fixes, the last one open.
    private func record(_ count: Int, in folder: String) async throws -> TrackRecorder {
        let recorder = try TrackRecorder(folder: folder)
        for journal in 0..<3 {
            for index in 0..<count { try await recorder.record(Sample.position(second: journal * 100_000 + index)) }
            if journal < 2 { #expect(try await recorder.finishTrack() != nil) }
        }
        return recorder
    }

    @Test func readsAllJournalsInOrderBesideARunningRecorder() async throws {
        try await Sample.withFolder { folder in
            let recorder = try await record(4, in: folder)
            // A break before each track.
            #expect(try sequences(folder) == Array(1...15))
            for cursor: UInt64 in 0...16 {
                #expect(try sequences(folder, from: .after(cursor)) == Array((cursor + 1)..<max(cursor + 1, 16)))
            }
            for cursor in [1 << 62, 1 << 63, .max] as [UInt64] { #expect(try sequences(folder, from: .after(cursor)) == []) }
            #expect(try await recorder.close()?.positionCount == 4)
            #expect(try sequences(folder) == Array(1...15))
            #expect(try LogFolder(path: folder).lastSequence() == 15)
        }
    }

    /// What is asked for of an early time needs none of the later journals.
    @Test func readsUntilAMomentAndOpensNothingOfLaterDays() async throws {
        try await Sample.withFolder { folder in
            let recorder = try await record(4, in: folder)
            _ = try await recorder.close()
            func read(until second: Int, from start: LogReader.Start = .oldest) throws -> [UInt64] {
                let end = Sample.start.advanced(byMilliseconds: Int64(second) * 1_000)
                var reader = LogReader(folder: LogFolder(path: folder), from: start, until: end)
                var numbers: [UInt64] = []
                while let record = try reader.next() { if case .position = record.content { numbers.append(record.sequence) } }
                return numbers
            }
            #expect(try read(until: 300_000) == [2, 3, 4, 5, 7, 8, 9, 10, 12, 13, 14, 15])
            #expect(try read(until: 100_002) == [2, 3, 4, 5, 7, 8])
            #expect(try read(until: 100_002, from: .after(3)) == [4, 5, 7, 8])
            let journals = try LogFolder(path: folder).journals()
            for journal in journals.dropFirst() {
                try FileManager.default.removeItem(atPath: journal.path)
                #expect(mkfifo(journal.path, 0o644) == 0)
            }
            #expect(throws: RecordingError.self) { try read(until: 100_002) }
            #expect(try read(until: 3) == [2, 3, 4])
            #expect(try read(until: 3, from: .from(Sample.start.advanced(byMilliseconds: 1_000))) == [3, 4])
        }
    }

    private func expectOutdated(_ reader: borrowing LogReader, _ expected: Bool, _ words: Comment? = nil) {
        let isOutdated = reader.isOutdated
        #expect(isOutdated == expected, words)
    }

    /// A reader that has a journal open goes on with what stands there no more.
    @Test func knowsThatItsJournalWasErasedOrRemoved() async throws {
        try await Sample.withFolder { folder in
            let recorder = try TrackRecorder(folder: folder)
            for second in 0..<40 { try await recorder.record(Sample.position(second: second)) }
            var reader = LogReader(folder: LogFolder(path: folder))
            expectOutdated(reader, false, "it has read nothing")
            for _ in 0..<10 { _ = try reader.next() }
            expectOutdated(reader, false)
            #expect(try await recorder.finishTrack() != nil)
            expectOutdated(reader, false, "only the name is another one")
            func time(_ second: Int) -> UTCTime { Sample.start.advanced(byMilliseconds: Int64(second) * 1_000) }
            #expect(try await recorder.erase(from: time(30), to: time(40)).positionCount == 10)
            expectOutdated(reader, true)
            reader = LogReader(folder: LogFolder(path: folder), from: .after(reader.cursor))
            #expect(try reader.next() != nil)
            expectOutdated(reader, false)
            #expect(try await recorder.erase(from: time(0), to: time(40)).removedTracks.count == 1)
            expectOutdated(reader, true)
            _ = try await recorder.close()
        }
    }

    @Test func goesOnWithWhatCameSince() async throws {
        try await Sample.withFolder { folder in
            var reader = LogReader(folder: LogFolder(path: folder))
            #expect(try reader.next() == nil, "no log yet")
            let recorder = try TrackRecorder(folder: folder)
            #expect(try reader.next() == nil, "no fix yet")
            var expected: UInt64 = 0
            for second in 0..<40 {
                try await recorder.record(Sample.position(second: second))
                // Finished while it is read, and not read to its end when the next one begins.
                if second % 10 == 7 { #expect(try await recorder.finishTrack() != nil) }
                if second % 3 == 0 {
                    while let record = try reader.next() {
                        expected += 1
                        #expect(record.sequence == expected)
                    }
                }
            }
            #expect(try await recorder.close() != nil)
            while let record = try reader.next() {
                expected += 1
                #expect(record.sequence == expected)
            }
            #expect(expected == 45 && reader.cursor == 45 && reader.damageCount == 0)
        }
    }

    @Test func findsACursorInALongJournalWithoutReadingAll() async throws {
        try await Sample.withFolder { folder in
            let recorder = try TrackRecorder(folder: folder)
            for second in 0..<6_000 { try await recorder.record(Sample.position(second: second), now: 0) }
            for cursor: UInt64 in [0, 1, 2, 2_999, 3_000, 5_999, 6_000] {
                #expect(try sequences(folder, from: .after(cursor)).first == cursor + 1)
                #expect(try sequences(folder, from: .after(cursor)).last == 6_001)
            }
            #expect(try sequences(folder, from: .after(6_001)) == [])
            #expect(try sequences(folder, from: .after(.max)) == [])
        }
    }

    @Test func findsACursorBehindDamage() async throws {
        try await Sample.withFolder { folder in
            let recorder = try TrackRecorder(folder: folder)
            for second in 0..<5_000 { try await recorder.record(Sample.position(second: second), now: 0) }
            let track = try #require(try await recorder.close())
            // Zeroed pages in the middle, where the search looks first.
            let bytes = try #require(try Syscalls.contents(of: track.journalPath, limit: 1 << 20))
            try AtomicFile.write(
                Array(bytes[..<100_000]) + [UInt8](repeating: 0, count: 150_000) + Array(bytes[250_000...]), to: track.journalPath)
            var reader = LogReader(folder: LogFolder(path: folder))
            var all: [UInt64] = []
            while let record = try reader.next() { all.append(record.sequence) }
            #expect(reader.damageCount == 1 && (149_900...150_200).contains(reader.damagedByteCount))
            #expect(reader.damage.map(\.path) == [track.journalPath])
            #expect(all.count > 2_000)
            for cursor in [all[10], all[all.count / 2], 3_000, all[all.count - 2]] {
                var later = LogReader(folder: LogFolder(path: folder), from: .after(cursor))
                #expect(try later.next()?.sequence == all.first { $0 > cursor })
            }
        }
    }

    @Test func findsACursorAmongNumbersThatNoRecordHas() async throws {
        try await Sample.withFolder { folder in
            let log = LogFolder(path: folder)
            try Syscalls.createFolders(log.journalFolder)
            var bytes = JournalCodec.encode(JournalHeader(bootIdentity: [UInt8](0..<16), firstSequence: 1, source: nil))
            for second in 1...6_000 {
                // Every other one is forged.
                let sequence = second % 2 == 1 ? UInt64(second) : second % 4 == 0 ? 0 : .max
                let record = JournalRecord(sequence: sequence, content: .position(Sample.position(second: second)))
                JournalCodec.append(record, source: nil, to: &bytes)
            }
            let stem = TrackStem(time: Sample.start, bootIdentity: [0, 0, 0, 0], sequence: 1)
            try AtomicFile.write(bytes, to: log.finishedJournalPath(stem.description))
            for cursor: UInt64 in [0, 1, 3_000, 5_997, 5_998, 5_999] {
                var reader = LogReader(folder: log, from: .after(cursor))
                var sequences: [UInt64] = []
                while let record = try reader.next() { if case .position = record.content { sequences.append(record.sequence) } }
                #expect(sequences == Array(stride(from: cursor + 1 + cursor % 2, to: 6_000, by: 2)), "from \(cursor)")
            }
            #expect(try log.lastSequence() == 5_999)
            for name in ["20260502T032502Z-00000000-0", "20260502T032502Z-00000000-\(UInt64.max)"] { #expect(TrackStem(name) == nil) }
        }
    }

    @Test func beginsAtATimeWhateverTheOrderOfTheTimes() async throws {
        try await Sample.withFolder { folder in
            let recorder = try TrackRecorder(folder: folder)
            let day = 86_400
            // Two days, a jump back into the first one, and on.
            for second in [0, 1, day, day + 1, 5, 6, day + 20, day + 21] {
                try await recorder.record(Sample.position(second: second))
                if [1, day + 1, 6].contains(second) { #expect(try await recorder.finishTrack() != nil) }
            }
            func seconds(from second: Int) throws -> [String] {
                var reader = LogReader(
                    folder: LogFolder(path: folder), from: .from(Sample.start.advanced(byMilliseconds: Int64(second) * 1_000)))
                var found: [String] = []
                while let record = try reader.next() {
                    switch record.content {
                    case .position(let position):
                        let time = try #require(position.time)
                        found.append("\((time.millisecondsSince1970 - Sample.start.millisecondsSince1970) / 1_000)")
                    case .segmentBreak: found.append("break")
                    default: Issue.record("\(record)")
                    }
                }
                return found
            }
            #expect(try seconds(from: 0) == ["break", "0", "1", "break", "86400", "86401", "break", "5", "6", "break", "86420", "86421"])
            #expect(try seconds(from: 6) == ["break", "86400", "86401", "break", "6", "break", "86420", "86421"])
            #expect(try seconds(from: day + 1) == ["break", "86401", "break", "86420", "86421"])
            #expect(try seconds(from: day + 22) == [])
        }
    }
}
