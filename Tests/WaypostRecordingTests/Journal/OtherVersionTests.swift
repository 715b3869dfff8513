import Testing
import Waypost
import WaypostSystem

@testable import WaypostRecording

/// A journal of another version is never read, changed or deleted, and what is around it goes on.
@Suite struct OtherVersionTests {
    private static let stem = TrackStem(time: Sample.start, bootIdentity: [UInt8](0..<16), sequence: 1).description

    /// A log with a finished track of another version; the bytes of its journal.
    private func prepare(_ folder: String, count: Int = 10, isOpen: Bool = false) throws -> [UInt8] {
        try Syscalls.createFolders(folder + "/journal")
        var bytes = JournalCodec.encode(JournalHeader(bootIdentity: [UInt8](0..<16), firstSequence: 1, source: nil))
        for second in 0..<count {
            let record = JournalRecord(sequence: UInt64(second + 1), content: .position(Sample.position(second: second)))
            JournalCodec.append(record, source: nil, to: &bytes)
        }
        let journal = Sample.asVersion(2, bytes)
        try AtomicFile.write(journal, to: path(folder, isOpen: isOpen))
        try AtomicFile.write(SealedText.seal(Array("100\n".utf8)), to: folder + "/journal/.sequence")
        return journal
    }

    private func path(_ folder: String, isOpen: Bool = false) -> String {
        "\(folder)/journal/\(Self.stem)\(isOpen ? ".open" : "").journal"
    }

    @Test func isNotReadByWhomeverSeeksIntoIt() async throws {
        try await Sample.withFolder { folder in
            // So long that a place in it is looked for.
            _ = try prepare(folder, count: 5_000)
            let refusal = RecordingError.unsupportedVersion(path: path(folder), version: 2)
            for sequence: UInt64 in [0, 1, 2_500, 4_999, 5_000, .max] {
                #expect(throws: refusal) {
                    var reader = try JournalReader(path: path(folder))
                    try reader.seek(after: sequence)
                }
            }
            #expect(throws: refusal) {
                var reader = try JournalReader(path: path(folder))
                _ = try reader.lastRecord()
            }
            #expect(throws: refusal) {
                var reader = try JournalReader(path: path(folder))
                _ = try reader.next()
            }
            for start in [.oldest, .after(2_500), .from(Sample.start)] as [LogReader.Start] {
                var reader = LogReader(folder: LogFolder(path: folder), from: start)
                do {
                    while let record = try reader.next() { Issue.record("read \(record)") }
                    Issue.record("nothing was said")
                } catch {
                    #expect(error as? RecordingError == refusal)
                }
                #expect(try reader.next() == nil, "it goes on behind it")
            }
        }
    }

    @Test func staysBesideTheJournalsOfTheRecorder() async throws {
        try await Sample.withFolder { folder in
            let journal = try prepare(folder, isOpen: true)
            var configuration = TrackRecorder.Configuration()
            configuration.retention.maximumByteCount = 1
            let recorder = try TrackRecorder(folder: folder, configuration: configuration)
            #expect(try await recorder.recover().failures == [.unsupportedVersion(path: path(folder, isOpen: true), version: 2)])
            try await recorder.record(Sample.position(second: 200_000))
            #expect(try await recorder.finishTrack()?.positionCount == 1)
            // The limit is exceeded by what stays alone; the recorder's own track goes.
            #expect(try await recorder.applyRetention(confirmedTime: nil).count == 1)
            _ = try await recorder.close()
            #expect(try Syscalls.contents(of: path(folder, isOpen: true)) == journal)
        }
    }

    @Test func isNotDeletedForItsAgeOrForRoom() async throws {
        try await Sample.withFolder { folder in
            let journal = try prepare(folder)
            var configuration = TrackRecorder.Configuration()
            configuration.retention.maximumByteCount = 1
            configuration.retention.maximumAge = .seconds(1)
            let recorder = try TrackRecorder(folder: folder, configuration: configuration)
            #expect(try await recorder.applyRetention(confirmedTime: Sample.start.advanced(byMilliseconds: 1_000_000_000)) == [])
            _ = try await recorder.close()
            #expect(try Syscalls.contents(of: path(folder)) == journal)
        }
    }

    @Test func letsNothingBeErasedByHalves() async throws {
        try await Sample.withFolder { folder in
            let journal = try prepare(folder)
            let recorder = try TrackRecorder(folder: folder)
            for second in 0..<5 { try await recorder.record(Sample.position(second: 200_000 + second)) }
            _ = try await recorder.close()
            let end = Sample.start.advanced(byMilliseconds: 1_000_000_000)
            do {
                _ = try LogMaintenance(folder: LogFolder(path: folder)).erase(from: Sample.start, to: end)
                Issue.record("erased")
            } catch {
                #expect(error as? RecordingError == .unsupportedVersion(path: path(folder), version: 2))
            }
            #expect(try Syscalls.contents(of: path(folder)) == journal)
            #expect(!Syscalls.exists(folder + "/journal/.erase"), "nothing is left to be carried out")
            var reader = LogReader(folder: LogFolder(path: folder), from: .after(99))
            #expect(try reader.next() != nil)
        }
    }
}
