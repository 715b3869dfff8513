import Foundation
import Testing
import Waypost
import WaypostSystem

@testable import WaypostRecording

/// Tracks that are gone with their journals, though nobody deleted or erased them: every hole is told, with its numbers.
@Suite struct GoneTracksTests {
    /// Tracks of 20 fixes; their journals.
    private func record(_ count: Int, in folder: String) async throws -> [LogJournal] {
        let recorder = try TrackRecorder(folder: folder)
        for track in 0..<count {
            for second in 0..<20 { try await recorder.record(Sample.position(second: track * 1_000 + second), now: 0) }
            _ = try await recorder.finishTrack()
        }
        _ = try await recorder.close()
        return try LogFolder(path: folder).journals()
    }

    private func remove(_ journals: some Sequence<LogJournal>, of log: LogFolder) throws {
        for journal in journals {
            for path in [log.trackPath(journal.stem), log.finishedJournalPath(journal.stem)] { try Syscalls.remove(path) }
        }
    }

    private func losses(_ log: LogFolder, from start: LogReader.Start = .oldest, until end: UTCTime? = nil) throws -> [LogLoss] {
        var reader = LogReader(folder: log, from: start, until: end)
        while try reader.next() != nil {}
        #expect(reader.lossExtent.count == reader.losses.count && reader.lossExtent.last == reader.losses.last?.through ?? 0)
        return reader.losses
    }

    @Test func haveTheirNumbersWhetherTheLogIsRepairedOrNot() async throws {
        try await Sample.withFolder { folder in
            let log = LogFolder(path: folder)
            let journals = try await record(6, in: folder)
            try remove([journals[1], journals[3], journals[5]], of: log)
            let expected = [1, 3].map { journals[$0].firstSequence...journals[$0 + 1].firstSequence - 1 }
            let found = try losses(log)
            #expect(found.map { $0.after + 1...$0.through } == expected && found.map(\.count) == expected.map(\.count))
            #expect(found.allSatisfy { $0.isMissing && !$0.isCounted && $0.isBounded && $0.note == nil })
            #expect(try losses(log, from: .after(expected[0].lowerBound + 2)).map(\.count) == [expected[0].count - 3, expected[1].count])
            #expect(try LogMaintenance(folder: log).recover().forgottenPaths.count == 3)
            let noted = try losses(log)
            // Of the last one the end is known, too: the numbers behind it are not given any more.
            let bound = try #require(log.numberBound)
            let all = expected + [journals[5].firstSequence...bound - 1]
            #expect(noted.map { $0.after + 1...$0.through } == all && noted.map(\.count) == all.map(\.count))
            #expect(noted.allSatisfy { $0.note == .forgotten && !$0.isMissing && $0.path == folder })
            #expect(try log.lastSequence() == bound - 1)
            // In the time of the track behind it, and not before or after.
            func time(_ track: Int) -> UTCTime { Sample.start.advanced(byMilliseconds: Int64(track) * 1_000_000) }
            #expect(try losses(log, from: .from(time(2)), until: time(3)).map(\.through) == [expected[0].upperBound])
            #expect(try losses(log, from: .from(time(4)), until: time(5)).map(\.through) == [expected[1].upperBound])
        }
    }

    /// Whoever puts them back has lost nothing.
    @Test func areNotLostWhenTheyComeBack() async throws {
        try await Sample.withFolder { folder in
            let (log, copy) = (LogFolder(path: folder + "/log"), folder + "/copy")
            let journals = try await record(4, in: log.path)
            try FileManager.default.copyItem(atPath: log.path, toPath: copy)
            try remove(journals[1...2], of: log)
            _ = try LogMaintenance(folder: log).recover()
            #expect(try losses(log).count == 1)
            for name in ["/journal/\(journals[1].stem).journal", "/\(journals[1].stem).gpx"] {
                try FileManager.default.copyItem(atPath: copy + name, toPath: log.path + name)
            }
            #expect(try losses(log).map { $0.after + 1...$0.through } == [journals[2].firstSequence...journals[3].firstSequence - 1])
        }
    }

    /// More than are kept: the first are, and how many there are is known.
    @Test func areCountedWhenThereAreMany() async throws {
        try await Sample.withFolder { folder in
            let log = LogFolder(path: folder)
            let journals = try await record(150, in: folder)
            try remove(journals.indices.filter { $0 % 2 == 1 && $0 < 149 }.map { journals[$0] }, of: log)
            var reader = LogReader(folder: log)
            while try reader.next() != nil {}
            #expect(reader.lossExtent.count == 74 && reader.lossExtent.last == journals[148].firstSequence - 1)
            #expect(reader.losses.count == LogReader.maximumDamageCount)
        }
    }

