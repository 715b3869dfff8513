import Foundation
import Testing
import Waypost
import WaypostSystem

@testable import WaypostRecording

/// What becomes of numbers and readers when an older copy of a log takes its place.
@Suite(.serialized) struct LogPutBackTests {
    /// Logs fixes every 100 ms and returns their numbers.
    @discardableResult
    private func record(
        _ tenths: ClosedRange<Int>, in folder: String, numbersPath: String? = nil, isKilled: Bool = false
    ) async throws -> [UInt64] {
        var configuration = TrackRecorder.Configuration()
        configuration.numbersPath = numbersPath
        let recorder = try TrackRecorder(folder: folder, configuration: configuration)
        var numbers: [UInt64] = []
        for tenth in tenths {
            var position = Sample.position(second: tenth)
            position.time = Sample.start.advanced(byMilliseconds: Int64(tenth) * 100)
            guard case .logged(let number, _) = try await recorder.record(position, now: Int64(tenth) * 100_000_000) else { continue }
            numbers.append(number)
        }
        if !isKilled { _ = try await recorder.close() }
        return numbers
    }

    private func putBack(_ copy: String, over folder: String) throws {
        try FileManager.default.removeItem(atPath: folder)
        try FileManager.default.copyItem(atPath: copy, toPath: folder)
    }

    /// The tenths of a second of what a follower reads up to the end of the log.
    private func read(_ follower: inout LogFollower) throws -> [Int] {
        var tenths: [Int] = []
        while let record = try follower.next() {
            guard case .position(let position) = record.content, let time = position.time else { continue }
            tenths.append(Int(time.millisecondsSince1970 - Sample.start.millisecondsSince1970) / 100)
        }
        return tenths
    }

    /// The new journal may begin in the second in which the old one ended, and has its numbers.
    @Test(arguments: [51, 60, 200], [false, true]) func aFollowerReadsWhatIsLoggedAfterwards(next: Int, isKilled: Bool) async throws {
        try await Sample.withFolder { parent in
            let (folder, copy) = (parent + "/log", parent + "/copy")
            try await record(0...9, in: folder)
            try FileManager.default.copyItem(atPath: folder, toPath: copy)
            var follower = try LogFollower(folder: LogFolder(path: folder), from: .oldest)
            try await record(10...50, in: folder, isKilled: isKilled)
            #expect(try read(&follower) == Array(0...50))
            try putBack(copy, over: folder)
            let recorder = try TrackRecorder(folder: folder)
            #expect(try read(&follower).isEmpty)
            for tenth in [next, next + 1] {
                var position = Sample.position(second: tenth)
                position.time = Sample.start.advanced(byMilliseconds: Int64(tenth) * 100)
                try await recorder.record(position, now: Int64(tenth) * 100_000_000)
                #expect(try read(&follower) == [tenth])
            }
            #expect(follower.replacementCount == 1)
            _ = try await recorder.close()
            try await record((next + 2)...(next + 80), in: folder)
            #expect(try read(&follower) == Array((next + 2)...(next + 80)) && follower.replacementCount == 1)
        }
    }

    /// A follower that looks between any two writes of the other log's first records does not take that log for its own.
    @Test(arguments: 0...4) func aFollowerKnowsAnotherLogThatHasJustBegun(written: Int) async throws {
        try await Sample.withFolder { parent in
            let (folder, other) = (parent + "/log", parent + "/other")
            try await record(0...30, in: folder)
            var follower = try LogFollower(folder: LogFolder(path: folder), from: .oldest)
            #expect(try read(&follower) == Array(0...30))
            try await record(500...530, in: other, isKilled: true)
            let journal = try #require(try LogFolder(path: other).journals().first)
            var reader = try JournalReader(path: journal.path)
            // Nothing, the header and the break, and then position by position.
            for _ in 0..<written { _ = try reader.next() }
            let bytes = try Data(contentsOf: URL(filePath: journal.path))
            try FileManager.default.removeItem(atPath: folder)
            try FileManager.default.createDirectory(atPath: folder + "/journal", withIntermediateDirectories: true)
            let path = LogFolder(path: folder).openJournalPath(journal.stem)
            try bytes.prefix(written == 0 ? 0 : Int(reader.decoder.endOfLastRecord)).write(to: URL(filePath: path))
            let early = try read(&follower)
            let file = try FileHandle(forWritingTo: URL(filePath: path))
            try file.write(contentsOf: bytes)
            try file.close()
            #expect(try early + read(&follower) == Array(500...530) && follower.replacementCount == 1)
        }
    }

    /// A follower that began at the end has read nothing yet.
    @Test func aFollowerFromTheEndKnowsItsLog() async throws {
        try await Sample.withFolder { parent in
            let (folder, copy) = (parent + "/log", parent + "/copy")
            try await record(0...9, in: folder)
            try FileManager.default.copyItem(atPath: folder, toPath: copy)
            let last = try #require(try await record(10...50, in: folder).last)
            var follower = try LogFollower(folder: LogFolder(path: folder), from: .after(last))
            #expect(try read(&follower).isEmpty)
            try putBack(copy, over: folder)
            try await record(51...60, in: folder)
            #expect(try read(&follower) == Array(51...60))
        }
    }

