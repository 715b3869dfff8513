import Foundation
import Testing
import Waypost
import WaypostSystem

@testable import WaypostRecording

/// Numbers that went with whole journals: who has read up to them learns that something was there, and joins nothing over it.
@Suite struct RemovedNumbersTests {
    private func record(_ count: Int, in folder: String, keeping byteCount: Int64? = nil) async throws {
        var configuration = TrackRecorder.Configuration()
        configuration.retention.maximumByteCount = byteCount
        let recorder = try TrackRecorder(folder: folder, configuration: configuration)
        for track in 0..<count {
            // One drive: a track that goes on has no break of its own.
            for second in 0..<50 { try await recorder.record(Sample.position(second: track * 50 + second), now: 0) }
            _ = try await recorder.rotate()
            _ = try await recorder.applyRetention(confirmedTime: nil)
        }
        _ = try await recorder.close()
    }

    /// The numbers of the positions, those of the breaks that stand for a gap, and what was removed.
    private func read(
        _ folder: String, from start: LogReader.Start
    ) throws -> (numbers: [UInt64], breaks: [UInt64], removed: [ClosedRange<UInt64>]) {
        var reader = LogReader(folder: LogFolder(path: folder), from: start)
        var (numbers, breaks): ([UInt64], [UInt64]) = ([], [])
        while let record = try reader.next() {
            switch record.content {
            case .position: numbers.append(record.sequence)
            case .segmentBreak(.gap): breaks.append(record.sequence)
            default: break
            }
        }
        #expect(reader.takeLosses() == [])
        return (numbers, breaks, reader.removed)
    }

    @Test func tracksThatALimitDeletedAreABreakForWhoHasNotReadThem() async throws {
        try await Sample.withFolder { folder in
            try await record(12, in: folder, keeping: 50_000)
            let journals = try LogFolder(path: folder).journals()
            let oldest = try #require(journals.first).firstSequence
            try #require(oldest > 100 && journals.count > 1)
            let late = try read(folder, from: .after(60))
            #expect(late.numbers.first.map { $0 >= oldest } == true && late.breaks == [oldest - 1])
            #expect(late.removed == [61...oldest - 1])
            // Who has them lacks nothing, and who begins with the oldest never had them.
            for start in [LogReader.Start.after(oldest - 1), .oldest, .after(oldest + 3)] {
                let found = try read(folder, from: start)
                #expect(found.breaks == [] && found.removed == [], "\(start)")
            }
        }
    }

    /// The limits delete tracks while a reader is behind, which goes on with a break.
    @Test func aReaderThatIsOvertakenSeesABreak() async throws {
        try await Sample.withFolder { folder in
            try await record(2, in: folder)
            var reader = LogReader(folder: LogFolder(path: folder))
            for _ in 0..<60 { _ = try reader.next() }
            let cursor = reader.cursor
            try await record(12, in: folder, keeping: 50_000)
            let oldest = try #require(try LogFolder(path: folder).journals().first).firstSequence
            var breaks: [UInt64] = []
            while let record = try reader.next() {
                if case .segmentBreak(.gap) = record.content { breaks.append(record.sequence) }
            }
            let removed = try #require(reader.removed.first)
            #expect(breaks == [oldest - 1] && removed.upperBound == oldest - 1 && removed.lowerBound > cursor)
        }
    }

    @Test func aTrackThatWasErasedAsAWholeIsABreak() async throws {
        try await Sample.withFolder { folder in
            try await record(3, in: folder)
            let journals = try LogFolder(path: folder).journals()
            try #require(journals.count == 3)
            let (from, to) = (Sample.start.advanced(byMilliseconds: 50_000), Sample.start.advanced(byMilliseconds: 100_000))
            let erasure = try LogEraser(folder: LogFolder(path: folder), creator: "test").erase(from: from, to: to)
            #expect(erasure.removedTracks == [journals[1].stem])
            let expected = journals[1].firstSequence...journals[2].firstSequence - 1
            for start in [LogReader.Start.oldest, .after(10), .after(expected.lowerBound - 1)] {
                let found = try read(folder, from: start)
                #expect(found.breaks == [expected.upperBound] && found.removed == [expected], "\(start)")
            }
            #expect(try read(folder, from: .after(expected.upperBound)).breaks == [])
        }
    }

    /// What a tracker that was killed has left out was nothing.
    @Test func numbersThatWereNeverUsedAreNoBreak() async throws {
        try await Sample.withFolder { folder in
            try await record(2, in: folder)
            try AtomicFile.write(SealedText.seal(Array("70000\n".utf8)), to: folder + "/journal/.sequence")
            try await record(1, in: folder)
            let found = try read(folder, from: .after(5))
            #expect(found.breaks == [] && found.removed == [] && found.numbers.last.map { $0 > 70_000 } == true)
        }
    }