    /// What a killed tracker reserved and never gave is noted by the next one, and belongs to no track.
    @Test func endBeforeNumbersThatWereNeverGiven() async throws {
        try await Sample.withFolder { folder in
            let log = LogFolder(path: folder)
            do {
                let recorder = try TrackRecorder(folder: folder)
                for second in 0..<20 { try await recorder.record(Sample.position(second: second), now: 0) }
                _ = try await recorder.finishTrack()
                for second in 1_000..<1_020 { try await recorder.record(Sample.position(second: second), now: 0) }
            }
            let next = try TrackRecorder(folder: folder)
            _ = try await next.recover()
            for second in 2_000..<2_020 { try await next.record(Sample.position(second: second), now: 0) }
            _ = try await next.close()
            let journals = try log.journals()
            try #require(journals.count == 3 && journals[2].firstSequence > SequenceCounter.step)
            #expect(try losses(log).isEmpty)
            var reader = try JournalReader(path: journals[1].path)
            let last = try #require(try reader.lastRecord()).sequence
            #expect(RemovedNumbers(in: log).ranges(.unused) == [last + 1...journals[2].firstSequence - 1])
            try remove([journals[1]], of: log)
            for _ in 0..<2 {
                #expect(try losses(log).map { $0.after + 1...$0.through } == [journals[1].firstSequence...last])
                _ = try LogMaintenance(folder: log).recover()
            }
            // Who acknowledges its last number has it.
            #expect(RemovedNumbers(in: log).ranges(.lost) == [journals[1].firstSequence...last])
        }
    }

