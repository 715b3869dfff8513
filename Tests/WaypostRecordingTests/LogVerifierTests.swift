import Foundation
import Testing
import Waypost
import WaypostSystem

@testable import WaypostRecording

@Suite struct LogVerifierTests {
    /// A log of one finished track of a hundred fixes in two segments.
    private func withLog(_ body: (_ folder: String, _ journal: LogJournal) throws -> Void) async throws {
        try await Sample.withFolder { folder in
            let recorder = try TrackRecorder(folder: folder)
            for second in 0..<100 {
                if second == 40 { await recorder.note(.loss) }
                try await recorder.record(Sample.position(second: second))
            }
            _ = try await recorder.close()
            let journals = try LogFolder(path: folder).journals()
            try body(folder, try #require(journals.first))
        }
    }

    private func change(_ path: String, _ body: (inout Data) throws -> Void) throws {
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        var bytes = try Data(contentsOf: URL(filePath: path))
        try body(&bytes)
        try bytes.write(to: URL(filePath: path))
    }

    private func faults(_ folder: String, _ journal: LogJournal) throws -> [LogFault] {
        try LogVerifier(folder: LogFolder(path: folder)).faults(of: journal)
    }

    @Test func findsNothingInWhatIsAsItWasWritten() async throws {
        try await withLog { folder, journal in
            let found = try faults(folder, journal)
            #expect(found == [])
        }
    }

    @Test func findsATrackThatIsGoneUnlessItWasFetched() async throws {
        try await withLog { folder, journal in
            let path = "\(folder)/\(journal.stem).gpx"
            try FileManager.default.removeItem(atPath: path)
            let missing = LogFault(
                path: path, words: "is missing; waypost log recover, while no tracker records here, makes it again from its journal")
            let log = LogFolder(path: folder)
            let last = try log.lastSequence()
            #expect(try faults(folder, journal) == [missing])
            try Pullers(folder: log).acknowledge(last - 1, puller: "home")
            #expect(try faults(folder, journal) == [missing])
            try Pullers(folder: log).acknowledge(last, puller: "home")
            #expect(try faults(folder, journal) == [])
        }
    }

    @Test func recoversTracksThatAreGoneAsTheyWere() async throws {
        try await Sample.withFolder { folder in
            var configuration = TrackRecorder.Configuration()
            configuration.types = [.raw, .source, .current]
            let recorder = try TrackRecorder(folder: folder, configuration: configuration)
            for second in 0..<30 {
                if second % 10 == 0 { _ = try await recorder.finishTrack() }
                try await recorder.record(Sample.position(second: second), as: [.raw, .source])
            }
            _ = try await recorder.close()
            let log = LogFolder(path: folder)
            let names = try Syscalls.names(inFolder: folder).filter { $0.hasSuffix(".gpx") }
            #expect(names.count == 6)
            func contents() throws -> [Data] { try names.map { try Data(contentsOf: URL(filePath: "\(folder)/\($0)")) } }
            func allFaults() throws -> [LogFault] {
                var found: [LogFault] = []
                for journal in try log.journals() { found += try faults(folder, journal) }
                return found
            }
            let files = try contents()
            let sums = try Data(contentsOf: URL(filePath: folder + "/SHA256SUMS"))
            for name in names.dropFirst() { try FileManager.default.removeItem(atPath: "\(folder)/\(name)") }
            #expect(try allFaults().count == 5)
            // What the check of a file system may leave of one.
            try Data().write(to: URL(filePath: "\(folder)/\(names[0])"))
            #expect(try allFaults().count == 6)
            // A tracker that starts does not bring back what was fetched and removed.
            let next = try TrackRecorder(folder: folder, configuration: configuration)
            let restarted = try await next.recover()
            #expect(restarted.tracks == [])
            _ = try await next.close()
            let recovery = try LogMaintenance(folder: log).recover()
            #expect(recovery.failures == [] && recovery.tracks.count == 3)
            #expect(try contents() == files)
            #expect(try Data(contentsOf: URL(filePath: folder + "/SHA256SUMS")) == sums)
            #expect(try allFaults() == [])
            let again = try LogMaintenance(folder: log).recover()
            #expect(again.tracks == [])
        }
    }

    @Test func findsATrackThatIsNotWhatTheListSays() async throws {
        try await withLog { folder, journal in
            let verifier = LogVerifier(folder: LogFolder(path: folder))
            let track = "\(folder)/\(journal.stem).gpx"
            #expect(try verifier.digestFaults() == [])
            try change(track) { $0.append(UInt8(ascii: "\n")) }
            let words = "is not what SHA256SUMS says; move it away, and waypost log recover makes it again from its journal"
            #expect(try verifier.digestFaults() == [LogFault(path: track, words: words)])
            try FileManager.default.removeItem(atPath: "\(folder)/SHA256SUMS")
            let missing = LogFault(
                path: "\(folder)/SHA256SUMS", words: "has no line for \(journal.stem).gpx; waypost log recover adds it")
            #expect(try verifier.digestFaults() == [missing])
            // Fetched and deleted.
            try FileManager.default.removeItem(atPath: track)
            #expect(try verifier.digestFaults() == [])
        }
    }

    /// A track whose GPX file and journal are both gone: only the list knows of it.
    @Test(arguments: [0, 1, 2]) func findsATrackOfWhichOnlyTheListKnows(gone: Int) async throws {
        try await Sample.withFolder { folder in
            let recorder = try TrackRecorder(folder: folder)
            for second in 0..<30 {
                if second % 10 == 0 { _ = try await recorder.finishTrack() }
                try await recorder.record(Sample.position(second: second))
            }
            _ = try await recorder.close()
            let log = LogFolder(path: folder)
            let journals = try log.journals()
            let stem = journals[gone].stem
            #expect(try LogVerifier(folder: log).digestFaults() == [])
            for path in [log.trackPath(stem), log.finishedJournalPath(stem)] { try Syscalls.remove(path) }
            let words = "is missing, and its journal, too: take both from a copy, or waypost log recover removes its line from SHA256SUMS"
            let missing = [LogFault(path: log.trackPath(stem), words: words)]
            #expect(try LogVerifier(folder: log).digestFaults() == missing)
            // The next track does not make it forgotten, and a reader of what follows the one before it, or of everything, is told.
            let next = try TrackRecorder(folder: folder)
            try await next.record(Sample.position(second: 40))
            _ = try await next.close()
            #expect(try LogVerifier(folder: log).digestFaults() == missing)
            var reader = LogReader(folder: log, from: .after(gone == 0 ? 0 : journals[gone].firstSequence - 1))
            let first = try #require(try reader.next())
            #expect(first.content == .segmentBreak(.gap) && reader.losses.map(\.isMissing) == [true])
            var oldest = LogReader(folder: log, from: .oldest)
            #expect(try oldest.next()?.content != .segmentBreak(.gap) && oldest.losses == [])
            // Whoever has fetched it may delete it.
            let behind = try #require(try log.journals().first { $0.firstSequence > journals[gone].firstSequence }).firstSequence
            try Pullers(folder: log).acknowledge(behind - 2, puller: "home")
            #expect(try LogVerifier(folder: log).digestFaults() == missing)
            try Pullers(folder: log).acknowledge(behind - 1, puller: "home")
            #expect(try LogVerifier(folder: log).digestFaults() == [])
            try Syscalls.remove(log.pullersPath)
            #expect(try LogVerifier(folder: log).digestFaults() == missing)
            #expect(try LogMaintenance(folder: log).recover().forgottenPaths == [log.trackPath(stem)])
            #expect(try LogVerifier(folder: log).digestFaults() == [])
            #expect(try LogMaintenance(folder: log).recover().forgottenPaths == [])
            // A reader still knows that something was there.
            var later = LogReader(folder: log, from: .after(gone == 0 ? 0 : journals[gone].firstSequence - 1))
            #expect(try later.next()?.content == .segmentBreak(.gap) && later.losses.map(\.note) == [.forgotten])
        }
    }

    @Test(arguments: [
        "garbage\n", "\n", "FIRST", String(repeating: "0", count: 64) + "  \n", String(repeating: "0", count: 64) + " *a.gpx\n",
    ])
    func findsALineThatIsNoEntry(line: String) async throws {
        try await withLog { folder, journal in
            let log = LogFolder(path: folder)
            let sums = "\(folder)/SHA256SUMS"
            let whole = try String(contentsOfFile: sums, encoding: .utf8)
            // The list twice has a second line for the same file.
            try (whole + line.replacing("FIRST", with: whole)).write(toFile: sums, atomically: false, encoding: .utf8)
            let words = "line 2 is not one that waypost wrote; waypost log recover writes the list again"
            #expect(try LogVerifier(folder: log).digestFaults() == [LogFault(path: sums, words: words)])
            #expect(try LogMaintenance(folder: log).recover().failures == [])
            #expect(try LogVerifier(folder: log).digestFaults() == [])
            #expect(try String(contentsOfFile: sums, encoding: .utf8) == whole)
        }
    }

    @Test func findsADamagedListOfPullers() async throws {
        try await withLog { folder, _ in
            let log = LogFolder(path: folder)
            #expect(try LogVerifier(folder: log).pullerFaults() == [])
            try Pullers(folder: log).acknowledge(5, puller: "office")
            #expect(try LogVerifier(folder: log).pullerFaults() == [])
            try change(log.pullersPath) { $0[3] ^= 1 }
            let found = try LogVerifier(folder: log).pullerFaults()
            #expect(found.map(\.path) == [log.pullersPath] && found.allSatisfy { $0.words.contains("; remove it") }, "\(found)")
        }
    }

    @Test func findsAFlippedBitInAJournal() async throws {
        try await withLog { folder, journal in
            try change(journal.path) { $0[2_000] ^= 1 }
            let found = try faults(folder, journal)
            // The GPX file passes its checksum: it is not the one that is damaged.
            #expect(found.map(\.path) == [journal.path])
            #expect(found.first?.words.hasPrefix("not readable: ") == true)
            #expect(found.first?.words.hasSuffix("; its track \(journal.stem).gpx is as it was written: keep that") == true, "\(found)")
            try change("\(folder)/\(journal.stem).gpx") { $0[$0.count / 4] ^= 1 }
            let both = try faults(folder, journal)
            #expect(both.contains { $0.words.hasSuffix("the journal is damaged, too: take both from a copy") }, "\(both)")
        }
    }

    @Test(arguments: [
        ("<trkpt lat=\"47.1004161\"", "<trkpt lat=\"47.1004162\"", "point 11 is not the journal's"),
        ("2026-05-02T03:25:12Z", "2026-05-02T03:25:13Z", "point 11 is not the journal's"),
    ])
    func findsAChangedPointInATrack(old: String, new: String, expected: String) async throws {
        try await withLog { folder, journal in
            let path = "\(folder)/\(journal.stem).gpx"
            try change(path) { bytes in
                let range = try #require(bytes.range(of: Data(old.utf8)))
                bytes.replaceSubrange(range, with: Data(new.utf8))
            }
            let advice = "; the journal passes its checksums and this file does not: move it away, and waypost log recover makes it again"
            #expect(try faults(folder, journal) == [LogFault(path: path, words: expected + advice)])
            let sums = "\(folder)/SHA256SUMS"
            var hash = SHA256()
            hash.update(Array(try Data(contentsOf: URL(filePath: path))).span.bytes)
            let digest = SHA256.hexadecimal(hash.finish())
            try change(sums) { $0 = Data("\(digest)  \(journal.stem).gpx\n".utf8) }
            let same = ", although both pass their checksums: one was changed with its checksum"
            #expect(try faults(folder, journal) == [LogFault(path: path, words: expected + same)])
            try FileManager.default.removeItem(atPath: path)
            _ = try LogMaintenance(folder: LogFolder(path: folder)).recover()
            #expect(try faults(folder, journal) == [])
        }
    }

    @Test func findsATrackThatIsCutOrTooLong() async throws {
        try await withLog { folder, journal in
            let path = "\(folder)/\(journal.stem).gpx"
            let whole = try Data(contentsOf: URL(filePath: path))
            try change(path) { $0.removeLast($0.count / 2) }
            #expect(try faults(folder, journal).first?.words.hasPrefix("ends before point") == true)
            try whole.write(to: URL(filePath: path))
            try change(path) { bytes in
                let last = try #require(bytes.range(of: Data("<trkpt".utf8), options: .backwards))
                bytes.insert(contentsOf: bytes[last.lowerBound...].prefix { $0 != 10 } + [10], at: last.lowerBound)
            }
            #expect(try faults(folder, journal).first?.words.hasPrefix("has more points than its journal's 100; ") == true)
        }
    }
}
