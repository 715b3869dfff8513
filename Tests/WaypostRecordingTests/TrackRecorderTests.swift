import Foundation
import Testing
import Waypost
import WaypostSystem

@testable import WaypostRecording

@Suite struct TrackRecorderTests {
    private func occurrences(of part: String, in path: String) throws -> Int {
        try String(contentsOfFile: path, encoding: .utf8).ranges(of: part).count
    }

    private func tracks(in folder: String) throws -> [String] {
        try Syscalls.names(inFolder: folder).filter { $0.hasSuffix(".gpx") }
    }

    @Test func makesAValidReadOnlyTrackWhenClosed() async throws {
        try await Sample.withFolder { folder in
            let recorder = try TrackRecorder(folder: folder)
            #expect(try await recorder.recover() == TrackRecorder.Recovery())
            for second in 0..<5 {
                if second == 3 { await recorder.note(.loss) }
                #expect(try await recorder.record(Sample.position(second: second)) != .leftOut(.repeated))
            }
            let track = try #require(try await recorder.close())
            let path = try #require(track.trackPath)
            #expect(track.positionCount == 5 && track.segmentCount == 2 && track.damageCount == 0)
            #expect(track.firstTime == Sample.start && track.lastTime == Sample.start.advanced(byMilliseconds: 4_000))
            #expect(path.hasPrefix(folder + "/20260502T032502Z-") && path.hasSuffix("-1.gpx"))
            #expect(try occurrences(of: "<trkpt", in: path) == 5)
            #expect(try occurrences(of: "<trkseg>", in: path) == 2)
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == 0o440)
            #expect((attributes[.modificationDate] as? Date)?.timeIntervalSince1970 == 1_777_692_306)
            #expect(Syscalls.exists(track.journalPath) && !track.journalPath.contains(".open."))
            if Schema.path != nil { #expect(try Schema.complaints(about: [path]) == "") }
            await #expect(throws: RecordingError.closed) { try await recorder.record(Sample.position(second: 9)) }
            #expect(try await recorder.close() == nil)
        }
    }

    @Test func countsWhatItLeavesOut() async throws {
        try await Sample.withFolder { folder in
            let recorder = try TrackRecorder(folder: folder)
            #expect(try await recorder.record(Sample.bare()) == .leftOut(.untimed))
            #expect(try await recorder.record(Sample.position(second: 0)) == .logged(sequence: 2))
            #expect(try await recorder.record(Sample.position(second: 0)) == .leftOut(.repeated))
            var simulated = Sample.position(second: 1)
            simulated.status = .deadReckoning
            #expect(try await recorder.record(simulated) == .leftOut(.notMeasured))
            let statistics = await recorder.statistics
            #expect(statistics.loggedCount == 1 && statistics.untimedCount == 1)
            #expect(statistics.repeatedCount == 1 && statistics.notMeasuredCount == 1)
            #expect(try await recorder.close()?.positionCount == 1)
        }
    }

    @Test func writesNothingWithoutAFix() async throws {
        try await Sample.withFolder { folder in
            let recorder = try TrackRecorder(folder: folder)
            await recorder.note(.loss)
            #expect(try await recorder.close() == nil)
            #expect(try Syscalls.names(inFolder: folder) == [".lock", "journal"])
            #expect(try Syscalls.names(inFolder: folder + "/journal") == [])
        }
    }

    /// Without that, a log whose record of the destinations was lost would look like one that never had any.
    @Test func keepsThatThereAreNoDestinationsYet() async throws {
        try await Sample.withFolder { folder in
            let path = LogFolder(path: folder).destinationsPath
            for _ in 0..<2 {
                let recorder = try TrackRecorder(folder: folder)
                try await recorder.record(Sample.position(second: 0))
                #expect(try await recorder.close() != nil)
                let bytes = try #require(try Syscalls.contents(of: path))
                #expect(SealedText.text(of: bytes).map { String(decoding: $0, as: UTF8.self) } == "{\"destinations\":[]}\n")
            }
            // What is there is not touched, and what is lost stays lost.
            try AtomicFile.write([1, 2, 3], to: path)
            try await TrackRecorder(folder: folder).record(Sample.position(second: 100_000))
            #expect(try Syscalls.contents(of: path) == [1, 2, 3])
            try Syscalls.remove(path)
            let recorder = try TrackRecorder(folder: folder)
            try await recorder.record(Sample.position(second: 200_000))
            #expect(try await recorder.close() != nil)
            #expect(!Syscalls.exists(path))
        }
    }