    /// A tracker that was killed between making a journal and writing to it leaves an empty one, and numbers that it never gave.
    @Test(arguments: [0, 8_192], [false, true]) func endBeforeAJournalThatWasNeverWritten(room: Int, isTwice: Bool) async throws {
        try await Sample.withFolder { folder in
            let log = LogFolder(path: folder)
            var last: UInt64 = 0
            do {
                let recorder = try TrackRecorder(folder: folder)
                for second in 0..<20 { try await recorder.record(Sample.position(second: second), now: 0) }
                _ = try await recorder.finishTrack()
                last = try log.lastSequence()
            }
            var next = last + 1
            for _ in 0..<(isTwice ? 2 : 1) {
                let stem = TrackStem(
                    time: try #require(Sample.position(second: 900).time), bootIdentity: BootIdentity.bytes, sequence: next)
                try Data(count: room).write(to: URL(filePath: log.openJournalPath(stem.description)))
                try AtomicFile.write(SealedText.seal(Array("\(next + 65_538) 1\n".utf8)), to: log.sequencePath)
                _ = try TrackRecorder(folder: folder)
                next = try #require(log.numberBound)
            }
            let recorder = try TrackRecorder(folder: folder)
            _ = try await recorder.recover()
            for second in 2_000..<2_020 { try await recorder.record(Sample.position(second: second), now: 0) }
            _ = try await recorder.close()
            let first = try #require(try log.journals().last).firstSequence
            #expect(RemovedNumbers(in: log).ranges(.unused) == [last + 1...first - 1])
            #expect(try losses(log).isEmpty)
            let verifier = LogVerifier(folder: log)
            #expect(try verifier.digestFaults() + verifier.journalFaults() == [])
            // As a limit removes it, which finds no number in it.
            for journal in try log.journals() where journal.firstSequence > last && journal.firstSequence < first {
                try FileManager.default.removeItem(atPath: journal.path)
            }
            #expect(try losses(log).isEmpty)
        }
    }

    /// Neither is one whose records cannot be read: what the next run notes as never given begins with them.
    @Test(arguments: [0, 10]) func areToldWhenTheirJournalWasDamagedBeforeTheNextRun(kept: Int) async throws {
        try await Sample.withFolder { folder in
            let log = LogFolder(path: folder)
            do {
                let recorder = try TrackRecorder(folder: folder)
                for second in 0..<40 { try await recorder.record(Sample.position(second: second), now: Int64(second) * 1_000_000_000) }
            }
            let journal = try #require(try log.journals().last)
            var bytes = [UInt8](try Data(contentsOf: URL(filePath: journal.path)))
            var reader = try JournalReader(path: journal.path)
            for _ in 0..<kept { _ = try reader.next() }
            let (start, end) = (kept == 0 ? 0 : Int(reader.decoder.endOfLastRecord), (bytes.lastIndex { $0 != 0 } ?? 0) + 1)
            for place in start..<end { bytes[place] = UInt8(truncatingIfNeeded: place &* 167 | 1) }
            try Data(bytes).write(to: URL(filePath: journal.path))
            let next = try TrackRecorder(folder: folder)
            _ = try await next.recover()
            for second in 2_000..<2_020 { try await next.record(Sample.position(second: second), now: 0) }
            _ = try await next.close()
            let found = try losses(log)
            #expect(found.map(\.path).first == log.finishedJournalPath(journal.stem) && found.first?.after == UInt64(kept), "\(found)")
        }
    }

    /// What a power cut spoiled within the journal that it left costs the records that were there, and none of the reserved numbers.
    @Test(arguments: [0, 0xFF] as [UInt8], [false, true]) func areNoneBehindDamageWithinTheJournalOfAKilledRun(
        byte: UInt8, isSecond: Bool
    ) async throws {
        try await Sample.withFolder { folder in
            let log = LogFolder(path: folder)
            do {
                let recorder = try TrackRecorder(folder: folder)
                for second in 0..<40 {
                    if second == 10, isSecond { _ = try await recorder.rotate() }
                    try await recorder.record(Sample.position(second: second), now: Int64(second) * 1_000_000_000)
                }
            }
            let journal = try #require(try log.journals().last)
            var bytes = [UInt8](try Data(contentsOf: URL(filePath: journal.path)))
            let middle = (bytes.lastIndex { $0 != 0 } ?? 0) / 2
            for place in middle..<middle + 40 { bytes[place] = byte }
            try Data(bytes).write(to: URL(filePath: journal.path))
            let next = try TrackRecorder(folder: folder)
            _ = try await next.recover()
            for second in 2_000..<2_020 { try await next.record(Sample.position(second: second), now: 0) }
            _ = try await next.close()
            let found = try losses(log)
            #expect(found.map(\.path) == [log.finishedJournalPath(journal.stem)] && found.allSatisfy { $0.isCounted }, "\(found)")
            #expect(found.allSatisfy { (1...2).contains($0.count) && $0.through <= 41 }, "\(found)")
        }
    }

    /// A journal that was on the disk, and of which a check of the file system has left the name, is not one that was never written.
    @Test func areToldWhenTheirJournalIsEmptied() async throws {
        try await Sample.withFolder { folder in
            let log = LogFolder(path: folder)
            do {
                let recorder = try TrackRecorder(folder: folder)
                for second in 0..<40 {
                    try await recorder.record(Sample.position(second: second), now: Int64(second) * 1_000_000_000)
                    if second == 19 { _ = try await recorder.finishTrack() }
                }
            }
            let journals = try log.journals()
            try #require(journals.count == 2 && journals[1].isOpen)
            try Data().write(to: URL(filePath: journals[1].path))
            let next = try TrackRecorder(folder: folder)
            _ = try await next.recover()
            for second in 2_000..<2_020 { try await next.record(Sample.position(second: second), now: 0) }
            _ = try await next.close()
            let found = try losses(log)
            #expect(found.map(\.after) == [journals[1].firstSequence - 1] && found.first?.path.hasSuffix(".journal") == true, "\(found)")
        }
    }

    /// The last track goes before the next run: its numbers are not called unused.
    @Test func areNotTakenForNumbersThatWereNeverGiven() async throws {
        try await Sample.withFolder { folder in
            let log = LogFolder(path: folder)
            let journals = try await record(3, in: folder)
            try remove([journals[2]], of: log)
            let bound = try #require(log.numberBound)
            let recorder = try TrackRecorder(folder: folder)
            #expect(RemovedNumbers(in: log).ranges(.unused) == [])
            #expect(RemovedNumbers(in: log).ranges(.lost) == [journals[2].firstSequence...bound - 1])
            #expect(try log.lastSequence() == bound - 1)
            try await recorder.record(Sample.position(second: 9_000), now: 0)
            _ = try await recorder.close()
            let found = try losses(log)
            #expect(found.map(\.isMissing) == [true] && found.map(\.through) == [bound - 1])
            // It is reported until somebody repairs the log.
            #expect(try LogVerifier(folder: log).digestFaults().count == 1)
        }
    }

    /// What one puller has acknowledged, others may lack.
    @Test(arguments: [false, true]) func areOwedToThoseWhoHaveNotAcknowledgedThem(isRepaired: Bool) async throws {
        try await Sample.withFolder { folder in
            let log = LogFolder(path: folder)
            let journals = try await record(4, in: folder)
            try Pullers(folder: log).acknowledge(journals[3].firstSequence + 3, puller: "home")
            try remove([journals[1]], of: log)
            #expect(try LogVerifier(folder: log).digestFaults().isEmpty)
            let numbers = journals[1].firstSequence...journals[2].firstSequence - 1
            for _ in 0..<2 {
                for start in [LogReader.Start.oldest, .after(3)] {
                    #expect(try losses(log, from: start).map { $0.after + 1...$0.through } == [numbers])
                }
                // Its line goes with the next track, or when the log is repaired.
                if isRepaired {
                    #expect(try LogMaintenance(folder: log).recover().forgottenPaths.isEmpty)
                } else {
                    let recorder = try TrackRecorder(folder: folder)
                    for second in 0..<20 { try await recorder.record(Sample.position(second: 50_000 + second), now: 0) }
                    _ = try await recorder.close()
                }
            }
        }
    }

    /// The end of the journal before them is gone, too, and nobody can count that.
    @Test func areToldBesideADamagedEnd() async throws {
        try await Sample.withFolder { folder in
            let log = LogFolder(path: folder)
            let journals = try await record(3, in: folder)
            try remove([journals[1]], of: log)
            _ = try LogMaintenance(folder: log).recover()
            let bytes = try #require(try Syscalls.contents(of: journals[0].path))
            for path in [journals[0].path, log.trackPath(journals[0].stem)] { try FileManager.default.removeItem(atPath: path) }
            try Data(bytes.prefix(bytes.count / 2)).write(to: URL(filePath: journals[0].path))
            let found = try losses(log)
            let count = Int(journals[2].firstSequence - journals[1].firstSequence)
            #expect(found.map(\.note) == [nil, .forgotten] && found.map(\.count) == [1, count], "\(found)")
        }
    }
}
