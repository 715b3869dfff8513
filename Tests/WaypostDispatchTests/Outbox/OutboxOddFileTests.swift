import Foundation
import Glibc
import Testing
import Waypost
import WaypostSystem

@testable import WaypostDispatch

/// A folder, a link or a FIFO in the place of a file of the outbox.
@Suite struct OutboxOddFileTests {
    private func lay(_ trap: String, at path: String) throws {
        try Syscalls.remove(path)
        switch trap {
        case "folder": try Syscalls.createFolders(path)
        case "link": symlink("/nonexistent", path)
        case "device": symlink("/dev/zero", path)
        default: mkfifo(path, 0o666)
        }
    }

    private func withFolder(_ body: (_ folder: String) async throws -> Void) async throws {
        let folder = NSTemporaryDirectory() + "waypost-odd-\(UUID().uuidString)"
        try Syscalls.createFolders(folder)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await body(folder)
    }

    @Test(arguments: [
        ("outbox.sqlite", "folder"), ("outbox.sqlite", "FIFO"), ("outbox.sqlite-wal", "folder"),
        ("outbox.sqlite-wal", "link"), ("outbox.sqlite-wal", "FIFO"), ("outbox.sqlite-shm", "folder"), ("outbox.sqlite-shm", "link"),
        ("outbox.sqlite-shm", "FIFO"),
    ])
    func isNamedWithWhatToDo(name: String, trap: String) async throws {
        try await withFolder { folder in
            try lay(trap, at: "\(folder)/\(name)")
            #expect {
                try Outbox(path: folder + "/outbox.sqlite")
            } throws: { error in
                "\(error)".hasPrefix("\(folder)/\(name): cannot be opened: is ") && "\(error)".hasSuffix("; move it away")
            }
        }
    }

    /// Somebody has moved it to another disk: what is beside it is found as soon as the file itself is back.
    @Test func isNotOpenedThroughALink() async throws {
        try await withFolder { folder in
            let path = folder + "/outbox.sqlite"
            do {
                let outbox = try Outbox(path: folder + "/running.sqlite")
                _ = try await outbox.attach("home", newestPosition: 0)
                for number in 1...12 { try await outbox.accept([DispatchFixture.call(number)]) }
                // As a kill leaves them.
                try FileManager.default.copyItem(atPath: folder + "/running.sqlite", toPath: folder + "/elsewhere")
                try FileManager.default.copyItem(atPath: folder + "/running.sqlite-wal", toPath: path + "-wal")
            }
            let log = try Data(contentsOf: URL(filePath: path + "-wal"))
            for isDangling in [false, true] {
                symlink(isDangling ? "/nonexistent" : folder + "/elsewhere", path)
                let words = """
                    \(path): cannot be opened: is a link, which is not followed here; put the file itself here, with its \
                    -wal beside it; to use another disk, move or mount the whole state folder
                    """
                #expect {
                    try Outbox(path: path)
                } throws: { error in
                    "\(error)" == words
                }
                try Syscalls.remove(path)
            }
            #expect(try Data(contentsOf: URL(filePath: path + "-wal")) == log)
            try Syscalls.rename(folder + "/elsewhere", to: path)
            #expect(try await Outbox(path: path).entries(after: 0, limit: 20).count == 12)
        }
    }

    /// Whoever has the other name would see it change, or change it.
    @Test(arguments: ["", "-wal", "-shm"]) func hasNoSecondName(suffix: String) async throws {
        try await withFolder { folder in
            let path = folder + "/outbox.sqlite"
            do { try await Outbox(path: path).accept([DispatchFixture.call(1)]) }
            if !Syscalls.exists(path + suffix) { try Data("other".utf8).write(to: URL(filePath: path + suffix)) }
            let before = try Data(contentsOf: URL(filePath: path + suffix))
            link(path + suffix, folder + "/second")
            #expect {
                try Outbox(path: path)
            } throws: { error in
                "\(error)"
                    == "\(path + suffix): cannot be opened: has a second name elsewhere; remove that one, or put a copy of the file here"
            }
            #expect(try Data(contentsOf: URL(filePath: folder + "/second")) == before)
        }
    }

    /// While it is in use: nothing is accepted until the file is back, and nothing is lost.
    @Test(arguments: ["", "-wal", "-shm"], ["link", "second", "FIFO", "folder"]) func isNoticedInUse(
        suffix: String, trap: String
    ) async throws {
        try await withFolder { folder in
            let (path, other) = (folder + "/outbox.sqlite", folder + "/other")
            let outbox = try Outbox(path: path)
            _ = try await outbox.attach("home", newestPosition: 0)
            for number in 1...3 { try await outbox.accept([DispatchFixture.call(number)]) }
            switch trap {
            case "second": link(path + suffix, other)
            case "link":
                try Syscalls.rename(path + suffix, to: other)
                symlink(other, path + suffix)
            default:
                try Syscalls.rename(path + suffix, to: other)
                try lay(trap, at: path + suffix)
            }
            for _ in 0..<2 {
                let error = await #expect(throws: OutboxError.self) { try await outbox.check() }
                #expect(error.map { "\($0)".hasPrefix("\(path)\(suffix): cannot be opened: ") } == true, "\(error as Any)")
                await #expect(throws: OutboxError.self) { try await outbox.accept([DispatchFixture.call(4)]) }
            }
            if trap == "second" {
                try Syscalls.remove(other)
            } else {
                try FileManager.default.removeItem(atPath: path + suffix)
                try Syscalls.rename(other, to: path + suffix)
            }
            try await outbox.check()
            try await outbox.accept([DispatchFixture.call(5)])
            #expect(try await outbox.entries(after: 0, limit: 10).count == 4)
            #expect(await outbox.recovery == nil)
        }
    }

    /// The tally only counts what others keep.
    @Test(arguments: ["folder", "link", "FIFO"]) func worksWithoutATally(trap: String) async throws {
        try await withFolder { folder in
            try lay(trap, at: folder + "/outbox.sqlite-tally")
            let outbox = try Outbox(path: folder + "/outbox.sqlite")
            try await outbox.accept([.track(TrackCall(name: "x", values: [:], time: nil, position: nil))])
            #expect(try await outbox.entries(after: 0, limit: 10).count == 1)
        }
    }
}
