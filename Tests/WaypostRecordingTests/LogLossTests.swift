import Foundation
import Testing
import Waypost
import WaypostSystem

@testable import WaypostRecording

/// Numbers of a log that a damaged journal has no more: whoever reads past them learns how many they are.
@Suite struct LogLossTests {
    /// Two finished journals of 40 fixes, numbers 1 to 41 and 42 to 82; the path of the first one.
    private func record(in folder: String) async throws -> String {
        let recorder = try TrackRecorder(folder: folder)
        var path = ""
        for journal in 0..<2 {
            for index in 0..<40 { try await recorder.record(Sample.position(second: journal * 100_000 + index)) }
            let track = try await recorder.finishTrack()
            if journal == 0 { path = try #require(track).journalPath }
        }
        _ = try await recorder.close()
        return path
    }

    /// Five fixes whose numbers begin at 70 000, as a tracker records them after one that was killed.
    private func recordAfterKill(in folder: String) async throws {
        try AtomicFile.write(SealedText.seal(Array("70000\n".utf8)), to: folder + "/journal/.sequence")
        let recorder = try TrackRecorder(folder: folder)
        for second in 0..<5 { try await recorder.record(Sample.position(second: 200_000 + second)) }
        _ = try await recorder.close()
    }

    /// The numbers that are still there, and the losses.
    ///
    /// For each loss there must be a break before the next record, so that nobody joins what it separates.
    private func read(_ folder: String, after number: UInt64 = 0) throws -> (numbers: [UInt64], losses: [LogLoss]) {
        var reader = LogReader(folder: LogFolder(path: folder), from: .after(number))
        var (numbers, breaks): ([UInt64], [UInt64]) = ([], [])
        while let record = try reader.next() {
            if case .segmentBreak(.gap) = record.content { breaks.append(record.sequence) } else { numbers.append(record.sequence) }
        }
        let losses = reader.takeLosses()
        for loss in losses {
            let next = numbers.first { $0 > loss.through } ?? .max
            #expect(breaks.contains { loss.through <= $0 && $0 < next }, "\(loss)")
        }
        return (numbers, losses)
    }

    private func change(_ path: String, _ body: (inout [UInt8]) -> Void) throws {
        var bytes = try #require(try Syscalls.contents(of: path, limit: 1 << 20))
        body(&bytes)
        try FileManager.default.removeItem(atPath: path)
        try Data(bytes).write(to: URL(filePath: path))
    }

    @Test func anUndamagedLogHasLostNothing() async throws {
        try await Sample.withFolder { folder in
            _ = try await record(in: folder)
            #expect(try read(folder).numbers == Array(1...82))
            #expect(try read(folder).losses == [])
        }
    }

    @Test func aRemovedJournalCostsTheNumbersOfItsTrack() async throws {
        try await Sample.withFolder { folder in
            let path = try await record(in: folder)
            try FileManager.default.removeItem(atPath: path)
            var loss = LogLoss(path: path, offset: 0, after: 0, through: 41, isCounted: true, isMissing: true)
            #expect(try read(folder).numbers == Array(42...82))
            #expect(try read(folder).losses == [loss])
            loss.after = 20
            #expect(try read(folder, after: 20).losses == [loss])
            #expect(try read(folder, after: 41).losses == [])
            let faults = try LogVerifier(folder: LogFolder(path: folder)).journalFaults()
            #expect(faults.map(\.path) == [path] && faults.allSatisfy { $0.words.hasSuffix("numbers 1 to 41 are lost") })
            // Without its track it is still in the list, but nobody counts what it had.
            for name in try FileManager.default.contentsOfDirectory(atPath: folder)
            where path.contains(name.dropLast(4)) && name.hasSuffix(".gpx") {
                try FileManager.default.removeItem(atPath: folder + "/" + name)
            }
            (loss.after, loss.isCounted) = (0, false)
            #expect(try read(folder).losses == [loss])
            // What is gone before the oldest record is not missed there.
            var oldest = LogReader(folder: LogFolder(path: folder), from: .oldest)
            #expect(try oldest.next()?.sequence == 42 && oldest.losses == [])
            // The numbers alone tell who has not read them that they are gone.
            try FileManager.default.removeItem(atPath: folder + "/SHA256SUMS")
            #expect(try read(folder).losses.map(\.note) == [.forgotten] && read(folder).losses.map(\.through) == [41])
        }
    }

    @Test(arguments: [0, 1_000]) func unreadableBytesCostTheNumbersBetween(offset: Int) async throws {
        try await Sample.withFolder { folder in
            let path = try await record(in: folder)
            try change(path) { bytes in
                for place in offset..<offset + 300 { bytes[place] = UInt8(truncatingIfNeeded: place &* 7 &+ 1) }
            }
            let (numbers, losses) = try read(folder)
            let missing = Set(1...82).subtracting(numbers)
            let loss = try #require(losses.first)
            #expect(losses.count == 1 && loss.path == path && loss.isCounted)
            #expect(Set(loss.after + 1...loss.through) == missing && loss.count == missing.count)
            #expect(offset - 100...offset ~= Int(loss.offset))
            // Who has some of them misses the others, and who has all of them nothing.
            #expect(try read(folder, after: loss.after + 1).losses.map(\.count) == [missing.count - 1])
            #expect(try read(folder, after: loss.through).losses == [])
            #expect(loss.part(after: 0, through: loss.after) == nil)
            #expect(loss.part(after: loss.through - 1, through: .max)?.count == 1)
        }
    }

    @Test(arguments: ["emptied", "zeroed", "cut", "of another version"]) func aJournalWithoutItsEndCostsAllUpToTheNextOne(
        how: String
    ) async throws {
        try await Sample.withFolder { folder in
            let path = try await record(in: folder)
            try change(path) { bytes in
                switch how {
                case "emptied": bytes = []
                case "zeroed": bytes = [UInt8](repeating: 0, count: bytes.count)
                case "cut": bytes.removeLast(bytes.count / 2)
                default: bytes = Sample.asVersion(999, bytes)
                }
            }
            var reader = LogReader(folder: LogFolder(path: folder))
            var numbers: [UInt64] = []
            while true {
                do {
                    guard let record = try reader.next() else { break }
                    if case .segmentBreak(.gap) = record.content { continue }
                    numbers.append(record.sequence)
                } catch RecordingError.unsupportedVersion {
                    continue
                }
            }
            let missing = 82 - numbers.count
            let loss = try #require(reader.takeLosses().first)
            #expect(numbers.last == 82 && missing > 15)
            #expect(loss.through == 41 && loss.count == missing && loss.isCounted, "\(loss)")
            #expect(try read(folder, after: 41).losses == [])
        }
    }

    /// Every record that is left is whole; the track says that there were more.
    @Test(arguments: [1, 2, 15]) func aJournalCutBetweenTwoRecordsCostsWhatItsTrackHas(count: Int) async throws {
        try await Sample.withFolder { folder in
            let path = try await record(in: folder)
            var decoder = JournalDecoder()
            decoder.feed(try #require(try Syscalls.contents(of: path, limit: 1 << 20)))
            var ends: [Int64] = []
            while try decoder.next() != nil { ends.append(decoder.endOfLastRecord) }
            let end = try #require(ends.dropLast(count).last)
            try change(path) { $0.removeLast($0.count - Int(end)) }
            let loss = try #require(try read(folder).losses.first)
            #expect(loss.count == count && loss.through == 41 && loss.isCounted && loss.offset == end, "\(loss)")
            #expect(try read(folder, after: 41).losses == [])
        }
    }

    /// The last journal or its end is gone, and nothing is logged afterwards: the tracks count what was there.
    @Test(arguments: ["removed", "emptied", "cut", "cut in a record"]) func whatIsGoneAtTheEndIsToldAtOnce(how: String) async throws {
        try await Sample.withFolder { folder in
            _ = try await record(in: folder)
            let log = LogFolder(path: folder)
            let path = try #require(try log.journals().last).path
            if how == "removed" {
                try FileManager.default.removeItem(atPath: path)
            } else {
                var decoder = JournalDecoder()
                decoder.feed(try #require(try Syscalls.contents(of: path, limit: 1 << 20)))
                var ends: [Int64] = []
                while try decoder.next() != nil { ends.append(decoder.endOfLastRecord) }
                let byteCount = how == "emptied" ? 0 : Int(ends[15]) + (how == "cut" ? 0 : 10)
                try change(path) { $0.removeLast($0.count - byteCount) }
            }
            let last = how.hasPrefix("cut") ? 57 : 41
            let (numbers, losses) = try read(folder)
            #expect(numbers == (1...UInt64(last)).map(\.self))
            #expect(losses.count == 1 && losses[0].count == 82 - last && losses[0].through == 82 && losses[0].path == path, "\(losses)")
            // Whoever had all of it misses nothing, and the log does not seem to begin anew.
            #expect(try read(folder, after: 82).losses == [])
            #expect(try log.lastSequence() == 82)
            var reader = LogReader(folder: log)
            while try reader.next() != nil {}
            #expect(reader.cursor == 82 && reader.takeLosses() == losses)
            #expect(try reader.next() == nil && reader.takeLosses() == [])
            // Once only, when it goes on; and no later record is taken for one of those that are lost.
            let recorder = try TrackRecorder(folder: folder)
            for second in 0..<5 { try await recorder.record(Sample.position(second: 300_000 + second)) }
            _ = try await recorder.close()
            var count = 0
            while let record = try reader.next() { if case .position = record.content { count += 1 } }
            #expect(count == 5 && reader.takeLosses() == [])
            #expect(try read(folder).losses == losses)
            // Without the bound nobody knows which numbers come next.
            #expect(try log.lastSequence() == 88)
        }
    }

    /// Whole records are gone inside a journal, as when a block of the disk is another one's.
    @Test(arguments: [false, true]) func whatIsCutOutBetweenTwoRecordsIsMissed(isTrackThere: Bool) async throws {
        try await Sample.withFolder { folder in
            let path = try await record(in: folder)
            let log = LogFolder(path: folder)
            var decoder = JournalDecoder()
            decoder.feed(try #require(try Syscalls.contents(of: path, limit: 1 << 20)))
            var ends: [Int64] = []
            while try decoder.next() != nil { ends.append(decoder.endOfLastRecord) }
            try change(path) { $0.removeSubrange(Int(ends[9])..<Int(ends[19])) }
            if !isTrackThere {
                for name in try Syscalls.names(inFolder: folder) where name.hasSuffix(".gpx") {
                    try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
                }
                _ = try LogMaintenance(folder: log).recover()
            }
            let (numbers, losses) = try read(folder)
            #expect(numbers == Array(1...10) + Array(21...82))
            #expect(losses == [LogLoss(path: path, offset: ends[9], after: 10, through: 20, isCounted: true)])
            #expect(try read(folder, after: 10).losses == losses)
            #expect(try read(folder, after: 20).losses == [])
            let faults = try LogVerifier(folder: log).faults(of: try #require(try log.journals().first))
            #expect(faults.contains { $0.words.hasPrefix("10 records are missing before byte \(ends[9])") }, "\(faults)")
            // The track that is made of it has a break there.
            let track = try String(
                contentsOfFile: path.replacing("journal/", with: "").replacing(".journal", with: ".gpx"), encoding: .utf8)
            #expect(track.ranges(of: "<trkseg>").count == (isTrackThere ? 1 : 2))
        }
    }

    /// A crash left bytes that cannot be read at the end, and the track was made of the rest: nobody knows how many are gone, but some are.
    @Test(arguments: [false, true]) func whatACrashSpoiledAtTheEndIsMissed(isTorn: Bool) async throws {
        try await Sample.withFolder { folder in
            let path = try await record(in: folder)
            let log = LogFolder(path: folder)
            try change(path) { bytes in
                // A record that was only half written is no damage, but it was the last one before those of the next journal.
                if isTorn { return bytes.removeLast(20) }
                for place in bytes.count - 300..<bytes.count { bytes[place] = UInt8(truncatingIfNeeded: place &* 7 &+ 1) }
            }
            for name in try Syscalls.names(inFolder: folder) where name.hasSuffix(".gpx") {
                try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
            }
            _ = try LogMaintenance(folder: log).recover()
            let (numbers, losses) = try read(folder)
            #expect(numbers.count < 82)
            if isTorn {
                // The journal is there, to be looked at.
                #expect(losses.map { $0.after + 1...$0.through } == [41...41] && losses.map(\.path) == [path], "\(losses)")
                #expect(losses.allSatisfy { $0.note == nil && $0.isBounded && $0.offset > 0 }, "\(losses)")
            } else {
                let last = try #require(numbers.last { $0 < 42 })
                #expect(losses.map(\.after) == [last] && losses.map(\.count) == [1] && losses[0].path == path, "\(losses)")
                #expect(try read(folder, after: 41).losses == [])
            }
        }
    }

    /// What was erased is not lost: an erased journal has no hole without a break, wherever the stretch begins and ends.
    @Test func whatIsErasedIsNotLost() async throws {
        for (first, last) in [(0, 5), (3, 4), (10, 30), (35, 40)] {
            try await Sample.withFolder { folder in
                let recorder = try TrackRecorder(folder: folder)
                for second in 0..<40 {
                    try await recorder.record(Sample.position(second: second))
                    guard second % 3 == 0 else { continue }
                    let position = Sample.position(second: second)
                    try await recorder.record(
                        TrackerEvent(id: "\(second)", kind: "enter", name: "Yard", time: position.time, position: position))
                }
                _ = try await recorder.close()
                let log = LogFolder(path: folder)
                func time(_ second: Int) -> UTCTime { Sample.start.advanced(byMilliseconds: Int64(second) * 1_000) }
                for end in [last, last + 2] { _ = try LogMaintenance(folder: log).erase(from: time(first), to: time(end)) }
                #expect(try read(folder).losses == [])
                for journal in try log.journals() { #expect(try LogVerifier(folder: log).faults(of: journal).isEmpty) }
            }
        }
    }

    /// A track that continues the segment of the one before has one more segment than its journal has breaks.
    @Test func aTrackThatContinuesAnotherOneHasLostNothing() async throws {
        try await Sample.withFolder { folder in
            let recorder = try TrackRecorder(folder: folder)
            for second in 0..<5 { try await recorder.record(Sample.position(second: second)) }
            _ = try await recorder.rotate()
            for second in 5..<10 { try await recorder.record(Sample.position(second: second)) }
            _ = try await recorder.close()
            try await recordAfterKill(in: folder)
            #expect(try read(folder).losses == [])
        }
    }

    /// Its track is there: somebody has removed the journal alone.
    @Test func aJournalThatIsMissingIsAFault() async throws {
        try await Sample.withFolder { folder in
            let path = try await record(in: folder)
            let verifier = LogVerifier(folder: LogFolder(path: folder))
            #expect(try verifier.journalFaults() == [])
            try FileManager.default.removeItem(atPath: path)
            #expect(try verifier.journalFaults().map(\.path) == [path])
        }
    }

    // MARK: - Erasing

    private func erase(_ folder: String, _ seconds: Range<Int>) throws {
        func time(_ second: Int) -> UTCTime { Sample.start.advanced(byMilliseconds: Int64(second) * 1_000) }
        _ = try LogMaintenance(folder: LogFolder(path: folder)).erase(from: time(seconds.lowerBound), to: time(seconds.upperBound))
    }

    /// What is erased is not lost, and what is lost stays lost when something else is erased, or the same or next to it.
    @Test(arguments: [30..<35, 2..<4, 0..<40]) func erasingKeepsWhatIsKnownOfDamage(seconds: Range<Int>) async throws {
        try await Sample.withFolder { folder in
            let path = try await record(in: folder)
            try change(path) { bytes in
                for place in 1_000..<1_300 { bytes[place] = UInt8(truncatingIfNeeded: place &* 7 &+ 1) }
            }
            let loss = try #require(try read(folder).losses.first)
            for _ in 0..<2 {
                try erase(folder, seconds)
                let kept = try read(folder).losses
                #expect(kept.map(\.after) == [loss.after] && kept.map(\.through) == [loss.through], "\(kept)")
                #expect(kept.map(\.isCounted) == [true])
            }
            try erase(folder, 5..<6)
            #expect(try read(folder).losses.map(\.count) == [loss.count])
            #expect(try read(folder, after: loss.after + 1).losses.map(\.count) == [loss.count - 1])
            #expect(try read(folder, after: loss.through).losses == [])
            let verifier = LogVerifier(folder: LogFolder(path: folder))
            let faults = try LogFolder(path: folder).journals().flatMap { try verifier.faults(of: $0) }
            #expect(faults.contains { $0.words.contains("\(loss.count) records are lost") }, "\(faults)")
        }
    }

    /// The new track does not say how many there were.
    @Test(arguments: [false, true]) func erasingKeepsThatTheEndIsLost(isBetweenRecords: Bool) async throws {
        try await Sample.withFolder { folder in
            let path = try await record(in: folder)
            var decoder = JournalDecoder()
            decoder.feed(try #require(try Syscalls.contents(of: path, limit: 1 << 20)))
            while let record = try decoder.next(), record.sequence < 30 {}
            let end = Int(decoder.endOfLastRecord)
            try change(path) { $0.removeLast($0.count - end - (isBetweenRecords ? 0 : 3)) }
            try erase(folder, 5..<10)
            #expect(try read(folder).losses.map(\.count) == [11])
            try erase(folder, 0..<40)
            #expect(try read(folder).losses.map(\.count) == [11])
        }
    }

    /// A killed tracker leaves numbers out, which nobody misses.
    @Test func numbersThatAKillLeftOutAreNotLost() async throws {
        try await Sample.withFolder { folder in
            let path = try await record(in: folder)
            let names = try Syscalls.names(inFolder: folder + "/journal").filter { $0.hasSuffix("-42.journal") }
            let later = "\(folder)/journal/\(try #require(names.first))"
            // Somebody has removed the second journal, with its track.
            try FileManager.default.removeItem(atPath: later)
            let track = try Syscalls.names(inFolder: folder).filter { $0.hasSuffix("-42.gpx") }
            try FileManager.default.removeItem(atPath: "\(folder)/\(try #require(track.first))")
            try FileManager.default.removeItem(atPath: "\(folder)/SHA256SUMS")
            let recorder = try TrackRecorder(folder: folder)
            _ = try await recorder.close()
            try await recordAfterKill(in: folder)
            #expect(try read(folder).losses.map { $0.after + 1...$0.through } == [42...82])
            #expect(try read(folder).numbers.suffix(6) == Array(70_000...70_005).suffix(6))
            try change(path) { $0 = [] }
            let loss = try #require(try read(folder).losses.first)
            #expect(loss.count == 41 && loss.through == 41 && loss.isCounted)
            #expect(try read(folder, after: 82).losses == [])
            // Without the track nobody can count them.
            for name in try Syscalls.names(inFolder: folder) where name.hasSuffix("-1.gpx") {
                try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
            }
            let uncounted = try #require(try read(folder).losses.first)
            #expect(!uncounted.isCounted && uncounted.count == 1)
        }
    }
}
