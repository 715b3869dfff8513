import Foundation
import Testing
import Waypost
import WaypostSystem

@testable import WaypostRecording

@Suite struct PullersTests {
    private func withLog(_ body: (LogFolder) async throws -> Void) async throws {
        try await Sample.withFolder { path in
            let recorder = try TrackRecorder(folder: path)
            for second in 0..<20 { try await recorder.record(Sample.position(second: second)) }
            try await body(LogFolder(path: path))
            withExtendedLifetime(recorder) {}
        }
    }

    @Test func remembersTheFurthestThatEachHasGot() async throws {
        try await withLog { (folder) async throws in
            let pullers = Pullers(folder: folder)
            #expect(try pullers.all() == [])
            #expect(try pullers.acknowledge(7, puller: "nas") == .init(name: "nas", cursor: 7))
            #expect(try pullers.acknowledge(3, puller: "laptop") == .init(name: "laptop", cursor: 3))
            #expect(try pullers.acknowledge(5, puller: "nas") == .init(name: "nas", cursor: 7), "it has arrived all the same")
            #expect(try pullers.acknowledge(21, puller: "nas").cursor == 21)
            #expect(try Pullers(folder: folder).all() == [.init(name: "laptop", cursor: 3), .init(name: "nas", cursor: 21)])
            #expect(try pullers.forget("laptop"))
            #expect(try pullers.forget("laptop") == false)
            #expect(try pullers.all().map(\.name) == ["nas"])
        }
    }

    @Test func refusesWhatThereIsNot() async throws {
        try await withLog { folder in
            let pullers = Pullers(folder: folder)
            #expect(throws: RecordingError.unknownCursor(22, last: 21)) { try pullers.acknowledge(22, puller: "nas") }
            for name in ["", ".", ".hidden", "-rf", "a b", "a\nb", "a/b", "ä", String(repeating: "x", count: 65)] {
                #expect(throws: RecordingError.invalidPuller(name: name)) { try pullers.acknowledge(1, puller: name) }
            }
            #expect(try pullers.acknowledge(1, puller: "rsync@nas".replacingOccurrences(of: "@", with: "_")).cursor == 1)
            #expect(!Syscalls.exists(folder.path + "/journal/.pullers.tmp"))
            try AtomicFile.write(Array("nas 1 2\n".utf8), to: folder.pullersPath)
            #expect(throws: RecordingError.damagedPullers(path: folder.pullersPath)) { try pullers.all() }
            #expect(throws: RecordingError.damagedPullers(path: folder.pullersPath)) { try pullers.acknowledge(1, puller: "nas") }
        }
    }

    /// Who is behind the cut would be forgotten, and the tracks that he lacks deleted.
    @Test func findsOutThatALineIsMissing() async throws {
        try await withLog { folder in
            for name in ["a", "b"] { try Pullers(folder: folder).acknowledge(7, puller: name) }
            let bytes = try #require(try Syscalls.contents(of: folder.pullersPath))
            for count in 1..<bytes.count {
                try AtomicFile.write(Array(bytes.prefix(count)), to: folder.pullersPath)
                #expect(throws: RecordingError.damagedPullers(path: folder.pullersPath), "\(count)") { try Pullers(folder: folder).all() }
            }
        }
    }

    @Test func takesAcknowledgementsOfManyAtOnce() async throws {
        try await withLog { folder in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for name in 0..<4 {
                    group.addTask {
                        // A value of its own each, as processes have; the lock is a file's.
                        for cursor: UInt64 in 1...5 { try Pullers(folder: folder).acknowledge(cursor, puller: "p\(name)") }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try Pullers(folder: folder).all().map(\.cursor) == [UInt64](repeating: 5, count: 4))
        }
    }

    /// A cursor that no record can have is damage, not a number to count on.
    @Test(arguments: [UInt64.max, UInt64.max - 1, UInt64(1) << 63]) func doesNotCountOnCursorsThatNoRecordHas(cursor: UInt64) async throws {
        try await Sample.withFolder { path in
            let folder = LogFolder(path: path)
            do {
                let recorder = try TrackRecorder(folder: path)
                try await recorder.record(Sample.position(second: 0))
                _ = try await recorder.close()
            }
            try AtomicFile.write(SealedText.seal(Array("home \(cursor)\n".utf8)), to: folder.pullersPath)
            #expect(throws: RecordingError.damagedPullers(path: folder.pullersPath)) { try Pullers(folder: folder).all() }
            #expect(try LogVerifier(folder: folder).digestFaults() == [])
            let recorder = try TrackRecorder(folder: path)
            let outcome = try await recorder.record(Sample.position(second: 1))
            guard case .logged(let number, _) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(number < 10)
            _ = try await recorder.close()
        }
    }
}