    /// Another journal's content in the place of one: what its name says is not there, and that is told.
    @Test(arguments: [true, false]) func aJournalWithTheContentOfALaterOneIsALoss(isExchanged: Bool) async throws {
        try await Sample.withFolder { folder in
            try await record(4, in: folder)
            let journals = try LogFolder(path: folder).journals()
            let (second, third) = (journals[1], journals[2])
            let bytes = try #require(try Syscalls.contents(of: second.path))
            try FileManager.default.removeItem(atPath: second.path)
            try FileManager.default.copyItem(atPath: third.path, toPath: second.path)
            if isExchanged {
                try FileManager.default.removeItem(atPath: third.path)
                try Data(bytes).write(to: URL(filePath: third.path))
            }
            for start in [LogReader.Start.oldest, .after(20), .after(second.firstSequence - 1)] {
                var reader = LogReader(folder: LogFolder(path: folder), from: start)
                var (numbers, breaks): ([UInt64], [UInt64]) = ([], [])
                while let record = try reader.next() {
                    if case .segmentBreak(.gap) = record.content { breaks.append(record.sequence) } else { numbers.append(record.sequence) }
                }
                let loss = LogLoss(
                    path: second.path, offset: 0, after: second.firstSequence - 1, through: third.firstSequence - 1, isCounted: true)
                #expect(reader.takeLosses() == [loss] && breaks == [loss.through], "\(start)")
                #expect(numbers.contains(third.firstSequence) && numbers.last.map { $0 >= journals[3].firstSequence } == true)
            }
        }
    }

    // MARK: - The file

    @Test func joinsWhatFollowsEachOther() {
        var removed = RemovedNumbers()
        for numbers in [10...19, 40...49, 20...29, 1...9, 60...60, 45...52] as [ClosedRange<UInt64>] { removed.add(numbers) }
        #expect(removed.ranges() == [1...29, 40...52, 60...60])
        #expect(removed.parts(.removed, after: 29, before: 40) == [] && removed.parts(.removed, after: 5, before: 6) == [])
        #expect(removed.parts(.removed, after: 12, before: 50) == [13...29, 40...49])
        #expect(removed.parts(.removed, after: 0, before: 0) == [] && removed.parts(.removed, after: 0, before: .max).count == 3)
    }

    @Test func staysSmall() async throws {
        try await Sample.withFolder { folder in
            try await record(1, in: folder)
            let log = LogFolder(path: folder)
            log.note((1...3_000).map { 10 * $0...10 * $0 + 1 })
            let removed = RemovedNumbers(in: log)
            #expect(removed.ranges().count == 1_000)
            #expect(removed.ranges().first?.lowerBound == 10 && removed.ranges().last == 30_000...30_001)
            #expect(try #require(Syscalls.byteCount(of: log.removedPath)) < 64_000)
        }
    }

    /// The recorder and the thread that deletes tracks note at the same time.
    @Test func losesNothingThatTwoNoteAtOnce() async throws {
        try await Sample.withFolder { folder in
            try await record(1, in: folder)
            let log = LogFolder(path: folder)
            let fates = RemovedNumbers.Fate.allCases.filter { $0 != .elsewhere && $0 != .moved }
            DispatchQueue.concurrentPerform(iterations: fates.count) { index in
                for number in 1...UInt64(20) { log.note([10_000 + 3 * number...10_000 + 3 * number], as: fates[index]) }
            }
            let removed = RemovedNumbers(in: log)
            for fate in fates { #expect(removed.ranges(fate).count { $0.lowerBound > 10_000 } == 20, "\(fate)") }
        }
    }

    @Test(arguments: [
        "", "1-5\n", "5-1\n", "0-7\n", "1-18446744073709551615\n", "-\n", "1\n", "1-2-3\n", "x-y\n",
        "18446744073709551615-18446744073709551615\n", "1-5 gone\n", "1-5 lost lost\n", " 1-5\n", "1-5 \n",
    ])
    func anOddFileSaysNothing(text: String) async throws {
        try await Sample.withFolder { folder in
            try await record(2, in: folder)
            let bytes = Array(text.utf8)
            // Without its checksum a good one says nothing, either.
            try AtomicFile.write(text == "1-5\n" ? bytes : SealedText.seal(bytes), to: folder + "/journal/.removed")
            #expect(RemovedNumbers(in: LogFolder(path: folder)).ranges() == [])
            #expect(try read(folder, from: .after(3)).breaks == [])
        }
    }
}
