import Foundation
import Glibc
import Testing
import WaypostSystem

/// Files of our own in a folder in which somebody else may have laid anything.
@Suite struct FileTrustTests {
    /// A folder with a file outside of it that must stay as it is, and traps that lead there.
    private func withTraps(_ body: (_ folder: String) throws -> Void) throws {
        let base = NSTemporaryDirectory() + "waypost-trust-\(UUID().uuidString)"
        let folder = base + "/folder"
        try Syscalls.createFolders(folder)
        defer { try? FileManager.default.removeItem(atPath: base) }
        let target = base + "/target"
        try Data("secret".utf8).write(to: URL(filePath: target))
        chmod(target, 0o604)
        symlink(target, folder + "/link")
        link(target, folder + "/second-name")
        symlink(base + "/made", folder + "/dangling")
        mkfifo(folder + "/fifo", 0o666)
        symlink("/dev/zero", folder + "/device")
        symlink(folder + "/fifo", folder + "/link-to-fifo")
        try body(folder)
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "secret")
        #expect(try FileManager.default.attributesOfItem(atPath: target)[.posixPermissions] as? Int == 0o604)
        #expect(!Syscalls.exists(base + "/made"))
    }

    private static let traps = ["link", "second-name", "dangling", "fifo", "device"]

    @Test func locksAndSealsNothingOfOthers() throws {
        try withTraps { folder in
            for trap in Self.traps {
                let path = "\(folder)/\(trap)"
                #expect(throws: SystemError.self) { try AppendOnlyFile.seal(path, byteCount: 0) }
                if trap == "second-name" {
                    // A name that a snapshot may have given: it is removed here, and the other file stays as it is.
                    _ = try FileLock.acquire(path: path)
                    continue
                }
                #expect(throws: SystemError.self) { _ = try FileLock.acquire(path: path) }
                #expect(throws: SystemError.self) { _ = try FileLock.wait(path: path) }
            }
        }
    }

    @Test func saysWhatIsInTheWayAndWhatToDo() throws {
        try withTraps { folder in
            try Syscalls.createFolders(folder + "/folder")
            for (trap, words) in [
                ("link", "is a link, which is not followed here; move it away"),
                ("dangling", "is a link, which is not followed here; move it away"), ("fifo", "is not an ordinary file; move it away"),
                ("folder", "is a folder, not a file; move it away"),
            ] {
                let path = "\(folder)/\(trap)"
                #expect(Syscalls.oddFile(path)?.reason == words)
                func reason(_ body: () throws(SystemError) -> Void) -> String? {
                    do throws(SystemError) { try body() } catch { return error.isOddFile && error.path == path ? error.reason : "\(error)" }
                    return nil
                }
                #expect(reason { () throws(SystemError) in _ = try Syscalls.contents(of: path, as: .own) } == words)
                #expect(reason { () throws(SystemError) in _ = try FileLock.wait(path: path) } == words)
                #expect(reason { () throws(SystemError) in Syscalls.close(try Syscalls.openOwnForWriting(path)) } == words)
                // A rename replaces a link or a FIFO itself, and no folder.
                #expect(trap != "folder" || reason { () throws(SystemError) in try AtomicFile.write([], to: path) } == words)
                #expect(trap != "folder" || reason { () throws(SystemError) in _ = try Syscalls.remove(path) } == words)
            }
            #expect(Syscalls.oddFile(folder + "/missing") == nil && Syscalls.oddFile(folder + "/second-name") == nil)
        }
    }

    @Test func setsAsideWhatALinkIsAndNotWhereItLeads() throws {
        try withTraps { folder in
            for (number, trap) in ["link", "fifo", "folder"].enumerated() {
                if trap == "folder" { try Syscalls.createFolders(folder + "/folder") }
                try Syscalls.rename("\(folder)/\(trap)", to: folder + "/own")
                #expect(try Syscalls.setAside(folder + "/own") == "\(folder)/own.damaged-\(number + 1)")
                #expect(!Syscalls.exists(folder + "/own"))
            }
        }
    }

    @Test func readsNoLinkAndWaitsForNoFIFO() throws {
        try withTraps { folder in
            for trap in Self.traps where trap != "second-name" {
                let path = "\(folder)/\(trap)"
                #expect(throws: SystemError.self) { try Syscalls.contents(of: path, as: .own) }
                #expect(throws: SystemError.self) { _ = try FileReader(path: path, as: .own) }
            }
            // Its own owner's: a copy by hard links, as backups make them.
            let own = try Syscalls.contents(of: folder + "/second-name", as: .own)
            #expect(own == Array("secret".utf8))
        }
    }

    @Test func followsLinksOfThoseWhoMayNameAnyFileButToFilesOnly() throws {
        try withTraps { folder in
            let linked = try Syscalls.contents(of: folder + "/link")
            #expect(linked == Array("secret".utf8))
            for trap in ["fifo", "device", "link-to-fifo"] {
                #expect(throws: SystemError.self) { try Syscalls.contents(of: "\(folder)/\(trap)") }
                #expect(throws: SystemError.self) { _ = try FileReader(path: "\(folder)/\(trap)", as: .named) }
            }
        }
    }

    @Test(.enabled(if: getuid() == 0, "only root reads what is another user's"))
    func readsNoSecondNameOfAnotherUsersFile() throws {
        try withTraps { folder in
            chown(folder, 65_534, 65_534)
            #expect(throws: SystemError.self) { try Syscalls.contents(of: folder + "/second-name", as: .own) }
        }
    }

    @Test(.enabled(if: getuid() == 0, "only root gives files away"))
    func givesAwayOnlyTheLockThatItMade() throws {
        try withTraps { folder in
            try Data().write(to: URL(filePath: folder + "/old.lock"))
            chown(folder, 65_534, 65_534)
            _ = try FileLock.wait(path: folder + "/old.lock")
            _ = try FileLock.wait(path: folder + "/new.lock")
            func owner(_ name: String) throws -> Int? {
                try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")[.ownerAccountID] as? Int
            }
            #expect(try owner("old.lock") == 0)
            #expect(try owner("new.lock") == 65_534)
        }
    }
}
