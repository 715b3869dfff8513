import Foundation
import Testing
import Waypost
import WaypostSystem

@testable import WaypostRecording

@Suite struct LogEraserTests {
    /// Three finished tracks of a hundred fixes, a thousand seconds apart.
    private func record(in folder: String) async throws {
        let recorder = try TrackRecorder(folder: folder)
        for track in 0..<3 {
            for index in 0..<100 { try await recorder.record(Sample.position(second: track * 1_000 + index)) }
            _ = try await recorder.finishTrack()
        }
        _ = try await recorder.close()
    }

    private func time(_ second: Int) -> UTCTime { Sample.start.advanced(byMilliseconds: Int64(second) * 1_000) }

    /// The seconds of all fixes in the journals, with their numbers.
    private func logged(_ folder: String) throws -> [Int: UInt64] {
        var reader = LogReader(folder: LogFolder(path: folder))
        var seconds: [Int: UInt64] = [:]
        while let record = try reader.next() {
            guard case .position(let position) = record.content, let time = position.time else { continue }
            seconds[Int(time.millisecondsSince1970 - Sample.start.millisecondsSince1970) / 1_000] = record.sequence
        }
        return seconds
    }

    /// Every file of the log but its lock, by name.
    private func files(_ folder: String) throws -> [String: Data] {
        var files: [String: Data] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder) where path != ".lock" && !path.hasSuffix(".lock") {
            guard Syscalls.kind("\(folder)/\(path)") == .regular else { continue }
            files[path] = try Data(contentsOf: URL(filePath: "\(folder)/\(path)"))
        }
        return files
    }

    private func erase(_ folder: String, _ from: Int, _ to: Int) throws -> LogErasure {
        try LogMaintenance(folder: LogFolder(path: folder)).erase(from: time(from), to: time(to))
    }

    @Test func erasesNothingFromALaterToAnEarlierMoment() async throws {
        try await Sample.withFolder { folder in
            let recorder = try TrackRecorder(folder: folder)
            for second in 0..<5 { try await recorder.record(Sample.position(second: second)) }
            #expect(try await recorder.finishTrack() != nil)
            for (from, to) in [(3, 1), (2, 2)] { #expect(try await recorder.erase(from: time(from), to: time(to)) == LogErasure()) }
            #expect(try await recorder.close() == nil)
            #expect(try erase(folder, 4, 0) == LogErasure())
            #expect(try LogFolder(path: folder).lastSequence() == 6)
        }
    }

    @Test func erasesAStretchAndNothingElse() async throws {
        try await Sample.withFolder { folder in
            try await record(in: folder)
            let before = try logged(folder)
            let filesBefore = try files(folder)
            let erasure = try erase(folder, 1_040, 1_060)
            #expect(erasure == LogErasure(positionCount: 20, trackCount: 1))
            // Why fixes are missing is nobody's business, and the position was not lost.
            var reader = LogReader(folder: LogFolder(path: folder))
            var breaks: [SegmentBreak] = []
            while let record = try reader.next() { if case .segmentBreak(let reason) = record.content { breaks.append(reason) } }
            #expect(breaks.contains(.gap) && !breaks.contains(.loss), "\(breaks)")
            // The others keep their numbers.
            #expect(try logged(folder) == before.filter { !(1_040..<1_060).contains($0.key) })
            let filesAfter = try files(folder)
            #expect(Set(filesAfter.keys) == Set(filesBefore.keys).union(["journal/.erased"]))
            let changed = filesBefore.keys.filter { filesAfter[$0] != filesBefore[$0] }
            #expect(Set(changed.map { ($0 as NSString).pathExtension }).isSuperset(of: ["gpx", "journal"]))
            #expect(!changed.contains { $0.contains("20260502T032502Z") }, "the first track is as it was")
            // Its track has a gap, and no trace.
            let track = try #require(changed.first { $0.hasSuffix(".gpx") })
            let text = String(decoding: try #require(filesAfter[track]), as: UTF8.self)
            #expect(text.ranges(of: "<trkpt").count == 80 && text.ranges(of: "<trkseg>").count == 2)
            for second in 1_040..<1_060 {
                var stamp = TextBuffer()
                stamp.append(time(second), trimsMilliseconds: true)
                #expect(!text.contains(stamp.string))
            }
            if Schema.path != nil { #expect(try Schema.complaints(about: ["\(folder)/\(track)"]) == "") }
        }
    }

    @Test func listsWhatIsErasedUntilItIsForgottenElsewhere() async throws {
        try await Sample.withFolder { folder in
            try await record(in: folder)
            let log = LogFolder(path: folder)
            #expect(try log.erasedStretches() == [])
            for (from, to) in [(1_040, 1_060), (10, 20), (1_040, 1_060)] { _ = try erase(folder, from, to) }
            let stretches = [time(1_040)..<time(1_060), time(10)..<time(20)]
            #expect(try log.erasedStretches() == stretches)
            // What nobody can read is passed over.
            try "7 6\n\(try String(contentsOfFile: "\(folder)/journal/.erased", encoding: .utf8))x\n"
                .write(toFile: "\(folder)/journal/.erased", atomically: false, encoding: .utf8)
            #expect(try log.erasedStretches() == stretches)
            try log.settleErased([stretches[0]])
            #expect(try log.erasedStretches() == [stretches[1]])
            try log.settleErased(stretches)
            #expect(!FileManager.default.fileExists(atPath: "\(folder)/journal/.erased"))
        }
    }

    @Test func removesTracksThatHaveNothingLeft() async throws {
        try await Sample.withFolder { folder in
            try await record(in: folder)
            let erasure = try erase(folder, 50, 2_050)
            #expect(erasure.positionCount == 200 && erasure.trackCount == 3 && erasure.removedTracks.count == 1)
            #expect(Set(try logged(folder).keys) == Set(Array(0..<50) + Array(2_050..<2_100)))
            #expect(try files(folder).keys.count { $0.hasSuffix(".gpx") } == 2)
            #expect(try erase(folder, 50, 2_050) == LogErasure())
        }
    }

    /// Power cuts between any two steps: what the next start makes of them is the same.
    @Test func isEndedByTheNextRecoveryWhereverItWasCutOff() async throws {
        try await Sample.withFolder { folder in
            let (before, after) = ("\(folder)/before", "\(folder)/after")
            try await record(in: before)
            try FileManager.default.copyItem(atPath: before, toPath: after)
            _ = try erase(after, 1_040, 1_060)
            let expected = try files(after)
            let journals = try LogFolder(path: before).journals()
            let stem = journals[1].stem
            let order = "\(time(1_040).millisecondsSince1970) \(time(1_060).millisecondsSince1970)\n"
            for step in 0...5 {
                let cut = "\(folder)/cut\(step)"
                try FileManager.default.copyItem(atPath: before, toPath: cut)
                let (open, finished) = ("\(cut)/journal/\(stem).open.journal", "\(cut)/journal/\(stem).journal")
                try order.write(toFile: "\(cut)/journal/.erase", atomically: false, encoding: .utf8)
                if step >= 1 {
                    let sums = try String(contentsOfFile: "\(cut)/SHA256SUMS", encoding: .utf8).split(separator: "\n")
                    try (sums.filter { !$0.contains(stem) }.joined(separator: "\n") + "\n")
                        .write(toFile: "\(cut)/SHA256SUMS", atomically: false, encoding: .utf8)
                    try FileManager.default.removeItem(atPath: "\(cut)/\(stem).gpx")
                }
                // Half of the new journal, under its temporary name.
                if step == 2 {
                    try Data(repeating: 7, count: 100).write(to: URL(filePath: "\(cut)/journal/.\(stem).open.journal.4711.tmp"))
                }
                if step >= 3 { try FileManager.default.copyItem(atPath: "\(after)/journal/\(stem).journal", toPath: open) }
                if step >= 3 { try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: open) }
                if step >= 4 { try FileManager.default.removeItem(atPath: finished) }
                if step >= 5 { try FileManager.default.copyItem(atPath: "\(after)/\(stem).gpx", toPath: "\(cut)/\(stem).gpx") }
                if step % 2 == 0 {
                    _ = try LogMaintenance(folder: LogFolder(path: cut)).recover()
                } else {
                    let recorder = try TrackRecorder(folder: cut)
                    _ = try await recorder.recover()
                    _ = try await recorder.close()
                }
                let found = try files(cut)
                #expect(Set(found.keys) == Set(expected.keys), "step \(step): \(found.keys.sorted())")
                // Numbers reserved by the recorder of the odd steps apart.
                #expect(found.keys.allSatisfy { $0.hasSuffix(".sequence") || found[$0] == expected[$0] }, "step \(step)")
            }
        }
    }

    @Test func erasesFromTheTrackThatIsRecorded() async throws {
        try await Sample.withFolder { folder in
            let recorder = try TrackRecorder(folder: folder)
            for second in 0..<100 { try await recorder.record(Sample.position(second: second)) }
            #expect(throws: RecordingError.self) { try erase(folder, 0, 50) }
            #expect(try await recorder.erase(from: time(10), to: time(20)).positionCount == 10)
            for second in 100..<110 { try await recorder.record(Sample.position(second: second)) }
            _ = try await recorder.close()
            #expect(Set(try logged(folder).keys) == Set(Array(0..<10) + Array(20..<110)))
        }
    }

    /// The fixes of the last second are still on their way from the receiver when somebody erases everything up to now, and then something else.
    @Test(arguments: [false, true]) func takesNoLateFixOfWhatIsErased(isFollowed: Bool) async throws {
        try await Sample.withFolder { folder in
            let recorder = try TrackRecorder(folder: folder)
            for second in 0..<20 { try await recorder.record(Sample.position(second: second)) }
            #expect(try await recorder.erase(from: time(10), to: time(22)).positionCount == 10)
            if isFollowed { #expect(try await recorder.erase(from: time(100), to: time(101)) == LogErasure()) }
            #expect(try await recorder.record(Sample.position(second: 20)) == .notWanted)
            for second in 22..<25 { try await recorder.record(Sample.position(second: second)) }
            // Somebody drives through the same time once more, with a recording.
            let later = MonotonicClock.nanoseconds + 3_000_000_000
            for second in 12..<15 { try await recorder.record(Sample.position(second: second), now: later) }
            _ = try await recorder.close()
            #expect(Set(try logged(folder).keys) == Set(Array(0..<10) + Array(12..<15) + Array(22..<25)))
        }
    }

    /// Who erases yesterday's walk goes on recording today's.
    @Test func leavesTheTrackThatIsRecordedAloneWhereItHasNothingToErase() async throws {
        try await Sample.withFolder { folder in
            let recorder = try TrackRecorder(folder: folder)
            for second in 0..<100 { try await recorder.record(Sample.position(second: second)) }
            #expect(try await recorder.erase(from: time(200), to: time(300)) == LogErasure())
            for second in 100..<110 { try await recorder.record(Sample.position(second: second)) }
            let tracks = try LogFolder(path: folder).journals()
            #expect(tracks.count == 1 && tracks[0].isOpen)
            _ = try await recorder.close()
            #expect(Set(try logged(folder).keys) == Set(0..<110))
        }
    }

    /// Where there is nothing to erase, nothing is written: the disk may be full, and a tracker may record there.
    @Test func writesNothingWhereItHasNothingToErase() async throws {
        try await Sample.withFolder { folder in
            try await record(in: folder)
            let (log, last) = (LogFolder(path: folder), try LogFolder(path: folder).lastSequence())
            let before = try files(folder)
            #expect(try LogMaintenance.erase(ErasedRecords(time(200)..<time(300), through: last), in: log) == LogErasure())
            // What was recorded later is another matter.
            let end = try log.journals()[2].firstSequence - 1
            #expect(try LogMaintenance.erase(ErasedRecords(time(2_000)..<time(2_050), through: end), in: log) == LogErasure())
            #expect(try files(folder) == before)
            #expect(try LogMaintenance.erase(ErasedRecords(time(0)..<time(2_050), through: end), in: log).positionCount == 200)
            #expect(try log.erasedStretches() == [])
            let gone = ErasedRecords(time(0)..<time(9), through: last)
            #expect(throws: RecordingError.self) { try LogMaintenance.erase(gone, in: LogFolder(path: folder + "/gone")) }
        }
    }

    /// A full disk interrupts one erasure, and the next one is another.
    @Test func endsOneThatWasInterruptedBeforeTheNext() async throws {
        try await Sample.withFolder { folder in
            try await record(in: folder)
            try "\(time(10).millisecondsSince1970) \(time(20).millisecondsSince1970)\n"
                .write(toFile: "\(folder)/journal/.erase", atomically: false, encoding: .utf8)
            #expect(try erase(folder, 30, 35).positionCount == 15)
            #expect(Set(try logged(folder).keys).isDisjoint(with: Array(10..<20) + Array(30..<35)))
        }
    }

    @Test func forgetsWhatCouldNotBeRead() async throws {
        try await Sample.withFolder { folder in
            try await record(in: folder)
            let journal = try LogFolder(path: folder).journals()[0].path
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: journal)
            var bytes = try Data(contentsOf: URL(filePath: journal))
            bytes[bytes.count / 2] ^= 0x10
            try bytes.write(to: URL(filePath: journal))
            #expect(try erase(folder, 0, 10).positionCount == 10)
            // What is left is readable throughout.
            var reader = LogReader(folder: LogFolder(path: folder))
            var count = 0
            while let record = try reader.next() { if case .position = record.content { count += 1 } }
            #expect(reader.damageCount == 0 && count == 300 - 10 - 1)
        }
    }
}
