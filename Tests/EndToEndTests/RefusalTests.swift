import Foundation
import Glibc
import Testing
import Waypost
import WaypostTestKit

extension EndToEnd {
    /// What the tracker cannot do: one clear line and the right exit code.
    struct RefusalTests {
        private let options = TrackerProcess.options

        /// Runs the tracker, through `waypost run`, where it must refuse.
        private func refusal(_ arguments: [String], in folder: TestFolder, asNobody: Bool = false) async throws -> Finished {
            let run = try await finish((asNobody ? Program.asNobody : []) + [Program.waypost.path, "run"] + arguments, in: folder)
            #expect(run.complaints.count == 1, "\(run.errors)")
            #expect(run.output == "")
            return run
        }

        @Test func refusesAnUnknownSource() async throws {
            let run = try await refusal(options + ["--source", "gspd://localhost"], in: TestFolder())
            #expect(run.code == 64)
            #expect(run.complaints.first?.contains("did you mean gpsd:?") == true)
        }

        @Test(arguments: [["--sources", "x"], ["--state"], ["left.over"]]) func refusesArgumentsItDoesNotKnow(
            arguments: [String]
        ) async throws {
            let folder = try TestFolder()
            #expect(try await refusal(arguments, in: folder).code == 64)
            let daemon = try await finish([Program.waypostd.path] + arguments, in: folder)
            #expect(daemon.code == 64)
            #expect(daemon.complaints.count == 1)
        }

        @Test func saysThatTheRecordingIsMissing() async throws {
            let run = try await refusal(options + ["--source", "nmea:missing.nmea"], in: TestFolder())
            #expect(run.code == 66)
            #expect(run.complaints.first?.contains("missing.nmea") == true)
        }

        @Test func refusesAFolderAsRecording() async throws {
            let run = try await refusal(options + ["--source", "nmea:."], in: TestFolder())
            #expect(run.code == 66)
        }

        @Test(arguments: [0, 1, 2, 3, 4]) func refusesRandomBytes(seed: UInt64) async throws {
            let folder = try TestFolder()
            var generator = SeededGenerator(seed: seed)
            try folder.write((0..<300_000).map { _ in UInt8.random(in: .min ... .max, using: &generator) }, to: "noise.nmea")
            let run = try await refusal(options + ["--source", "nmea:noise.nmea?speed=0"], in: folder)
            #expect(run.code == 65)
            #expect(run.complaints.first?.contains("noise.nmea") == true)
            #expect(try folder.names(in: "log").contains { $0.hasSuffix(".gpx") } == false)
        }

        @Test func saysWhereTheConfigurationIsWrong() async throws {
            let folder = try TestFolder()
            try folder.write("# mine\n[log]\n  sync_intervall = \"5 s\"\n", to: "waypost.toml")
            let run = try await refusal(options + ["--config", "waypost.toml"], in: folder)
            #expect(run.code == 78)
            #expect(run.complaints.first?.hasPrefix("waypost: waypost.toml:3:3: ") == true)
            #expect(run.complaints.first?.contains("did you mean 'sync_interval'?") == true)
            let check = try await waypost("config", "check", "waypost.toml", in: folder)
            #expect(check.code == 78)
            #expect(check.complaints == run.complaints)
        }

        @Test func saysThatTheConfigurationIsMissing() async throws {
            let folder = try TestFolder()
            let run = try await refusal(options + ["--config", "missing.toml"], in: folder)
            #expect(run.code == 66)
            #expect(try await waypost("config", "check", "missing.toml", in: folder).code == 66)
        }

