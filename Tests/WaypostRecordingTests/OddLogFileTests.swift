import Foundation
import Glibc
import Testing
import Waypost
import WaypostSystem

@testable import WaypostRecording

/// A folder, a link or a FIFO in the place of a file of the log.
@Suite struct OddLogFileTests {
    private static let traps = ["folder", "link", "FIFO"]

    private func lay(_ trap: String, at path: String, target: String) throws {
        try Syscalls.remove(path)
        switch trap {
        case "folder": try Syscalls.createFolders(path)
        case "link": symlink(target, path)
        default: mkfifo(path, 0o666)
        }
    }

    /// A folder with a log of a finished track of ten fixes, and a file outside of it that must stay as it is.
    private func withLog(_ body: (_ log: String, _ target: String) async throws -> Void) async throws {
        try await Sample.withFolder { folder in
            let (log, target) = (folder + "/log", folder + "/target")
            try Data("other".utf8).write(to: URL(filePath: target))
            let recorder = try TrackRecorder(folder: log)
            for second in 0..<10 { try await recorder.record(Sample.position(second: second)) }
            _ = try await recorder.close()
            try await body(log, target)
            #expect(try String(contentsOfFile: target, encoding: .utf8) == "other")
        }
    }

    private func seconds(_ log: String) throws -> [Int] {
        var reader = LogReader(folder: LogFolder(path: log))
        var seconds: [Int] = []
        while let record = try reader.nextPassingOver() {
            guard case .position(let position) = record.content, let time = position.time else { continue }
            seconds.append(Int(time.millisecondsSince1970 - Sample.start.millisecondsSince1970) / 1_000)
        }
        return seconds
    }

    @Test(arguments: [
        "SHA256SUMS", "journal/.sequence", "journal/.destinations", "journal/.next", "journal/.erase", "journal/.erased",
    ])
    func isSetAside(name: String) async throws {
        for trap in Self.traps {
            try await withLog { log, target in
                let path = "\(log)/\(name)"
                try lay(trap, at: path, target: target)
                let recorder = try TrackRecorder(folder: log)
                #expect(recorder.oddFiles.map(\.path) == [path] && recorder.oddFiles[0].fate == .setAside(as: path + ".damaged-1"))
                #expect(try await recorder.recover().failures.isEmpty)
                for second in 20..<30 { try await recorder.record(Sample.position(second: second)) }
                #expect(try await recorder.close()?.positionCount == 10)
                #expect(try seconds(log) == Array(0..<10) + Array(20..<30), "\(trap)")
                #expect(try TrackRecorder(folder: log).oddFiles.isEmpty)
            }
        }
    }

    /// Without the pullers' file, what nobody has fetched might be deleted.
    @Test func leavesThePullers() async throws {
        for trap in Self.traps {
            try await withLog { log, target in
                let path = log + "/journal/.pullers"
                try lay(trap, at: path, target: target)
                #expect(try TrackRecorder(folder: log).oddFiles.isEmpty)
                #expect(Syscalls.oddFile(path) != nil)
                #expect(throws: RecordingError.self) { try Pullers(folder: LogFolder(path: log)).all() }
            }
        }
    }

    @Test func saysWhichLockIsInTheWay() async throws {
        for trap in Self.traps {
            try await withLog { log, target in
                try lay(trap, at: log + "/.lock", target: target)
                #expect {
                    try TrackRecorder(folder: log)
                } throws: { error in
                    guard case .cannotPrepare(_, let cause)? = error as? RecordingError else { return false }
                    return cause.isOddFile && cause.path == log + "/.lock"
                }
            }
        }
    }

    @Test func keepsNoLogAmongTheJournalsOfAnother() async throws {
        try await withLog { log, _ in
            try FileManager.default.createSymbolicLink(atPath: log + "/link", withDestinationPath: log + "/journal")
            for folder in ["journal", "journal/", "journal/inner", "link", "link/inner/deep"] {
                let error = #expect(throws: RecordingError.self) { try TrackRecorder(folder: "\(log)/\(folder)") }
                #expect(error.map { "\($0)".contains("is in the journal folder of the log ") } == true, "\(folder)")
            }
            // A folder that only has the name is like any other, and so is one beside the journals.
            for folder in ["beside", "beside/own/journal"] { _ = try await TrackRecorder(folder: "\(log)/\(folder)").close() }
        }
    }

    @Test func readsWhatIsBesideAJournalThatIsNone() async throws {
        for trap in Self.traps {
            try await withLog { log, target in
                var recorder = try TrackRecorder(folder: log)
                for second in 20..<30 { try await recorder.record(Sample.position(second: second)) }
                _ = try await recorder.close()
                let first = try LogFolder(path: log).journals()[0]
                try lay(trap, at: first.path, target: target)
                try Syscalls.remove(log + "/journal/.sequence")
                recorder = try TrackRecorder(folder: log)
                #expect(recorder.oddFiles.map(\.path) == [first.path] && recorder.oddFiles.map(\.fate) == [.isNotRead])
                for second in 40..<50 { try await recorder.record(Sample.position(second: second)) }
                var rule = TrackRecorder.Configuration()
                rule.retention.maximumByteCount = 1_000_000_000
                #expect(try seconds(log) == Array(20..<30) + Array(40..<50), "\(trap)")
                #expect(try LogFolder(path: log).lastSequence() > 10)
                _ = try await recorder.close()
                recorder = try TrackRecorder(folder: log, configuration: rule)
                #expect(try await recorder.applyRetention(confirmedTime: nil).isEmpty)
                _ = try await recorder.close()
                var reader = LogReader(folder: LogFolder(path: log))
                var failures: [RecordingError] = []
                while try reader.nextPassingOver({ failures.append($0) }) != nil {}
                #expect(failures.count == 1)
            }
        }
    }
}
