import Testing
import Waypost
import WaypostSystem

@testable import WaypostRecording

/// Readers beside a recorder: they give every record once, in order, and call nothing damaged.
@Suite struct GrowingLogTests {
    /// The reader has a piece of the file with the end of that moment in it, and the recorder goes on behind the piece.
    @Test(arguments: [0, 1, 700]) func givesWhatWasWrittenIntoAPieceThatWasRead(first: Int) async throws {
        try await Sample.withFolder { folder in
            let recorder = try TrackRecorder(folder: folder)
            var second = 0
            func record(_ count: Int) async throws {
                for _ in 0..<count {
                    try await recorder.record(Sample.position(second: second), now: Int64(second) * 10_000_000_000)
                    second += 1
                }
            }
            try await record(700)
            var reader = LogReader(folder: LogFolder(path: folder))
            for sequence in 1...UInt64(1 + first) { #expect(try reader.next()?.sequence == sequence) }
            try await record(3_000)
            for sequence in UInt64(2 + first)...3_701 where try reader.next()?.sequence != sequence {
                Issue.record("not \(sequence), damage \(reader.damage)")
                return
            }
            #expect(try reader.next() == nil)
            #expect(reader.damageCount == 0)
        }
    }

    /// One that reads on while it is written, in another thread.
    @Test func readsOnBesideARecorderAtFullSpeed() async throws {
        try await Sample.withFolder { folder in
            let count: UInt64 = 4_000
            let recording = Task {
                let recorder = try TrackRecorder(folder: folder)
                for second in 0..<Int(count) {
                    try await recorder.record(Sample.position(second: second), now: Int64(second) * 1_000_000_000)
                }
                return recorder
            }
            let log = LogFolder(path: folder)
            var goingOn = LogReader(folder: log)
            var newest: UInt64 = 0
            var cursor: UInt64 = 0
            while cursor <= count {
                // The recorder may want this thread.
                await Task.yield()
                // As exports do, each from where the one before stopped.
                var export = LogReader(folder: log, from: .after(cursor))
                while let record = try export.next() {
                    if record.sequence != cursor + 1 { Issue.record("\(record.sequence) follows \(cursor)") }
                    cursor = record.sequence
                }
                #expect(export.damageCount == 0, "\(export.damage)")
                while let record = try goingOn.next(), record.sequence <= cursor {}
                let last = try log.lastSequence()
                if last < max(newest, cursor) || last > count + 1 { Issue.record("the last number is \(last) after \(newest), \(cursor)") }
                newest = last
                if let journal = try log.journals().first { #expect(try LogVerifier(folder: log).faults(of: journal) == []) }
            }
            _ = try await recording.value
            while try goingOn.next() != nil {}
            #expect(goingOn.cursor == count + 1 && goingOn.damageCount == 0, "\(goingOn.damage)")
        }
    }

    /// What a recorder does whose first records did not reach the disk: it writes them again, under the same name.
    @Test func goesOnInAJournalThatIsWrittenAgain() async throws {
        try await Sample.withFolder { folder in
            let log = LogFolder(path: folder)
            try Syscalls.createFolders(log.journalFolder)
            let path = log.openJournalPath(TrackStem(time: Sample.start, bootIdentity: [0, 0, 0, 0], sequence: 1).description)
            var bytes = JournalCodec.encode(JournalHeader(bootIdentity: [UInt8](0..<16), firstSequence: 1, source: nil))
            func append(_ sequence: UInt64) {
                let record = JournalRecord(sequence: sequence, content: .position(Sample.position(second: Int(sequence))))
                JournalCodec.append(record, source: nil, to: &bytes)
            }
            append(1)
            append(2)
            var reader = LogReader(folder: log)
            for (isRemoved, last) in [(false, 2), (false, 4), (true, 6)] as [(Bool, UInt64)] {
                if isRemoved {
                    try Syscalls.remove(path)
                    #expect(try reader.next() == nil, "nothing there for now")
                }
                while reader.cursor < last - 2 { #expect(try reader.next() != nil) }
                try AppendOnlyFile.replace(path, bytes)
                #expect(try reader.next()?.sequence == last - 1)
                #expect(try reader.next()?.sequence == last)
                #expect(try reader.next() == nil)
                append(last + 1)
                append(last + 2)
            }
            #expect(reader.damageCount == 0)
        }
    }
}

extension AppendOnlyFile {
    /// A file with those bytes in the place of the one before.
    fileprivate static func replace(_ path: String, _ bytes: [UInt8]) throws {
        try Syscalls.remove(path)
        try AppendOnlyFile(creating: path).append(bytes)
    }
}
