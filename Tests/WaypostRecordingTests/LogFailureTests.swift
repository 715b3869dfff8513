import Foundation
import Testing
import Waypost
import WaypostSystem

@testable import WaypostRecording

/// The log on file systems that fail, made for the test; only root can mount them.
@Suite(.serialized) struct LogFailureTests {
    private static let second: Int64 = 1_000_000_000

    /// Calls the body with a small ext4 and the path of its image's loop device; says so when that cannot be had.
    private func withFileSystem(_ body: (String) async throws -> Void, test: String = #function) async throws {
        try await Sample.withFolder(onDisk: true) { folder in
            let (image, mountPoint) = (folder + "/image", folder + "/mounted")
            try Syscalls.createFolders(mountPoint)
            let script = """
                exec 2>/dev/null; truncate -s 16M '\(image)' && mkfs.ext4 -q -F '\(image)' && mount -o loop,errors=remount-ro '\(image)' '\(mountPoint)'
                """
            guard getuid() == 0, shell(script) else {
                print("\(test) skipped: needs root, mkfs.ext4 and a loop device")
                return
            }
            defer { _ = shell("umount -l '\(mountPoint)'") }
            try await body(mountPoint)
        }
    }

    private func shell(_ script: String) -> Bool {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", script]
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    @Test func pausesOnAFullDiskAndSaysSinceWhenAndWhatIsLost() async throws {
        try await withFileSystem { folder in
            let recorder = try TrackRecorder(folder: folder + "/log")
            try await recorder.record(Sample.position(second: 0), now: 0)
            #expect(shell("exec 2>/dev/null; head -c 64M /dev/zero > '\(folder)/ballast'; true"))
            var second = 0
            var logged = 1
            while await recorder.problems.writing?.count ?? 0 < 3 {
                second += 1
                do {
                    _ = try await recorder.record(Sample.position(second: second), now: Self.second)
                    logged += 1
                } catch {
                    guard case RecordingError.cannotAppend(_, let cause) = error else { throw error }
                    #expect(cause.isDiskFull)
                }
            }
            // An event that is refused is no position lost: it is tried again.
            let event = TrackerEvent(id: "f-1", kind: "enter", name: "Yard", time: Sample.start, position: Sample.bare())
            await #expect(throws: RecordingError.self) { try await recorder.record(event, now: Self.second) }
            let problem = try #require(await recorder.problems.writing)
            #expect(problem.count == 4 && problem.lostPositionCount == 3 && problem.sinceMilliseconds == 1_000)
            #expect(await recorder.problems.synchronizing == nil)
            try Syscalls.remove(folder + "/ballast")
            try await recorder.record(Sample.position(second: second + 1), now: 2 * Self.second)
            #expect(await recorder.problems.isEmpty)
            let track = try #require(try await recorder.close())
            #expect(track.positionCount == logged + 1 && track.segmentCount == 2 && track.damageCount == 0)
        }
    }

    /// Neither a track that somebody ends nor one whose day is over gives the room up that it has.
    @Test(arguments: [false, true]) func aTrackGoesOnWhileThereIsNoRoomForTheNext(isMidnight: Bool) async throws {
        try await withFileSystem { folder in
            let log = LogFolder(path: folder + "/log")
            let recorder = try TrackRecorder(folder: log.path)
            try await recorder.record(Sample.position(second: 0), now: 0)
            #expect(
                shell(
                    "exec 2>/dev/null; head -c 64M /dev/zero > '\(folder)/ballast'; sync; head -c 1M /dev/zero >> '\(folder)/ballast'; true"
                ))
            let day = isMidnight ? 86_400 : 0
            for second in 1...300 {
                if !isMidnight, second % 100 == 50 {
                    await #expect(throws: RecordingError.self) { _ = try await recorder.rotate() }
                }
                try await recorder.record(Sample.position(second: day + second), now: Int64(second) * Self.second)
            }
            #expect(await recorder.problems.isEmpty)
            #expect(try log.journals().count == 1)
            try Syscalls.remove(folder + "/ballast")
            if !isMidnight { #expect(try await recorder.rotate()?.positionCount == 301) }
            try await recorder.record(Sample.position(second: day + 301), now: 400 * Self.second)
            #expect(try log.journals().count == 2)
            #expect(await recorder.problems.isEmpty)
            _ = try await recorder.recover()
            #expect(try await recorder.close()?.positionCount == 1)
            #expect(!Syscalls.exists(log.nextJournalPath))
            // Those of the second day, wherever they are.
            let start = LogReader.Start.from(Sample.start.advanced(byMilliseconds: Int64(max(day, 1)) * 1_000))
            var reader = LogReader(folder: log, from: start)
            var count = 0
            while let record = try reader.next() {
                if case .position = record.content { count += 1 }
            }
            #expect(count == 301)
            #expect(try LogVerifier(folder: log).digestFaults() == [])
        }
    }

    @Test func pausesOnAReadOnlyFileSystemAndWritesAgainWhatWasAtRisk() async throws {
        try await withFileSystem { folder in
            let recorder = try TrackRecorder(folder: folder + "/log")
            try await recorder.record(Sample.position(second: 0), now: 0)
            _ = shell("sync")
            for second in 1...5 { try await recorder.record(Sample.position(second: second), now: Int64(second) * Self.second) }
            // What a worn card does: an error inside the file system, after which the kernel makes it read-only.
            let device = "$(basename $(findmnt -no SOURCE '\(folder)'))"
            guard shell("exec 2>/dev/null; echo 1 > /sys/fs/ext4/\(device)/trigger_fs_error && sleep 0.2 && ! touch '\(folder)/x'") else {
                print("pausesOnAReadOnlyFileSystemAndWritesAgainWhatWasAtRisk skipped: the kernel does not let us break a file system")
                return
            }
            await #expect(throws: RecordingError.self) { try await recorder.synchronizeIfDue(now: 11 * Self.second) }
            #expect(await recorder.problems.synchronizing != nil)
            await #expect(throws: RecordingError.self) { try await recorder.record(Sample.position(second: 12), now: 12 * Self.second) }
            #expect(await recorder.problems.writing?.error.isReadOnly == true)
            // Another card with what is on the first one; the kernel does not let go of that while it is used.
            let cards = "cp '\(folder)/../image' '\(folder)/../copy' && { e2fsck -fy '\(folder)/../copy' >/dev/null 2>&1; true; }"
            #expect(shell("\(cards) && umount -l '\(folder)' && mount -o loop '\(folder)/../copy' '\(folder)'"))
            try await recorder.record(Sample.position(second: 13), now: 13 * Self.second)
            let problems = await recorder.problems
            #expect(problems.writing == nil && problems.synchronizing == nil && problems.otherDiskSince != nil)
            _ = try await recorder.recover()
            _ = try await recorder.close()
            var reader = LogReader(folder: LogFolder(path: folder + "/log"))
            var seconds: [Int64] = []
            while let record = try reader.next() {
                guard case .position(let position) = record.content, let time = position.time else { continue }
                seconds.append((time.millisecondsSince1970 - Sample.start.millisecondsSince1970) / 1_000)
            }
            #expect(seconds == [0, 1, 2, 3, 4, 5, 13])
        }
    }

    @Test func writesAgainWhatAJournalLostBeforeItReachedTheDisk() async throws {
        try await Sample.withFolder { folder in
            let recorder = try TrackRecorder(folder: folder)
            for second in 0..<5 { try await recorder.record(Sample.position(second: second), now: Int64(second) * Self.second) }
            let open = try #require(try LogFolder(path: folder).journals().first)
            try Syscalls.remove(open.path)
            await #expect(throws: RecordingError.self) { try await recorder.synchronizeIfDue(now: 11 * Self.second) }
            let problem = try #require(await recorder.problems.synchronizing)
            #expect(problem.sinceMilliseconds == 11_000)
            // No fix comes; what was not on the disk is written all the same, and at once.
            #expect(await recorder.synchronizationDeadline ?? .max <= 11 * Self.second)
            try await recorder.synchronizeIfDue(now: 11 * Self.second)
            #expect(await recorder.problems.isEmpty)
            let track = try #require(try await recorder.close())
            #expect(track.positionCount == 4 && track.continuesPrevious)
        }
    }

    @Test func countsARecordOnceThatStandsInTwoJournals() async throws {
        try await Sample.withFolder { folder in
            let log = LogFolder(path: folder)
            try Syscalls.createFolders(log.journalFolder)
            // The journal whose end may not have reached the disk, and did, and the one that repeats it.
            for (first, last) in [(1, 6), (4, 8)] as [(UInt64, UInt64)] {
                var bytes = JournalCodec.encode(JournalHeader(bootIdentity: [UInt8](0..<16), firstSequence: first, source: nil))
                for sequence in first...last {
                    let record = JournalRecord(sequence: sequence, content: .position(Sample.position(second: Int(sequence))))
                    JournalCodec.append(record, source: nil, to: &bytes)
                }
                let stem = TrackStem(time: Sample.start, bootIdentity: [0, 0, 0, 0], sequence: first)
                try AtomicFile.write(bytes, to: log.openJournalPath(stem.description))
            }
            try AtomicFile.write(Array("100\n".utf8), to: log.sequencePath)
            let recovery = try await TrackRecorder(folder: folder).recover()
            #expect(recovery.tracks.map(\.positionCount) == [3, 5])
            var reader = LogReader(folder: log)
            var sequences: [UInt64] = []
            while let record = try reader.next() { sequences.append(record.sequence) }
            #expect(sequences == Array(1...8))
        }
    }
}

extension RecordingError {
    fileprivate var isReadOnly: Bool {
        switch self {
        case .cannotAppend(_, let cause), .cannotPrepare(_, let cause): cause.code == EROFS
        default: false
        }
    }
}
