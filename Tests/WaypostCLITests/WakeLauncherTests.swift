import Foundation
import Testing
import Waypost
import WaypostControl
import WaypostSystem
import WaypostTestKit

@testable import WaypostCLI

/// How the start of a program is reported.
struct WakeLauncherTests {
    /// The end of what it wrote, and how it ended: never more than the tracker takes.
    @Test(arguments: [("exit 3", 3, "line 999"), ("kill -9 $$", nil, "signal 9")] as [(String, Int?, String)])
    func saysTheEndOfWhatItWrote(last: String, code: Int?, words: String) throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }  // What is left behind does no harm.
        let text = "#!/bin/sh\ni=0; while [ $i -lt 1000 ]; do echo line $i; i=$((i + 1)); done\n\(last)\n"
        try program(text, in: folder)
        try WakeProgram(.program(folder + "/p")).save("photo", in: folder)
        let ran = WakeLauncher(folder: folder, isAlone: false).run(LaunchOrder(registration: "photo", events: [], ids: ["a"]))
        #expect(ran.exitCode == code && ran.words.count <= 4_000 && ran.words.contains("line 999"))
        #expect(ran.words.contains(words), "\(ran.words.suffix(100))")
        #expect(throws: Never.self) { try ControlRequests.request(on: ran.line.span) }
    }

    @Test func saysThatAProgramIsNotThere() throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }  // What is left behind does no harm.
        try WakeProgram(.program(folder + "/p")).save("photo", in: folder)
        let ran = WakeLauncher(folder: folder, isAlone: false).run(LaunchOrder(registration: "photo", events: [], ids: ["a"]))
        #expect(ran.exitCode == nil && !ran.wasStarted && ran.words == "\(folder)/p does not exist")
        try program("#!/bin/sh\nkill -9 $$\n", in: folder)
        let killed = WakeLauncher(folder: folder, isAlone: false).run(LaunchOrder(registration: "photo", events: [], ids: ["a"]))
        #expect(killed.exitCode == nil && killed.wasStarted)
    }

    /// An event has the place: it reaches the program alone, and stands in no command line, which every user can read.
    @Test func showsEventsToNobodyElse() throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }  // What is left behind does no harm.
        try program("#!/bin/sh\ncat\ngrep -l '47[.]1234567' /proc/[0-9]*/cmdline 2>/dev/null\nexit 0\n", in: folder)
        try WakeProgram(.program(folder + "/p")).save("photo", in: folder)
        let event = JSONText(bytes: Array(#"{"id":"a","lat":47.1234567,"lon":8}"#.utf8))
        let ran = WakeLauncher(folder: folder, isAlone: false).run(LaunchOrder(registration: "photo", events: [event], ids: ["a"]))
        #expect(ran.exitCode == 0 && ran.words.contains("47.1234567") && !ran.words.contains("cmdline"), "\(ran.words)")
    }

    /// One at a time starts the programs of a tracker; those of another one have nothing to do with them.
    @Test func oneAtATimeStartsTheProgramsOfATracker() throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }  // What is left behind does no harm.
        let other = WakeLauncher(folder: folder, isAlone: false)
        do {
            let starter = WakeLauncher(folder: folder, isAlone: false)
            #expect(try starter.lock(forSocket: "/run/s", waitingAtMost: 0))
            #expect(try !other.lock(forSocket: "/run/s", waitingAtMost: 200))
            #expect(try WakeLauncher(folder: folder, isAlone: false).lock(forSocket: "/run/another", waitingAtMost: 0))
        }
        #expect(try other.lock(forSocket: "/run/s", waitingAtMost: 0))
    }

    private func folder() throws -> String {
        let folder = TrustedFolder.path(for: "launch")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        return folder
    }

    private func program(_ text: String, in folder: String) throws {
        try #require(
            FileManager.default.createFile(atPath: folder + "/p", contents: Data(text.utf8), attributes: [.posixPermissions: 0o755]))
    }
}
