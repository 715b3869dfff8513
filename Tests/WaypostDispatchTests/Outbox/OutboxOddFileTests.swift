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
        ("outbox.sqlite", "folder"), ("outbox.sqlite", "FIFO"), ("outbox.sqlite", "device"), ("outbox.sqlite-wal", "folder"),
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