    @Test func makesARemovedFolderAnewWithinTheSyncInterval() async throws {
        try await Sample.withFolder { folder in
            let recorder = try TrackRecorder(folder: folder)
            let second: Int64 = 1_000_000_000
            try await recorder.record(Sample.position(second: 0), now: 0)
            try FileManager.default.removeItem(atPath: folder)
            try await recorder.record(Sample.position(second: 1), now: 1 * second)
            let error = await #expect(throws: RecordingError.self) {
                try await recorder.record(Sample.position(second: 11), now: 11 * second)
            }
            guard case .cannotSynchronize = error else { throw error ?? RecordingError.closed }
            try await recorder.record(Sample.position(second: 12), now: 12 * second)
            // It is ours again, not just there.
            #expect(throws: RecordingError.alreadyInUse(folder: folder, holder: getpid())) { _ = try TrackRecorder(folder: folder) }
            let track = try #require(try await recorder.close())
            // What was not on the disk when the folder went is written again.
            #expect(track.positionCount == 3 && track.firstTime == Sample.start.advanced(byMilliseconds: 1_000))
            #expect(try tracks(in: folder) == [track.stem + ".gpx"])
        }
    }

    @Test func clearsOnlyItsOwnHalfWrittenFiles() async throws {
        try await Sample.withFolder { folder in
            try Syscalls.createFolders(folder + "/journal")
            let own = [folder + "/.20260502T032502Z-1f0c22d9-4711.gpx.42.tmp", folder + "/journal/..sequence.42.tmp"]
            let others = [
                folder + "/.letter.tmp", folder + "/.letter.gpx.tmp", folder + "/.letter.odt.42.tmp", folder + "/journal/.42.tmp",
            ]
            for path in own + others { try Data().write(to: URL(filePath: path)) }
            _ = try TrackRecorder(folder: folder)
            #expect((own + others).filter { Syscalls.exists($0) } == others)
        }
    }

    @Test func synchronizesWhenTheOldestFixHasWaitedForTheInterval() async throws {
        try await Sample.withFolder { folder in
            let recorder = try TrackRecorder(folder: folder)
            let second: Int64 = 1_000_000_000
            for index in 0...30 { try await recorder.record(Sample.position(second: index), now: Int64(index) * second) }
            // At once, so that the file's name is safe; then 1 to 11, 12 to 22.
            #expect(await recorder.statistics.synchronizationCount == 3)
            #expect(await recorder.synchronizationDeadline == 33 * second)
            try await recorder.synchronizeIfDue(now: 32 * second)
            #expect(await recorder.statistics.synchronizationCount == 3)
            try await recorder.synchronizeIfDue(now: 33 * second)
            #expect(await recorder.statistics.synchronizationCount == 4)
            #expect(await recorder.synchronizationDeadline == nil)
            try await recorder.synchronizeIfDue(now: 99 * second)
            #expect(await recorder.statistics.synchronizationCount == 4)
        }
    }

    @Test func recoversEveryWholeFixFromAnOpenJournalOfAnyLength() async throws {
        try await Sample.withFolder { folder in
            let live = folder + "/live"
            let recorder = try TrackRecorder(folder: live)
            for second in 0..<4 { try await recorder.record(Sample.position(second: second)) }
            let name = try #require(try Syscalls.names(inFolder: live + "/journal").first { $0.hasSuffix(".open.journal") })
            let whole = try #require(try Syscalls.contents(of: "\(live)/journal/\(name)", limit: 2 << 20))
            #expect(whole.count == 1 << 20, "preallocated")
            let content = try #require(whole.lastIndex { $0 != 0 }) + 1

            var files: [String] = []
            for length in 0...content {
                let crashed = "\(folder)/\(length)"
                try Syscalls.createFolders(crashed + "/journal")
                try AtomicFile.write(Array(whole.prefix(length)), to: "\(crashed)/journal/\(name)")
                let again = try TrackRecorder(folder: crashed)
                let recovery = try await again.recover()
                #expect(recovery.failures == [] && recovery.tracks.count == 1)
                let track = try #require(recovery.tracks.first)
                var decoder = JournalDecoder()
                decoder.feed(Array(whole.prefix(length)))
                decoder.endOfInput()
                var positions = 0
                while let record = try decoder.next() { if case .position = record.content { positions += 1 } }
                #expect(track.positionCount == positions)
                if let path = track.trackPath {
                    #expect(try occurrences(of: "<trkpt", in: path) == positions)
                    files.append(path)
                }
                #expect(try await again.recover() == TrackRecorder.Recovery())
                #expect(try await again.close() == nil)
            }
            #expect(files.count > 100)
            if Schema.path != nil { #expect(try Schema.complaints(about: files) == "") }
            #expect(try await recorder.close()?.positionCount == 4)
        }
    }

    @Test func makesNoSecondTrackAfterACrashBetweenTheTwoRenames() async throws {
        try await Sample.withFolder { folder in
            let recorder = try TrackRecorder(folder: folder)
            for second in 0..<3 { try await recorder.record(Sample.position(second: second)) }
            let track = try #require(try await recorder.close())
            let path = try #require(track.trackPath)
            let before = try Syscalls.contents(of: path)
            try Syscalls.rename(
                track.journalPath, to: track.journalPath.replacingOccurrences(of: ".journal", with: ".open.journal", options: .backwards))
            try AtomicFile.write([1], to: "\(folder)/left")
            try Syscalls.rename("\(folder)/left", to: "\(folder)/.\(track.stem).gpx.1.tmp")

            let again = try TrackRecorder(folder: folder)
            let recovered = try #require(try await again.recover().tracks.first)
            #expect(recovered.trackPath == path && recovered.positionCount == 3 && recovered.writtenByteCount == 0)
            #expect(try tracks(in: folder).count == 1)
            #expect(try Syscalls.contents(of: path) == before)
            #expect(try Syscalls.names(inFolder: folder) == [".lock", "\(track.stem).gpx", "SHA256SUMS", "journal"])
        }
    }

    /// A recorder on a folder whose last one was dropped just now; its thread may hold it for a moment longer.
    private func reopen(_ folder: String) async throws -> TrackRecorder {
        for _ in 0..<500 {
            if let recorder = try? TrackRecorder(folder: folder) { return recorder }
            try await Task.sleep(for: .milliseconds(10))
        }
        return try TrackRecorder(folder: folder)
    }

    @Test func usesNoNameAndNoNumberTwice() async throws {
        try await Sample.withFolder { folder in
            var names: Set<String> = []
            var last: UInt64 = 0
            for round in 0..<12 {
                let recorder = try await reopen(folder)
                _ = try await recorder.recover()
                guard case .logged(let sequence, _) = try await recorder.record(Sample.position(second: 0)) else {
                    Issue.record("not logged")
                    return
                }
                #expect(sequence > last)
                last = sequence
                // Every third time the process ends without closing; everything finished is fetched and deleted.
                if round % 3 != 2 { _ = try await recorder.close() }
                for name in try tracks(in: folder) {
                    #expect(names.insert(name).inserted)
                    try Syscalls.remove("\(folder)/\(name)")
                }
                for name in try Syscalls.names(inFolder: folder + "/journal") where name.hasSuffix(".journal") && !name.contains(".open.") {
                    try Syscalls.remove("\(folder)/journal/\(name)")
                }
            }
            #expect(names.count == 11)
        }
    }

    /// Half of a number is a number; the records behind the cut of a journal had numbers, too, and somebody has them.
    @Test(arguments: [1, 2, 3, 12]) func givesNoNumberTwiceWhenTheCounterWasCut(byteCount: Int) async throws {
        try await Sample.withFolder { folder in
            let path = folder + "/journal/.sequence"
            try Syscalls.createFolders(folder + "/journal")
            try AtomicFile.write(SealedText.seal(Array("4711\n".utf8)), to: path)
            var recorder = try TrackRecorder(folder: folder)
            for second in 0..<9 { try await recorder.record(Sample.position(second: second)) }
            #expect(try await recorder.close() != nil)
            try Pullers(folder: LogFolder(path: folder)).acknowledge(4_718, puller: "nas")
            let sequence = try #require(try Syscalls.contents(of: path))
            try AtomicFile.write(Array(sequence.prefix(byteCount)), to: path)
            for name in try Syscalls.names(inFolder: folder + "/journal") where name.hasSuffix(".journal") {
                let journal = try #require(try Syscalls.contents(of: "\(folder)/journal/\(name)"))
                try AtomicFile.write(Array(journal.prefix(journal.count / 3)), to: "\(folder)/journal/\(name)")
            }
            recorder = try TrackRecorder(folder: folder)
            guard case .logged(let number, _) = try await recorder.record(Sample.position(second: 20)) else {
                throw RecordingError.closed
            }
            #expect(number > 4_718)
            _ = try await recorder.close()
        }
    }

    @Test func goesOnAfterTheCounterWasLost() async throws {
        try await Sample.withFolder { folder in
            var recorder = try TrackRecorder(folder: folder)
            for second in 0..<3 { try await recorder.record(Sample.position(second: second)) }
            #expect(try await recorder.close() != nil)
            try AtomicFile.write(Array("garbage".utf8), to: folder + "/journal/.sequence")
            recorder = try TrackRecorder(folder: folder)
            #expect(try await recorder.record(Sample.position(second: 0)) == .logged(sequence: 6))
            #expect(try await recorder.close() != nil)

            // The journals are gone as well, but not their tracks: the same fix again must not take the name of the first.
            for name in try Syscalls.names(inFolder: folder + "/journal") { try Syscalls.remove("\(folder)/journal/\(name)") }
            recorder = try TrackRecorder(folder: folder)
            try await recorder.record(Sample.position(second: 0))
            #expect(try await recorder.close()?.positionCount == 1)
            #expect(try tracks(in: folder).count == 3)
        }
    }

    @Test func refusesAFolderThatAnotherRecorderHas() async throws {
        try await Sample.withFolder { folder in
            let first = try TrackRecorder(folder: folder)
            #expect(throws: RecordingError.alreadyInUse(folder: folder, holder: getpid())) { try TrackRecorder(folder: folder) }
            #expect(try await first.close() == nil)
            #expect(try await TrackRecorder(folder: folder).close() == nil)
        }
    }

    @Test func saysWhyAFolderCannotBeUsed() throws {
        let error = #expect(throws: RecordingError.self) { try TrackRecorder(folder: "/dev/null/log") }
        guard case .cannotPrepare(folder: "/dev/null/log", let cause) = error else {
            Issue.record("another error: \(String(describing: error))")
            return
        }
        #expect(cause.code == ENOTDIR)
    }

    @Test func finishesTracksOneAfterTheOther() async throws {
        try await Sample.withFolder { folder in
            let recorder = try TrackRecorder(folder: folder)
            #expect(try await recorder.finishTrack() == nil)
            try await recorder.record(Sample.position(second: 0))
            #expect(try await recorder.finishTrack()?.positionCount == 1)
            #expect(try await recorder.record(Sample.position(second: 0)) == .leftOut(.repeated))
            try await recorder.record(Sample.position(second: 1))
            #expect(try await recorder.recover() == TrackRecorder.Recovery(), "the open journal is not touched")
            #expect(try await recorder.close()?.positionCount == 1)
            #expect(try tracks(in: folder).count == 2)
        }
    }

    @Test func skipsNoJournalBecauseOfABadOne() async throws {
        try await Sample.withFolder { folder in
            try Syscalls.createFolders(folder + "/journal")
            let other = JournalCodec.encode(JournalHeader(bootIdentity: [UInt8](0..<16), firstSequence: 1, source: nil))
            try AtomicFile.write(Sample.asVersion(9, other), to: folder + "/journal/a.open.journal")
            try AtomicFile.write(Array("no journal at all".utf8), to: folder + "/journal/b.open.journal")
            let header = JournalHeader(bootIdentity: [UInt8](0..<16), firstSequence: 1, source: nil)
            var good = JournalCodec.encode(header)
            JournalCodec.append(JournalRecord(sequence: 1, content: .position(Sample.position(second: 0))), source: nil, to: &good)
            try AtomicFile.write(good, to: folder + "/journal/c.open.journal")
            try AtomicFile.write(SealedText.seal(Array("1000\n".utf8)), to: folder + "/journal/.sequence")

            let recovery = try await TrackRecorder(folder: folder).recover()
            #expect(recovery.failures == [.unsupportedVersion(path: folder + "/journal/a.open.journal", version: 9)])
            #expect(recovery.tracks.map(\.stem) == ["b", "c"])
            #expect(recovery.tracks.map(\.positionCount) == [0, 1])
            #expect(recovery.tracks[0].damagedByteCount == 17 && recovery.tracks[0].trackPath == nil)
        }
    }

    @Test func goesOnAfterTheDiskWasFull() async throws {
        try await Sample.withSmallDisk { folder in
            let recorder = try TrackRecorder(folder: folder)
            try await recorder.record(Sample.position(second: 0))
            func fill() throws {
                let ballast = try AppendOnlyFile(creating: folder + "/ballast")
                while (try? ballast.append([UInt8](repeating: 1, count: 4_096))) != nil {}
            }
            try fill()
            var logged = 1
            var second = 0
            var failures = 0
            while failures < 3 {
                second += 1
                do {
                    try await recorder.record(Sample.position(second: second))
                    logged += 1
                } catch let error as RecordingError {
                    guard case .cannotAppend(_, let cause) = error else { throw error }
                    #expect(cause.code == ENOSPC && error.isTemporary)
                    failures += 1
                }
            }
            #expect(await recorder.statistics.failedCount == 3)
            try Syscalls.remove(folder + "/ballast")
            for _ in 0..<3 {
                second += 1
                #expect(try await recorder.record(Sample.position(second: second)) != .leftOut(.repeated))
            }
            let track = try #require(try await recorder.close())
            #expect(track.positionCount == logged + 3 && track.segmentCount == 2 && track.damageCount == 0)
        }
    }
}
