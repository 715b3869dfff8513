import Foundation
import Glibc
import Testing
import Waypost
import WaypostSystem

@testable import WaypostRecording

/// Journals that somebody removes with all that tells of them: whoever has not read them learns their numbers.
@Suite struct RemovedJournalsTests {
    private static let second: Int64 = 1_000_000_000

    /// Logs a fix each second and returns their numbers.
    private func record(_ seconds: Range<Int>, with recorder: TrackRecorder) async throws -> [UInt64] {
        var numbers: [UInt64] = []
        for second in seconds {
            do throws(RecordingError) {
                let outcome = try await recorder.record(Sample.position(second: second), now: Int64(second) * Self.second)
                if case .logged(let number, _) = outcome { numbers.append(number) }
            } catch {
                // The fix is carried into the next journal.
                guard error.isDisplacement else { throw error }
                numbers.append(await recorder.newestNumber)
            }
        }
        return numbers
    }

    private func configuration(_ parent: String) -> TrackRecorder.Configuration {
        var configuration = TrackRecorder.Configuration()
        configuration.numbersPath = parent + "/numbers"
        return configuration
    }

    /// Removes journals with their tracks and their lines in `SHA256SUMS`.
    private func remove(_ journals: some Sequence<LogJournal>, of log: LogFolder) throws {
        for journal in journals {
            for path in [log.trackPath(journal.stem), journal.path] { try Syscalls.remove(path) }
            try TrackDigests(folder: log).update(removing: [LogFolder.trackName(journal.stem)])
        }
    }

    private func losses(_ log: LogFolder, after number: UInt64) throws -> [LogLoss] {
        var reader = LogReader(folder: log, from: .after(number))
        while try reader.next() != nil {}
        return reader.losses
    }