    /// With a copy of their bound outside of the log, nobody's cursor meets a number again.
    @Test(arguments: [false, true]) func numbersDoNotComeAgain(isKilled: Bool) async throws {
        try await Sample.withFolder { parent in
            let (folder, copy, path) = (parent + "/log", parent + "/copy", parent + "/numbers")
            try await record(0...9, in: folder, numbersPath: path)
            try FileManager.default.copyItem(atPath: folder, toPath: copy)
            var follower = try LogFollower(folder: LogFolder(path: folder), from: .oldest)
            let before = try await record(10...50, in: folder, numbersPath: path, isKilled: isKilled)
            #expect(try read(&follower) == Array(0...50))
            try putBack(copy, over: folder)
            var configuration = TrackRecorder.Configuration()
            configuration.numbersPath = path
            #expect(try TrackRecorder(folder: folder, configuration: configuration).isOlderCopy)
            let after = try await record(51...60, in: folder, numbersPath: path)
            #expect(try #require(after.first) > #require(before.last))
            #expect(try read(&follower) == Array(51...60) && follower.replacementCount == 0)
            var reader = LogReader(folder: LogFolder(path: folder), from: .after(try #require(before.last)))
            // After a kill nobody knows which of the reserved numbers were given.
            #expect(try reader.next()?.content == .segmentBreak(isKilled ? .gap : .restart))
            var within = LogReader(folder: LogFolder(path: folder), from: .after(try #require(before.first)))
            #expect(try within.next()?.content == .segmentBreak(.gap))
            let (end, last) = (try #require(within.losses.last?.through), try #require(before.last))
            #expect(isKilled ? end > last && end < last + SequenceCounter.markStep + 10 : end == last)
            #expect(!(try TrackRecorder(folder: folder, configuration: configuration).isOlderCopy))
        }
    }

    /// A backup is made of a log that is being written, whose reserved numbers are far ahead.
    @Test(arguments: [false, true]) func aCopyOfALogThatIsWrittenIsKnown(isKilled: Bool) async throws {
        try await Sample.withFolder { parent in
            let (folder, copy, path) = (parent + "/log", parent + "/copy", parent + "/numbers")
            var configuration = TrackRecorder.Configuration()
            configuration.numbersPath = path
            var numbers: [UInt64] = []
            do {
                let recorder = try TrackRecorder(folder: folder, configuration: configuration)
                #expect(!recorder.isOlderCopy)
                for second in 0...50 {
                    if second == 10 { try FileManager.default.copyItem(atPath: folder, toPath: copy) }
                    if second == 30 { _ = try await recorder.finishTrack() }
                    guard case .logged(let number, _) = try await recorder.record(Sample.position(second: second), now: 0) else { continue }
                    numbers.append(number)
                }
                if !isKilled { _ = try await recorder.close() }
            }
            try putBack(copy, over: folder)
            let recorder = try TrackRecorder(folder: folder, configuration: configuration)
            #expect(recorder.isOlderCopy)
            _ = try await recorder.recover()
            try await recorder.record(Sample.position(second: 100), now: 0)
            _ = try await recorder.close()
            var reader = LogReader(folder: LogFolder(path: folder), from: .after(numbers[4]))
            while try reader.next() != nil {}
            let loss = try #require(reader.losses.first)
            #expect(loss.after == numbers[9] && loss.note == .elsewhere && reader.losses.count == 1)
            let last = try #require(numbers.last)
            #expect(isKilled ? loss.through > last && loss.through < last + SequenceCounter.markStep + 10 : loss.through == last)
        }
    }

    /// Nothing is elsewhere after a kill, a stop, an erasure of the end, and when somebody has removed the last track.
    @Test(arguments: ["kill", "stop", "erase", "remove", "damage"]) func aLogThatIsNoOlderCopyIsNotCalledOne(what: String) async throws {
        try await Sample.withFolder { parent in
            let (folder, path) = (parent + "/log", parent + "/numbers")
            try await record(0...40, in: folder, numbersPath: path)
            try await record(100...140, in: folder, numbersPath: path, isKilled: what == "kill")
            let log = LogFolder(path: folder)
            let last = try #require(try log.journals().last)
            switch what {
            case "erase":
                func time(_ second: Int) -> UTCTime { Sample.start.advanced(byMilliseconds: Int64(second) * 1_000) }
                _ = try LogEraser(folder: log, creator: "test").erase(from: time(12), to: time(100))
            case "remove":
                for path in [log.trackPath(last.stem), last.path] { try Syscalls.remove(path) }
            case "damage":
                let bytes = try #require(try Syscalls.contents(of: last.path))
                try FileManager.default.removeItem(atPath: last.path)
                try Data(bytes.prefix(bytes.count - 40)).write(to: URL(filePath: last.path))
            default: break
            }
            var configuration = TrackRecorder.Configuration()
            configuration.numbersPath = path
            for _ in 0..<2 {
                let recorder = try TrackRecorder(folder: folder, configuration: configuration)
                #expect(!recorder.isOlderCopy)
                _ = try await recorder.recover()
                _ = try await recorder.close()
            }
        }
    }

    /// While the recorder runs: what it writes again has its numbers, and the jump behind them is no damage.
    @Test(arguments: [false, true]) func numbersGoOnInACopyThatIsPutInPlace(isLive: Bool) async throws {
        try await Sample.withFolder { parent in
            let (folder, copy) = (parent + "/log", parent + "/copy")
            let second: Int64 = 1_000_000_000
            try await record(0...9, in: folder)
            if !isLive { try FileManager.default.copyItem(atPath: folder, toPath: copy) }
            let recorder = try TrackRecorder(folder: folder)
            for number in 100...140 {
                _ = try? await recorder.record(Sample.position(second: number), now: Int64(number) * second)
                if isLive, number == 110 { try FileManager.default.copyItem(atPath: folder, toPath: copy) }
            }
            try FileManager.default.moveItem(atPath: folder, toPath: parent + "/gone")
            try FileManager.default.moveItem(atPath: copy, toPath: folder)
            for number in 141...180 { _ = try? await recorder.record(Sample.position(second: number), now: Int64(number) * second) }
            #expect(await recorder.problems.isEmpty)
            _ = try await recorder.close()
            let log = LogFolder(path: folder)
            _ = try LogMaintenance(folder: log).recover()
            for journal in try log.journals() { #expect(try LogVerifier(folder: log).faults(of: journal) == [], "\(journal.stem)") }
            #expect(try LogVerifier(folder: log).digestFaults() == [])
            var reader = LogReader(folder: log, from: .oldest)
            var (tenths, gaps): (Set<Int>, Int) = ([], 0)
            while let entry = try reader.next() {
                if case .segmentBreak(.gap) = entry.content { gaps += 1 }
                guard case .position(let position) = entry.content, let time = position.time else { continue }
                tenths.insert(Int(time.millisecondsSince1970 - Sample.start.millisecondsSince1970) / 100)
            }
            // It is known that they are in the other folder, and nothing is damaged.
            #expect(reader.losses.map(\.note) == [.elsewhere] && gaps == 1, "\(reader.losses), \(gaps)")
            #expect(tenths.isSuperset(of: (141...180).map { $0 * 10 }) && tenths.isSuperset(of: 0...9))
        }
    }

    /// Another folder is not an older copy, and a copy that cannot be read or written changes nothing.
    @Test func aNewFolderIsNoCopy() async throws {
        try await Sample.withFolder { parent in
            let path = parent + "/numbers"
            try await record(0...9, in: parent + "/first", numbersPath: path)
            var configuration = TrackRecorder.Configuration()
            configuration.numbersPath = path
            #expect(!(try TrackRecorder(folder: parent + "/second", configuration: configuration).isOlderCopy))
            #expect(try await record(0...9, in: parent + "/second", numbersPath: path).first == 13)
            try AtomicFile.write(Array("nonsense".utf8), to: path)
            #expect(try await record(0...9, in: parent + "/third", numbersPath: path).first == 2)
            #expect(try await record(0...9, in: parent + "/fourth", numbersPath: parent + "/nowhere/numbers").first == 2)
        }
    }

    /// A copy that could not be lowered at a stop does not make the log an older one.
    @Test func aStopThatCannotWriteTheCopyIsNoOlderCopy() async throws {
        try await Sample.withFolder { parent in
            let (folder, state) = (parent + "/log", parent + "/state")
            try Syscalls.createFolders(state)
            var configuration = TrackRecorder.Configuration()
            configuration.numbersPath = state + "/numbers"
            let recorder = try TrackRecorder(folder: folder, configuration: configuration)
            try await recorder.record(Sample.position(second: 0))
            try FileManager.default.moveItem(atPath: state, toPath: state + ".away")
            _ = try await recorder.close()
            try FileManager.default.moveItem(atPath: state + ".away", toPath: state)
            #expect(!(try TrackRecorder(folder: folder, configuration: configuration).isOlderCopy))
        }
    }

    /// An older counter beside newer journals, as when a backup is copied over the log.
    @Test func anOlderCounterGivesNoNumberAgain() async throws {
        try await Sample.withFolder { parent in
            let (folder, counter) = (parent + "/log", parent + "/log/journal/.sequence")
            try await record(0...9, in: folder)
            let old = try #require(try Syscalls.contents(of: counter))
            let before = try await record(10...50, in: folder)
            try AtomicFile.write(old, to: counter)
            let after = try await record(51...60, in: folder)
            #expect(try #require(after.first) > #require(before.last))
        }
    }
}