        @Test func checksAConfigurationThatIsRight() async throws {
            let folder = try TestFolder()
            try folder.write("[[source]]\nurl = \"nmea:drive.nmea\"\n[log]\nsync_interval = \"5 s\"\n", to: "waypost.toml")
            #expect(try await waypost("config", "check", "waypost.toml", in: folder).errors.contains("drive.nmea: there is no such file"))
            try folder.write("", to: "drive.nmea")
            let empty = try await waypost("config", "check", "waypost.toml", in: folder)
            #expect(
                empty.complaints == ["waypost: waypost.toml:2:1: [[source]] url: drive.nmea: holds no NMEA sentence in 0 lines"])
            try folder.write("$GPRMC,120000.00,A,4722.7258,N,00832.4728,E,0.0,,010326,,,A*7E\n", to: "drive.nmea")
            let check = try await waypost("config", "check", "waypost.toml", in: folder)
            #expect(check.code == 0)
            #expect(check.output == "waypost.toml: ok\n")
        }

        /// A token that is not there was "ok", and the destination was then not opened.
        @Test func looksAtTheFilesThatAConfigurationNames() async throws {
            let folder = try TestFolder()
            try folder.write(
                "[[destination]]\nname = \"a\"\nurl = \"https://example.org/\"\ntoken_file = \"token\"\n[geofences]\nfile = \"none.geojson\"\n",
                to: "waypost.toml")
            let missing = try await waypost("config", "check", "waypost.toml", in: folder)
            #expect(missing.code == 78 && missing.output == "")
            #expect(
                missing.complaints.sorted() == [
                    "waypost: waypost.toml:4:1: [[destination]] token_file: token: there is no such file; install -m 600 /dev/null token && editor token",
                    "waypost: waypost.toml:6:1: [geofences] file: none.geojson: there is no such file",
                ])
            try folder.write("{\"type\":\"FeatureCollection\",\"features\":[]}", to: "none.geojson")
            try folder.write("secret\n", to: "token")
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: folder.path("token"))
            let open = try await waypost("config", "check", "waypost.toml", in: folder)
            #expect(open.code == 78 && open.complaints.count == 1 && open.errors.contains("chmod 600 token"))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.path("token"))
            #expect(try await waypost("config", "check", "waypost.toml", in: folder).code == 0)
        }

        @Test func refusesWhatAnotherDaemonUses() async throws {
            let folder = try TestFolder()
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder)
            let holder = "process \(tracker.process.processID) "
            let source = ["--source", "nmea:\(Package.drive)?speed=0"]

            let state = try await refusal(source + ["--state", "state", "--log", "log2", "--socket", "socket2"], in: folder)
            #expect(state.code == 73)
            #expect(state.complaints.first?.contains(holder) == true)
            let log = try await refusal(source + ["--state", "state2", "--log", "log", "--socket", "socket2"], in: folder)
            #expect(log.code == 73)
            #expect(log.complaints.first?.contains(holder) == true)
            let socket = try await refusal(source + ["--state", "state2", "--log", "log2", "--socket", "socket"], in: folder)
            #expect(socket.code == 73)
            #expect(socket.complaints.first?.contains("another waypostd is listening") == true)

            // The first one has not noticed.
            #expect(try await waypost("status", "--socket", "socket", in: folder).code == 1)
            let exit = try await tracker.stop()
            #expect(exit == ProgramExit(code: 0))
            fifo.close()
        }

        @Test(.enabled(if: Program.canRunAsNobody, "user 65534 cannot reach the programs"), arguments: ["state", "log", "socket"])
        func refusesFoldersThatItMayNotWriteTo(which: String) async throws {
            let folder = try TestFolder()
            // A folder that is ours and one that is theirs; or, when we are nobody special, one without the right to write.
            for name in ["ours", "theirs"] {
                try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: false)
            }
            try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder.path("ours"))
            if getuid() == 0 { try folder.giveToNobody("theirs") }
            func place(_ name: String) -> String { (name == which ? "ours/" : "theirs/") + name }
            let run = try await refusal(
                [
                    "--state", place("state"), "--log", place("log"), "--socket", place("socket"), "--source",
                    "nmea:\(Package.drive)?speed=0",
                ],
                in: folder, asNobody: true)
            #expect(run.code == 73)
            #expect(run.complaints.first?.contains("ours/\(which)") == true)
            #expect(run.complaints.first?.contains("Permission denied") == true)
        }
    }
}
