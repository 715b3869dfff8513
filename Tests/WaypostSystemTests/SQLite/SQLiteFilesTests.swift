import Foundation
import Glibc
import Testing
import WaypostSystem

/// What lies in the place of a database's files and is none of its own: it is neither opened nor changed.
@Suite struct SQLiteFilesTests {
    private static let traps = ["link", "dangling link", "second name", "FIFO", "device", "folder"]

    /// A folder with a database in it, as a kill leaves it, and another database outside of it that must stay as it is.
    private func withDatabases(_ body: (_ path: String, _ other: String) throws -> Void) throws {
        let base = NSTemporaryDirectory() + "waypost-database-\(UUID().uuidString)"
        try Syscalls.createFolders(base + "/own")
        defer { try? FileManager.default.removeItem(atPath: base) }
        let (path, other) = (base + "/own/outbox.sqlite", base + "/other.sqlite")
        let database = try SQLiteDatabase(path: base + "/made.sqlite")
        try database.execute("CREATE TABLE word(text TEXT)")
        try database.run("INSERT INTO word VALUES('kept')")
        try database.copy(to: other)
        for suffix in ["", "-wal"] { try FileManager.default.copyItem(atPath: base + "/made.sqlite" + suffix, toPath: path + suffix) }
        let before = try Data(contentsOf: URL(filePath: other))
        try body(path, other)
        #expect(try Data(contentsOf: URL(filePath: other)) == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: base).filter { $0.hasPrefix("other") } == ["other.sqlite"])
    }

    private func lay(_ trap: String, at path: String, leadingTo other: String) throws {
        try Syscalls.remove(path)
        switch trap {
        case "link": symlink(other, path)
        case "dangling link": symlink(other + ".missing", path)
        case "second name": link(other, path)
        case "FIFO": mkfifo(path, 0o666)
        case "device": symlink("/dev/zero", path)
        default: try Syscalls.createFolders(path)
        }
    }

    @Test(arguments: traps, ["", "-wal", "-shm"]) func opensNothingElse(trap: String, suffix: String) throws {
        try withDatabases { path, other in
            try lay(trap, at: path + suffix, leadingTo: other)
            for isReadOnly in [false, true] {
                #expect {
                    try SQLiteDatabase(path: path, isReadOnly: isReadOnly)
                } throws: { error in
                    guard let error = error as? SQLiteError else { return false }
                    return error.kind == .cannotOpen && error.path == path + suffix && error.reason.hasPrefix("is ")
                        || trap == "second name" && error.reason.hasPrefix("has a second name elsewhere; ")
                }
            }
            #expect(!Syscalls.exists(other + ".missing"))
        }
    }

    @Test func opensAFileInAFolderThatIsReachedByALink() throws {
        try withDatabases { path, _ in
            let folder = String(path.dropLast("/outbox.sqlite".count))
            symlink(folder, folder + "-link")
            defer { unlink(folder + "-link") }
            let words = try SQLiteDatabase(path: folder + "-link/outbox.sqlite").rows("SELECT text FROM word") { $0.text(0) }
            #expect(words == ["kept"])
        }
    }

    @Test(arguments: traps.filter { $0 != "second name" }) func readsNoLogThatIsNone(trap: String) throws {
        try withDatabases { path, other in
            try lay(trap, at: path + "-wal", leadingTo: other)
            #expect(throws: SystemError.self) { try SQLiteLog(besideDatabase: path) }
        }
    }

    @Test(arguments: traps.filter { $0 != "second name" }) func appliesALogToNothingElse(trap: String) throws {
        try withDatabases { path, other in
            let log = try #require(try SQLiteLog(besideDatabase: path))
            try lay(trap, at: path, leadingTo: other)
            #expect(throws: SystemError.self) { try log.replay(over: path, into: path + ".replayed") }
        }
    }
}
