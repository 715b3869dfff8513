import Foundation
import Testing
import WaypostSystem

@Suite struct FilesTests {
    private let folder: String

    init() throws {
        folder = NSTemporaryDirectory() + "waypost-files-\(UUID().uuidString)"
        try Syscalls.createFolders(folder)
    }

    @Test func appearsWholeWithModeAndTime() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/a.gpx"
        let file = try AtomicFile(path: path)
        try file.write(Array("one ".utf8))
        #expect(!Syscalls.exists(path))
        try file.write(Array("two".utf8))
        try file.commit(mode: 0o440, modifiedMilliseconds: -1_500)
        #expect(try Syscalls.contents(of: path) == Array("one two".utf8))
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o440)
        #expect((attributes[.modificationDate] as? Date)?.timeIntervalSince1970 == -1.5)
        #expect(try Syscalls.names(inFolder: folder) == ["a.gpx"])
    }

    @Test func leavesTheOldFileWhenGivenUp() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/state"
        try AtomicFile.write([1], to: path)
        func giveUp() throws {
            let file = try AtomicFile(path: path)
            try file.write([2])
        }
        try giveUp()
        #expect(try Syscalls.contents(of: path) == [1])
        #expect(try Syscalls.names(inFolder: folder) == ["state"])
    }

    @Test func saysWhyAFileCannotBeMade() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let error = #expect(throws: SystemError.self) { try AtomicFile.write([1], to: folder + "/missing/state") }
        #expect(error?.code == ENOENT)
    }

    @Test func namesTheHolderOfALock() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/.lock"
        func isTaken() throws -> Bool {
            switch try FileLock.acquire(path: path) {
            case .taken: return true
            case .held(let holder):
                #expect(holder == getpid())
                return false
            }
        }
        func holdAndTryAgain() throws {
            let held = try FileLock.acquire(path: path)
            #expect(try !isTaken())
            _ = consume held
        }
        try holdAndTryAgain()
        #expect(try isTaken())
    }

    /// A program that is being started has a copy of every descriptor until it runs.
    @Test func endsALockThoughACopyOfItsDescriptorIsOpen() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/.lock"
        func holdAndCopy() throws -> Int32 {
            let held = try FileLock.acquire(path: path)
            let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
            let own = try #require(
                descriptors.first { (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path }
                    .flatMap(Int32.init))
            let copy = dup(own)
            _ = consume held
            return copy
        }
        let copy = try holdAndCopy()
        defer { close(copy) }
        guard case .taken = try FileLock.acquire(path: path) else {
            Issue.record("still held")
            return
        }
    }

    /// A snapshot with hard links gives the lock a second name: it must neither stop the next start nor be written, and a held lock stays.
    @Test func takesALockThatASnapshotHasGivenASecondName() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (path, copy) = (folder + "/.lock", folder + "/snapshot")
        func isTaken() throws -> Bool {
            if case .taken = try FileLock.acquire(path: path) { true } else { false }
        }
        func holdAndLink() throws {
            let held = try FileLock.acquire(path: path)
            try FileManager.default.linkItem(atPath: path, toPath: copy)
            #expect(try !isTaken())
            _ = consume held
        }
        try holdAndLink()
        try Data("old\n".utf8).write(to: URL(filePath: copy))
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.linkItem(atPath: copy, toPath: path)
        #expect(try isTaken())
        #expect(try String(contentsOfFile: copy, encoding: .utf8) == "old\n")
    }

    @Test func readsSmallFilesOnly() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(try Syscalls.contents(of: folder + "/none") == nil)
        try AtomicFile.write([UInt8](repeating: 7, count: 10_000), to: folder + "/big")
        #expect(try Syscalls.contents(of: folder + "/big")?.count == 10_000)
        #expect(throws: SystemError(code: EFBIG, operation: "read", path: folder + "/big")) {
            try Syscalls.contents(of: folder + "/big", limit: 9_999)
        }
    }

    @Test func knowsTheBoot() throws {
        let text = try #require(try Syscalls.contents(of: "/proc/sys/kernel/random/boot_id"))
        let digits = String(decoding: text, as: UTF8.self).filter { $0.isHexDigit }
        #expect(BootIdentity.bytes.map { String(format: "%02x", $0) }.joined() == digits)
    }
}