    /// While it is being written, before and after a part of it is certain to be on the disk.
    @Test(arguments: [5, 100]) func areToldOfTheOneThatIsWritten(count: Int) async throws {
        try await Sample.withFolder { folder in
            let log = LogFolder(path: folder)
            let recorder = try TrackRecorder(folder: folder)
            let first = try await record(0..<20, with: recorder)
            _ = try await recorder.finishTrack()
            let second = try await record(20..<20 + count, with: recorder)
            try Syscalls.remove(try #require(try log.journals().last).path)
            let third = try await record(200..<240, with: recorder)
            #expect(await recorder.problems.isEmpty)
            let last = try #require(first.last)
            var reader = LogReader(folder: log, from: .after(last))
            var kept: [UInt64] = []
            while let record = try reader.next() { if case .position = record.content { kept.append(record.sequence) } }
            let lost = reader.losses.flatMap { $0.after + 1...$0.through }
            // Some wait for the disk, and are written again.
            #expect(Set(kept).isSuperset(of: third) && Set(lost).isDisjoint(with: kept))
            #expect(Set(lost).union(kept).isSuperset(of: second))
            #expect(reader.losses.allSatisfy { $0.note == .forgotten })
            _ = try await recorder.close()
            #expect(try losses(log, after: last).flatMap { $0.after + 1...$0.through } == lost)
        }
    }

    /// After a kill nobody knows how many numbers it had, but that there was one.
    @Test(arguments: ["start", "recover", "alone"], [1, 30]) func areToldOfTheOneThatAKillLeft(how: String, count: Int) async throws {
        try await Sample.withFolder { parent in
            let (folder, configuration) = (parent + "/log", configuration(parent))
            let log = LogFolder(path: folder)
            var given: [UInt64] = []
            var last: UInt64 = 0
            do {
                let recorder = try TrackRecorder(folder: folder, configuration: configuration)
                if how != "alone" {
                    last = try #require(try await record(0..<20, with: recorder).last)
                    _ = try await recorder.finishTrack()
                }
                given = try await record(100..<100 + count, with: recorder)
            }
            try Syscalls.remove(try #require(try log.journals().last).path)
            if how == "recover" { _ = try LogMaintenance(folder: log).recover() }
            for start in 0..<3 {
                do {
                    let recorder = try TrackRecorder(folder: folder, configuration: configuration)
                    _ = try await recorder.recover()
                    let found = try losses(log, after: last)
                    #expect(found.count == 1 && found.allSatisfy { $0.note == .forgotten }, "\(found), start \(start)")
                    #expect(found.first.map { $0.after } == last)
                    let through = try #require(found.last?.through)
                    #expect(try #require(given.last) <= through && through < #require(given.last) + SequenceCounter.markStep + 10)
                    _ = try await record(start * 1_000..<start * 1_000 + 20, with: recorder)
                    if start == 1 { _ = try await recorder.close() }
                }
            }
        }
    }

    /// After a stop in order every number is known, whatever tells of the track is gone.
    @Test(arguments: ["middle", "last", "all", "later"], [false, true]) func areToldWithoutTheListOfTracks(
        what: String, isWhole: Bool
    ) async throws {
        try await Sample.withFolder { parent in
            let (folder, configuration) = (parent + "/log", configuration(parent))
            let log = LogFolder(path: folder)
            let recorder = try TrackRecorder(folder: folder, configuration: configuration)
            var tracks: [[UInt64]] = []
            for track in 0..<4 {
                tracks.append(try await record(track * 1_000..<track * 1_000 + 20, with: recorder))
                _ = try await recorder.finishTrack()
            }
            _ = try await recorder.close()
            if what == "later" {
                let next = try TrackRecorder(folder: folder, configuration: configuration)
                tracks.append(try await record(10_000..<10_020, with: next))
                _ = try await next.close()
            }
            let journals = try log.journals()
            switch what {
            case "middle": try remove(journals[1...2], of: log)
            case "all": try remove(journals, of: log)
            default: try remove([journals[3]], of: log)
            }
            if isWhole { try Syscalls.remove(folder + "/SHA256SUMS") }
            for _ in 0..<2 {
                let recorder = try TrackRecorder(folder: folder, configuration: configuration)
                _ = try await recorder.recover()
                _ = try await recorder.close()
            }
            let lost = try losses(log, after: what == "all" ? 0 : tracks[0][0]).map { $0.after + 1...$0.through }
            let gone = what == "middle" ? tracks[1] + tracks[2] : what == "all" ? tracks.flatMap(\.self) : tracks[3]
            #expect(lost.map(\.upperBound) == [try #require(gone.last)] && lost.allSatisfy { $0.contains(gone[0]) }, "\(lost)")
        }
    }

    /// What a kill left out is not lost, also when the full disk has no room for a note of it until later.
    @Test func areNotToldAfterAKillOnAFullDisk() async throws {
        try await Sample.withSmallDisk { folder in
            let ballast = folder + "/ballast"
            for start in 0..<3 {
                do {
                    if start > 0 {
                        let file = try AppendOnlyFile(creating: ballast)
                        while (try? file.append([UInt8](repeating: 1, count: 4_096))) != nil {}
                        while (try? file.append([1])) != nil {}
                    }
                    let recorder = try TrackRecorder(folder: folder)
                    for second in 0..<20 {
                        let now = start * 1_000 + second
                        if second == 10, start > 0 { try Syscalls.remove(ballast) }
                        _ = try? await recorder.record(Sample.position(second: now), now: Int64(now) * Self.second)
                    }
                    #expect(await recorder.statistics.logged.largest == (start == 0 ? 20 : 10))
                }
            }
            let log = LogFolder(path: folder)
            #expect(try losses(log, after: 0) == [])
            #expect(try numbers(log).count == 40)
        }
    }

    /// A journal that is there and cannot be read is reported as such, and its records may come back.
    @Test func areNotThoseThatCannotBeRead() async throws {
        try await Sample.withFolder { folder in
            let log = LogFolder(path: folder)
            let recorder = try TrackRecorder(folder: folder)
            var last: [UInt64] = []
            for track in 0..<4 {
                last.append(try #require(try await record(track * 1_000..<track * 1_000 + 20, with: recorder).last))
                _ = try await recorder.finishTrack()
            }
            _ = try await recorder.close()
            let journals = try log.journals()
            try remove([journals[1]], of: log)
            try Syscalls.remove(journals[2].path)
            try Syscalls.createFolders(journals[2].path)
            var reader = LogReader(folder: log, from: .after(1))
            while try reader.nextPassingOver() != nil {}
            #expect(reader.losses.map { $0.after + 1...$0.through } == [last[0] + 1...last[1]])
        }
    }

    /// Whatever happens to a log in any order: what somebody removed is told, and nothing else.
    @Test(arguments: 1...8) func areAllThatIsTold(seed: UInt64) async throws {
        try await Sample.withFolder { parent in
            var generator = SeededGenerator(seed: seed)
            let folder = parent + "/log"
            let log = LogFolder(path: folder)
            var (given, removed, erased, acts): (Set<UInt64>, Set<UInt64>, Set<UInt64>, [String]) = ([], [], [], [])
            var second = 0
            for _ in 0..<8 {
                var configuration = configuration(parent)
                if Int.random(in: 0..<4, using: &generator) == 0 { configuration.numbersPath = nil }
                do {
                    let recorder = try TrackRecorder(folder: folder, configuration: configuration)
                    _ = try await recorder.recover()
                    for _ in 0..<Int.random(in: 1...4, using: &generator) {
                        let count = Int.random(in: 1...(Int.random(in: 0..<6, using: &generator) > 0 ? 60 : 1_200), using: &generator)
                        given.formUnion(try await record(second..<second + count, with: recorder))
                        second += count
                        switch Int.random(in: 0..<6, using: &generator) {
                        case 0, 1: _ = try await recorder.finishTrack()
                        case 2: _ = try await recorder.rotate()
                        case 3:
                            let start = Int.random(in: 0..<second, using: &generator)
                            let end = Int.random(in: start...second, using: &generator)
                            func time(_ second: Int) -> UTCTime { Sample.start.advanced(byMilliseconds: Int64(second) * 1_000) }
                            acts.append("erase \(start) to \(end)")
                            let before = Set(try numbers(log))
                            _ = try await recorder.erase(from: time(start), to: time(end))
                            erased.formUnion(before.subtracting(try numbers(log)))
                        default: break
                        }
                    }
                    acts.append("\(second) fixes")
                    if Bool.random(using: &generator) {
                        _ = try await recorder.close()
                        acts.append("stop")
                    }
                }
                let journals = try log.journals()
                if Int.random(in: 0..<3, using: &generator) == 0, let journal = journals.randomElement(using: &generator) {
                    let before = Set(try numbers(log))
                    try remove([journal], of: log)
                    removed.formUnion(before.subtracting(try numbers(log)))
                    acts.append("remove \(journal.stem)")
                }
                if Int.random(in: 0..<4, using: &generator) == 0 {
                    _ = try LogMaintenance(folder: log).recover()
                    acts.append("recover")
                }
            }
            let recorder = try TrackRecorder(folder: folder, configuration: configuration(parent))
            _ = try await recorder.recover()
            _ = try await record(second..<second + 5, with: recorder)
            _ = try await recorder.close()
            let lost = Set(try losses(log, after: 0).flatMap { $0.after + 1...$0.through })
            #expect(removed.isSubset(of: lost), "\(removed.subtracting(lost).sorted().prefix(3)) after \(acts)")
            let untrue = lost.intersection(given).subtracting(removed)
            #expect(untrue.subtracting(erased).isEmpty, "\(untrue.sorted().prefix(3)) after \(acts)")
            // Besides, only what a kill or a removed break leaves uncertain.
            let kills = acts.count { $0.hasPrefix("remove") }
            #expect(lost.subtracting(removed).count <= kills * (Int(SequenceCounter.markStep) + 10), "\(acts)")
            #expect(!removed.isEmpty || lost.isEmpty, "\(lost.sorted().prefix(3)) after \(acts)")
        }
    }

    /// The numbers of the fixes that can be read.
    private func numbers(_ log: LogFolder) throws -> [UInt64] {
        var reader = LogReader(folder: log)
        var numbers: [UInt64] = []
        while let record = try reader.next() { if case .position = record.content { numbers.append(record.sequence) } }
        return numbers
    }
}
