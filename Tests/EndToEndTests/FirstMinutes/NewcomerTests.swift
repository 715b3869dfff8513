import Foundation
import Glibc
import Testing
import Waypost
import WaypostTestKit

extension EndToEnd {
    /// What newcomers meet in their first hours: what they type, and what they are told.
    struct NewcomerTests {
        /// A server that nobody runs, and a drive that is played at a desk.
        @Test func saysAtEveryDoorThatATestDriveIsSent() async throws {
            let folder = try TestFolder()
            let config = try folder.write("[[destination]]\nname = \"home\"\nurl = \"http://127.0.0.1:1/in\"\n", to: "waypost.toml")
            let tracker = try await TrackerProcess(source: "sim:walk", in: folder, options: ["--config", config])
            let words = "test drive: the positions of sim:walk are sent to home"
            #expect(await eventually { tracker.process.errors.contains("\(words); to keep it here, ") }, "\(tracker.process.errors)")
            for command in ["status", "dispatch"] {
                #expect(try await waypost(command, "--socket", "socket", in: folder).output.contains(words), "\(command)")
            }
            #expect(try await waypost("dispatch", "pause", "--socket", "socket", in: folder).code == 0)
            #expect(try await !waypost("status", "--socket", "socket", in: folder).output.contains(words))
        }

        @Test func saysThatAFenceIsReplaced() async throws {
            let tracker = try await TrackerProcess(source: "sim:none", in: TestFolder())
            let add = ["fences", "add", "Home", "--at", "52.5,13.4", "--radius", "150", "--socket", "socket"]
            #expect(try await finish([Program.waypost.path] + add, in: tracker.folder).output == "added the fence with the id 'Home'\n")
            let fence = "circle 150 m at 52.50000 N 13.40000 E"
            #expect(
                try await finish([Program.waypost.path] + add, in: tracker.folder).output
                    == "replaced the fence with the id 'Home': it is as it was, \(fence)\n")
            let wider = add.map { $0 == "150" ? "300" : $0 }
            #expect(
                try await finish([Program.waypost.path] + wider, in: tracker.folder).output
                    == "replaced the fence with the id 'Home': circle 300 m at 52.50000 N 13.40000 E; it was \(fence)\n")
        }

        @Test func beginsADriveAgainWithItsPosition() async throws {
            let tracker = try await TrackerProcess(source: "sim:walk", in: TestFolder())
            for words in [["position-lost", "on"], ["stationary", "on"], ["reset"]] {
                #expect(
                    try await finish([Program.waypost.path, "playback"] + words + ["--socket", "socket"], in: tracker.folder).code == 0)
            }
            let status = try await waypost("playback", "--socket", "socket", in: tracker.folder)
            #expect(status.output == "stationary off\nposition-lost off\n")
        }

        @Test func takesTheConfigurationByTheOptionToo() async throws {
            let folder = try TestFolder()
            try folder.write("[log]\nmax_age = \"9 d\"\n", to: "a.toml")
            #expect(try await waypost("config", "check", "--config", "a.toml", in: folder).output == "a.toml: ok\n")
            #expect(try await waypost("config", "show", "--config", "a.toml", in: folder).output.contains("max_age = \"9 d\""))
            let twice = try await waypost("config", "check", "a.toml", "--config", "a.toml", in: folder)
            #expect(twice.code == 64 && twice.errors.contains("name the configuration file once"))
        }

        @Test func warnsOfASecretOnAnOpenLine() async throws {
            let folder = try TestFolder()
            let token = try folder.write("secret\n", to: "token")
            #expect(chmod(token, 0o600) == 0)
            let destination = "[[destination]]\nurl = \"http://a.example/in\"\ntoken_file = \"\(token)\"\n"
            try folder.write(destination, to: "a.toml")
            let check = try await waypost("config", "check", "a.toml", in: folder)
            #expect(check.code == 0)
            #expect(
                check.errors.contains("a.toml:3:1: [[destination]] token_file: the token goes over the network unencrypted"),
                "\(check.errors)")
            try folder.write("[[destination]]\nurl = \"https://a.example/in\"\ntoken = \"x\"\n", to: "b.toml")
            let unknown = try await waypost("config", "check", "b.toml", in: folder)
            #expect(unknown.code == 78 && unknown.errors.contains("did you mean 'token_file'?"), "\(unknown.errors)")
        }

        @Test func saysThatATimeZoneIsUnknown() async throws {
            let folder = try TestFolder()
            try FileManager.default.createDirectory(atPath: folder.path("log/journal"), withIntermediateDirectories: true)
            let list = try await waypost("log", "list", "--log", "log", in: folder, environment: ["TZ": "Europe/Atlantis"])
            let words = "waypost: TZ: 'Europe/Atlantis' is not a time zone of this system, so times are in UTC"
            #expect(list.errors.split(separator: "\n").count { $0 == words } == 1, "\(list.errors)")
            let known = try await waypost("log", "list", "--log", "log", in: folder, environment: ["TZ": "CET-1CEST,M3.5.0,M10.5.0/3"])
            #expect(!known.errors.contains("TZ"))
        }

        @Test func namesAFolderOfDevicesThatIsNotThere() async throws {
            let devices = try await waypost("devices", "--root", "nowhere", in: TestFolder())
            #expect(devices.code == 66 && devices.errors.hasPrefix("waypost: nowhere: is not a folder"))
        }

        @Test(.enabled(if: GPSDServer.executable != nil, "gpsd is not installed"))
        func saysThatTheNameOfAHostIsWrong() async throws {
            let url = "gpsd://nowhere.invalid:2947"
            let tracker = try await TrackerProcess(source: url, in: TestFolder())
            #expect(await eventually { tracker.process.errors.contains("the name nowhere.invalid cannot be resolved") })
            #expect(tracker.process.errors.contains("check that nowhere.invalid is the right name"))
        }
    }
}
