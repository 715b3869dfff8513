import Foundation
import Testing
import WaypostSystem
import WaypostTestKit

/// What is started for a registration, and what is not.
@Suite struct WakeProgramTests {
    /// Everybody can write to the folder for temporary files, so that no program below it is started.
    private let folder = TrustedFolder.path(for: "wake")

    init() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    }

    private func program(_ name: String) throws -> String {
        let path = "\(folder)/\(name)"
        try #require(
            FileManager.default.createFile(atPath: path, contents: Data("#!/bin/sh\n".utf8), attributes: [.posixPermissions: 0o755]))
        return path
    }

    /// A link could lead elsewhere between the look and the start.
    @Test func startsWhatItHasLookedAtAndNoLink() throws {
        let path = try program("real")
        try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: path)
        let command = try WakeProgram(.program(folder + "/link")).command("photo", mark: "f00d")
        #expect(command.contains("exec \(path) 2>&1") && !command.contains("/link"))
        #expect(command.contains("WAYPOST_REGISTRATION=photo WAYPOST_RUN=f00d"))
        try FileManager.default.removeItem(atPath: folder)
    }

    /// Whatever is removed from a folder such as /tmp can come back as somebody else's, so nothing below it is started, as with sudo.
    @Test func refusesAProgramBelowAFolderThatEverybodyCanWrite() throws {
        let path = try program("good")
        #expect(WakeProgram(.program(path)).obstacle == nil)
        for (mode, next) in [(0o1777, "keep it below your home"), (0o777, "chmod o-w")] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder)
            let obstacle = try #require(WakeProgram(.program(path)).obstacle)
            #expect(obstacle.hasPrefix("its folder \(folder) may be written by every user; \(next)"))
            #expect(throws: SystemError.self) { try WakeProgram(.program(path)).command("photo", mark: "f00d") }
        }
        try FileManager.default.removeItem(atPath: folder)
    }

    /// A line of its file ends with the path.
    @Test func refusesAPathOfTwoLines() throws {
        let path = try program("a\nb")
        #expect(WakeProgram(.program(path)).obstacle == "has a line feed in its path")
        #expect(throws: SystemError.self) { try WakeProgram(.program(path)).command("photo", mark: "f00d") }
        try FileManager.default.removeItem(atPath: folder)
    }

    /// The system's agent of a user has no session, and finds that user's systemd all the same.
    @Test func startsAUnitOfTheUser() throws {
        let command = try WakeProgram(.unit("photo.service")).command("photo", mark: "f00d")
        if geteuid() == 0 {
            #expect(command == "exec systemctl start photo.service 2>&1")
        } else {
            #expect(command.contains("${XDG_RUNTIME_DIR:-/run/user/\(geteuid())}") && command.contains("systemctl --user start"))
        }
    }

    @Test func putsBackWhatWasThere() throws {
        let (old, new) = (WakeProgram(.program("/bin/true")), WakeProgram(.unit("photo.service")))
        for before in [old, nil] {
            try new.save("photo", in: folder)
            try WakeProgram.restore(before, as: "photo", in: folder)
            #expect(try WakeProgram.load("photo", in: folder) == before)
        }
        try FileManager.default.removeItem(atPath: folder)
    }

    /// A tracker at a desk must not start or remove what the service's registration of the same name starts.
    @Test func keepsTheProgramsOfTwoTrackersApart() throws {
        let paths = DefaultPaths(environment: ["HOME": "/home/ana"], userID: 1_000, userName: "ana")
        let service = WakeProgram.folder(paths, socket: DefaultPaths.service.socket)
        #expect(service == "/home/ana/.config/waypost/wake")
        let others = ["/run/user/1000/waypost/waypost.sock", "/tmp/a", "b"].map { WakeProgram.folder(paths, socket: $0) }
        #expect(Set(others + [service]).count == 4 && others.allSatisfy { $0.hasPrefix(service + "/.tracker-") })
    }

    /// Trackers at a desk have sockets of ever new names.
    @Test func leavesNoFolderBehind() throws {
        let service = folder + "/wake"
        let desk = WakeProgram.folder(
            DefaultPaths(environment: ["XDG_CONFIG_HOME": folder], userID: 1_000, userName: "ana"), socket: "/tmp/a")
        for folder in [service, desk] {
            for name in ["photo", "film"] { try WakeProgram(.program("/bin/true")).save(name, in: folder) }
            try WakeProgram.remove("photo", in: folder)
            #expect(try WakeProgram.load("film", in: folder) != nil)
            try WakeProgram.remove("film", in: folder)
            try WakeProgram.remove("film", in: folder)
        }
        #expect(FileManager.default.fileExists(atPath: service) && !FileManager.default.fileExists(atPath: desk))
        try FileManager.default.removeItem(atPath: folder)
    }
}
