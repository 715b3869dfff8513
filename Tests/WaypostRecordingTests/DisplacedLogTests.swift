import Foundation
import Glibc
import Testing
import Waypost
import WaypostSystem

@testable import WaypostRecording

/// What becomes of the log when its folder is taken away from under the recorder.
@Suite(.serialized) struct DisplacedLogTests {
    private static let second: Int64 = 1_000_000_000

    /// The seconds of the fixes that a log tells, through all its journals.
    private func seconds(in folder: String) throws -> [Int] {
        var reader = LogReader(folder: LogFolder(path: folder))
        var seconds: [Int] = []
        while let record = try reader.next() {
            guard case .position(let position) = record.content, let time = position.time else { continue }
            seconds.append(Int(time.millisecondsSince1970 - Sample.start.millisecondsSince1970) / 1_000)
        }
        return seconds
    }

    /// Records fixes second by second until after a sync interval; how often it was told that the log is not in its place.
    private func record(_ range: ClosedRange<Int>, with recorder: TrackRecorder) async throws -> Int {
        var told = 0
        for second in range {
            do throws(RecordingError) {
                try await recorder.record(Sample.position(second: second), now: Int64(second) * Self.second)
            } catch {
                guard error.isDisplacement else { throw error }
                told += 1
                #expect(await recorder.problems.synchronizing?.count == 1)
            }
        }
        return told
    }

    enum Removal: CaseIterable { case folder, folderWithEmptyOne, journalFolder, journal }

    private func move(_ removal: Removal, of folder: String) throws {
        let files = FileManager.default
        switch removal {
        case .folder: try files.moveItem(atPath: folder, toPath: folder + ".old")
        case .folderWithEmptyOne:
            try files.moveItem(atPath: folder, toPath: folder + ".old")
            try Syscalls.createFolders(folder)
        case .journalFolder:
            try Syscalls.createFolders(folder + ".old")
            try files.moveItem(atPath: folder + "/journal", toPath: folder + ".old/journal")
        case .journal:
            try Syscalls.createFolders(folder + ".old/journal")
            for name in try Syscalls.names(inFolder: folder + "/journal") where name.hasSuffix(".journal") {
                try files.moveItem(atPath: folder + "/journal/" + name, toPath: folder + ".old/journal/" + name)
            }
        }
    }

    @Test(arguments: Removal.allCases) func goesOnInItsPlaceWhenItIsMoved(removal: Removal) async throws {
        try await Sample.withFolder { parent in
            let folder = parent + "/log"
            let recorder = try TrackRecorder(folder: folder)
            #expect(try await record(0...15, with: recorder) == 0)
            try move(removal, of: folder)
            #expect(try await record(16...40, with: recorder) == 1)
            #expect(await recorder.problems.isEmpty)
            #expect(throws: RecordingError.alreadyInUse(folder: folder, holder: getpid())) { _ = try TrackRecorder(folder: folder) }
            let track = try #require(try await recorder.rotate())
            let (moved, here) = (try seconds(in: folder + ".old"), try seconds(in: folder))
            #expect(Set(moved).union(here) == Set(0...40) && here.last == 40 && here.count >= 25 && track.positionCount == here.count)
            #expect(try await record(41...60, with: recorder) == 0)
            _ = try await recorder.close()
            #expect(try seconds(in: folder).last == 60)
        }
    }

    /// A rotation, as everything else that somebody asks for, does not wait until it was noticed.
    @Test(arguments: Removal.allCases) func rotatesWhenItWasJustMoved(removal: Removal) async throws {
        try await Sample.withFolder { parent in
            let folder = parent + "/log"
            let recorder = try TrackRecorder(folder: folder)
            #expect(try await record(0...3, with: recorder) == 0)
            try move(removal, of: folder)
            #expect(try await recorder.rotate()?.positionCount == 3)
            #expect(try seconds(in: folder) == [1, 2, 3])
            _ = try await recorder.close()
        }
    }

    @Test func makesAFolderAnewThatIsRemovedBeforeTheFirstFix() async throws {
        try await Sample.withFolder { folder in
            let recorder = try TrackRecorder(folder: folder)
            try FileManager.default.removeItem(atPath: folder)
            #expect(try await recorder.recover().failures.isEmpty)
            #expect(try await recorder.applyRetention(confirmedTime: nil).map(\.stem) == [])
            try FileManager.default.removeItem(atPath: folder)
            #expect(try await record(0...15, with: recorder) == 0)
            #expect(await recorder.problems.isEmpty)
            #expect(try await recorder.close()?.positionCount == 16)
        }
    }

    /// Also when the reserved numbers end while the folder is gone.
    @Test func reservesNumbersWhereTheFolderWasRemoved() async throws {
        try await Sample.withFolder { folder in
            let recorder = try TrackRecorder(folder: folder)
            for second in 0..<Int(SequenceCounter.step) {
                try await recorder.record(Sample.position(second: second % 80_000), now: 0)
            }
            try FileManager.default.removeItem(atPath: folder)
            for second in 66_000..<66_010 { try await recorder.record(Sample.position(second: second), now: 0) }
            #expect(await recorder.problems.writing == nil)
            _ = try await recorder.close()
        }
    }

    @Test func staysBehindTheNumbersOfAnotherLogInItsPlace() async throws {
        try await Sample.withFolder { parent in
            let (folder, other) = (parent + "/log", parent + "/other")
            let before = try TrackRecorder(folder: other)
            #expect(try await record(1_000...1_100, with: before) == 0)
            _ = try await before.close()
            let recorder = try TrackRecorder(folder: folder)
            #expect(try await record(2_000...2_005, with: recorder) == 0)
            rename(folder, folder + ".old")
            rename(other, folder)
            #expect(try await record(2_006...2_030, with: recorder) == 1)
            _ = try await recorder.close()
            let here = try seconds(in: folder)
            #expect(here.prefix(101) == ArraySlice(1_000...1_100) && here.last == 2_030)
            #expect(Set(here).union(try seconds(in: folder + ".old")) == Set(1_000...1_100).union(2_000...2_030))
        }
    }

    @Test(.enabled(if: getuid() == 0, "only root can mount")) func goesOnBelowTheMountPointAndSaysSo() async throws {
        try await Sample.withFolder(onDisk: true) { parent in
            let folder = parent + "/log"
            try Syscalls.createFolders(folder)
            guard mount("none", folder, "tmpfs", 0, "size=8m") == 0 else {
                print("\(#function) skipped: no tmpfs can be mounted")
                return
            }
            defer { umount2(folder, Int32(MNT_DETACH)) }
            let recorder = try TrackRecorder(folder: folder)
            #expect(try await record(0...15, with: recorder) == 0)
            umount2(folder, Int32(MNT_DETACH))
            #expect(try await record(16...40, with: recorder) == 1)
            let problems = await recorder.problems
            #expect(problems.otherDiskSince != nil && problems.synchronizing == nil && problems.writing == nil)
            #expect(try await recorder.rotate() != nil)
            #expect(try seconds(in: folder).suffix(25) == ArraySlice(16...40))
            _ = try await recorder.close()
        }
    }
}
