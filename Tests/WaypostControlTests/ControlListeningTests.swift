import Foundation
import Testing
import WaypostControl
import WaypostSystem

@Suite(.timeLimit(.minutes(1))) struct ControlListeningTests {
    @Test func replacesASocketThatWasLeftBehind() async throws {
        let fixture = try ControlFixture()
        try Syscalls.createFolders(fixture.folder + "/run", mode: 0o755)
        try await onThread {
            // Bound and closed without listening on: what a killed daemon leaves.
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = [
                "python3", "-c", "import socket,sys; s=socket.socket(socket.AF_UNIX); s.bind(sys.argv[1])", fixture.path,
            ]
            try process.run()
            process.waitUntilExit()
        }
        #expect(try UnixSocket.occupant(of: fixture.path) == .staleSocket)
        let server = try await fixture.start()
        #expect(try UnixSocket.occupant(of: fixture.path) == .listener)
        await server.stop()
        #expect(try UnixSocket.occupant(of: fixture.path) == .nothing)
    }

    @Test func leavesALiveSocketAlone() async throws {
        let fixture = try ControlFixture()
        let server = try await fixture.start()
        await #expect(throws: ControlError.anotherIsListening(path: fixture.path)) { try await fixture.start() }
        _ = try await onThread { try ControlClient.connect(to: fixture.path).daemonVersion }
        await server.stop()
    }

    @Test func leavesAFileAlone() async throws {
        let fixture = try ControlFixture()
        try Syscalls.createFolders(fixture.folder + "/run")
        try "precious".write(toFile: fixture.path, atomically: false, encoding: .utf8)
        await #expect(throws: ControlError.notASocket(path: fixture.path)) { try await fixture.start() }
        #expect(try String(contentsOfFile: fixture.path, encoding: .utf8) == "precious")
    }

    @Test func refusesAPathThatIsTooLong() async throws {
        let fixture = try ControlFixture()
        let path = "/tmp/" + String(repeating: "a", count: 103)
        #expect(path.utf8.count == 108)
        let policy = PeerPolicy(ownUserID: 0, trustedGroupID: nil)
        await #expect(throws: ControlError.pathTooLong(path: path, limit: 107)) {
            try await ControlServer.start(path: path, programVersion: "1", policy: policy, handler: fixture)
        }
        #expect(throws: ControlError.pathTooLong(path: path, limit: 107)) { _ = try ControlClient.connect(to: path) }
    }

    @Test func saysWhyItCannotListen() async throws {
        let fixture = try ControlFixture()
        let policy = PeerPolicy(ownUserID: 0, trustedGroupID: nil)
        await #expect(throws: ControlError.cannotListen(path: "/dev/null/x.sock", reason: "Not a directory")) {
            try await ControlServer.start(path: "/dev/null/x.sock", programVersion: "1", policy: policy, handler: fixture)
        }
    }

    @Test func anyUserMayConnect() async throws {
        let fixture = try ControlFixture()
        let server = try await fixture.start()
        var status = stat()
        #expect(stat(fixture.path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o666)
        await server.stop()
    }

    @Test func aClientSaysThatNobodyListens() throws {
        let fixture = try ControlFixture()
        #expect(throws: ControlError.notRunning(path: fixture.path)) { _ = try ControlClient.connect(to: fixture.path) }
    }

    /// Whoever finds a listener may use it: there is no moment in which others are refused.
    @Test func isOpenToAllFromTheFirstConnectionOn() async throws {
        for _ in 0..<40 {
            let fixture = try ControlFixture()
            let path = fixture.path
            let mode = Task.detached {
                while !Task.isCancelled {
                    guard let descriptor = try? UnixSocket.connect(path) else { continue }  // Nobody listens yet.
                    defer { Syscalls.close(descriptor) }
                    return try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
                }
                return nil
            }
            let server = try await fixture.start()
            #expect(try await mode.value == 0o666)
            await server.stop()
        }
    }
}
