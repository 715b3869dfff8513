import Foundation
import Glibc
import Testing
import WaypostTestKit

extension EndToEnd {
    /// `waypost setup`, on a terminal and in scripts.
    struct SetupTests {
        private static let written = "conf.d/50-setup.toml"

        private func folder() throws -> TestFolder {
            let folder = try TestFolder()
            try folder.write("", to: "waypost.toml")
            return folder
        }

        /// The command on a terminal.
        private final class Session {
            let terminal: PseudoTerminal
            let process: ProgramProcess
            private(set) var shown = ""

            init(in folder: TestFolder) throws {
                terminal = try PseudoTerminal(isRaw: false)
                let script = #"exec "$0" setup --config waypost.toml <"$1" 2>"$1""#
                process = try ProgramProcess(["bash", "-c", script, Program.waypost.path, terminal.path], in: folder)
            }

            /// Waits for a prompt, and types.
            func type(_ keys: String, after prompt: String) async throws {
                let isThere = await eventually {
                    shown += String(decoding: terminal.received(), as: UTF8.self)
                    return shown.contains(prompt) || process.ended != nil
                }
                try #require(isThere && shown.contains(prompt), "\(prompt): \(shown)")
                // What comes next is looked for behind it.
                shown = ""
                try terminal.write(keys)
            }

            func rest() async throws -> (exit: ProgramExit, text: String) {
                let exit = try await process.exit()
                return (exit, shown + String(decoding: terminal.received(), as: UTF8.self))
            }
        }

        @Test func writesWhatIsAnswered() async throws {
            let folder = try folder()
            let session = try Session(in: folder)
            // A port that does not exist is taken only from somebody who means it.
            try await session.type("/dev/waypost-none\n", after: "Receiver [")
            try await session.type("\n", after: "Use it anyway? [no]: ")
            try await session.type("/dev/waypost-later\n", after: "Receiver [")
            try await session.type("yes\n", after: "there is no such port now; plug the receiver in")
            try await session.type("mqtt://ana@127.0.0.1:1\n", after: "Send to [none]: ")
            try await session.type("geheim\n", after: "Password, not shown [none]: ")
            try await session.type("bogus\n", after: "Units [metric]: ")
            try await session.type("nautical\n", after: "'bogus' is not a system of units")
            try await session.type("52.5,10.2\n", after: "Home [none]: ")
            try await session.type("\n", after: "Fence file [none]: ")
            // A slip at the end costs no answer.
            try await session.type("maybe\n", after: "[yes]: ")
            try await session.type("\n", after: "[yes]: ")
            let (exit, text) = try await session.rest()
            #expect(exit == ProgramExit(code: 0), "\(text)")
            let file = try folder.text(Self.written)
            #expect(file.contains("url = \"serial:///dev/waypost-later\"") && file.contains("units = \"nautical\""))
            #expect(file.contains("zones = [\"home: 52.5, 10.2, 250 m\"]") && !file.contains("geheim"))
            #expect(!text.contains("geheim") && !session.process.output.contains("geheim"))
            #expect(try folder.text("mqtt.password") == "geheim\n")
            let mode = try FileManager.default.attributesOfItem(atPath: folder.path("mqtt.password"))[.posixPermissions] as? Int
            #expect(mode == 0o600)
            #expect(try await waypost("config", "check", "waypost.toml", in: folder).code == 0)
            #expect(session.process.output.hasSuffix("see it work: waypost watch\n"))
        }

        /// Whatever ends it before the last answer leaves nothing.
        @Test(arguments: ["\u{4}", "interrupt", "no\n"]) func leavesNothingWhenItIsGivenUp(how: String) async throws {
            let folder = try folder()
            let session = try Session(in: folder)
            for prompt in ["Receiver [", "Send to [", "Units [", "Home ["] { try await session.type("\n", after: prompt) }
            if how == "no\n" { try await session.type("\n", after: "Fence file [") }
            try await session.type(how == "interrupt" ? "" : how, after: how == "no\n" ? "[yes]: " : "Fence file [")
            if how == "interrupt" { session.process.send(SIGINT) }
            let (exit, text) = try await session.rest()
            #expect(exit == (how == "interrupt" ? ProgramExit(signal: SIGINT) : ProgramExit(code: 1)), "\(text)")
            #expect(try !folder.names().contains("conf.d"))
        }

        /// Ctrl-C at a password leaves the terminal as it was, and nothing else.
        @Test func showsWhatIsTypedAgainAfterAnInterruptedPassword() async throws {
            let folder = try folder()
            let session = try Session(in: folder)
            try await session.type("\n", after: "Receiver [")
            try await session.type("mqtt://ana@127.0.0.1:1\n", after: "Send to [")
            try await session.type("geh\u{3}", after: "Password, not shown [none]: ")
            #expect(try await session.process.exit() == ProgramExit(code: 130))
            #expect(
                String(decoding: session.terminal.received(), as: UTF8.self).hasSuffix("\r\n"), "the prompt begins on a line of its own")
            try session.terminal.write("x")
            #expect(await eventually { session.terminal.received().contains(UInt8(ascii: "x")) })
            #expect(try !folder.names().contains("conf.d") && !folder.names().contains("mqtt.password"))
        }

        @Test func takesOptionsAndKeepsTheRest() async throws {
            let folder = try folder()
            let fences = Package.file("Config/try-fences.geojson")
            let first = try await waypost(
                "setup", "--config", "waypost.toml", "--receiver", "gpsd", "--send", "traccar:http://127.0.0.1:1/", "--home", "-33.8,151.2",
                "--fences", fences, in: folder)
            #expect(first.code == 0, "\(first.errors)")
            #expect(
                first.outputLines == [
                    "wrote \(folder.path(Self.written))", "start the tracker: waypost run --config \(folder.path("waypost.toml"))",
                    "see it work: waypost watch",
                ])
            #expect(
                first.complaints.count == 2 && first.complaints[0].contains("not reachable now")
                    && first.complaints[1].contains("identifier"))
            try folder.write("[display]\nunits = \"metric\"\n", to: "conf.d/90-mine.toml")
            let second = try await waypost("setup", "--config", "waypost.toml", "--units", "imperial", in: folder)
            #expect(
                second.complaints == [
                    "waypost: [display] units is taken from \(folder.path("conf.d/90-mine.toml")):2, not from \(folder.path(Self.written)); "
                        + "to change that, remove it there"
                ])
            let file = try folder.text(Self.written)
            #expect(
                file.contains("imperial") && file.contains("kind = \"traccar\"") && file.contains("-33.8, 151.2") && file.contains(fences))
            #expect(try folder.text("conf.d/90-mine.toml") == "[display]\nunits = \"metric\"\n")
            // Decimal commas make another place of it, which is not to go unseen.
            let third = try await waypost("setup", "--config", "waypost.toml", "--home", "-33,8,151", in: folder)
            #expect(third.complaints.first == "waypost: home: -33.0,8.0,151 m takes the place of -33.8,151.2,250 m", "\(third.complaints)")
        }

        @Test(arguments: [
            (
                [], 64,
                "there is no terminal to ask on; give the answers as options: --receiver, --send, --units, --home, --fences; or --yes"
            ),
            (["--units", "miles"], 64, "'miles' is not a system of units; write metric, imperial or nautical"),
            (["--fences", "gone.geojson"], 66, "gone.geojson: cannot be read: No such file or directory"),
            (["--send", "mqtt://a", "--send", "mqtt://b", "--password-file", "x"], 64, "--password-file goes with USER@ in --send"),
            (
                ["--send", "mqtt://ana@a", "--send", "mqtt://bo@b", "--password-file", "x"], 64,
                "--send names 2 servers with USER@, so --password-file is due as often, in the same order; none stands for no file"
            ),
            (["--receiver", "waypost.toml"], 64, "write auto, gpsd, a port such as /dev/ttyUSB0"),
            (["--receiver", "serial:///etc/passwd"], 64, "/etc/passwd is a file, not a serial port; nmea:/etc/passwd plays a recording"),
            (["--send", "mqtt://a", "--token-file", "x"], 64, "--password-file goes with USER@ in --send"),
            (["--send", "mqtt://ana@a", "--password-file", "x"], 66, "x: there is no such file"),
            (["--config", "gone.toml", "--yes"], 66, "no such file"),
            (["--config", "broken.toml", "--yes"], 78, "broken.toml:2:1: [log] has no key 'typos'"),
        ]) func refuses(arguments: [String], code: Int32, why: String) async throws {
            let folder = try folder()
            try folder.write("[log]\ntypos = 1\n", to: "broken.toml")
            let config = arguments.contains("--config") ? [] : ["--config", "waypost.toml"]
            let run = try await finish([Program.waypost.path, "setup"] + config + arguments, in: folder)
            #expect(run.code == code)
            #expect(run.complaints.count == 1 && run.complaints.first?.contains(why) == true, "\(run.errors)")
            #expect(try !folder.names().contains("conf.d"))
        }

        /// A script's secret is copied, and shown nowhere.
        @Test func copiesTheSecretOfAScript() async throws {
            let folder = try folder()
            try folder.write("geheim\nmore\n", to: "secret")
            let send = ["--send", "https://127.0.0.1:1/in", "--token-file", "secret", "--config", "waypost.toml"]
            let run = try await finish([Program.waypost.path, "setup"] + send, in: folder)
            #expect(run.code == 0 && !run.output.contains("geheim") && !run.errors.contains("geheim"), "\(run.errors)")
            #expect(try folder.text("http.token") == "geheim\n")
            #expect(try folder.text(Self.written).contains("token_file = \"\(folder.path("http.token"))\""))
            // The same server keeps it, unless it is to have none.
            let again = ["setup", "--config", "waypost.toml", "--send", "https://127.0.0.1:1/in"]
            _ = try await finish([Program.waypost.path] + again, in: folder)
            #expect(try folder.text(Self.written).contains("token_file"))
            _ = try await finish([Program.waypost.path] + again + ["--token-file", "none"], in: folder)
            #expect(try !folder.text(Self.written).contains("token_file"))
        }

        /// Each server has a secret of its own, in a file of its own.
        @Test func keepsTheSecretsOfSeveralServersApart() async throws {
            let folder = try folder()
            for name in ["one", "two", "three"] { try folder.write("secret \(name)\n", to: name) }
            let servers = ["mqtt://ana@127.0.0.1:1", "https://127.0.0.1:1/open", "mqtt://bo@127.0.0.1:2", "https://127.0.0.1:1/closed"]
            let run = try await finish(
                [Program.waypost.path, "setup", "--config", "waypost.toml"] + servers.flatMap { ["--send", $0] }
                    + ["--password-file", "one", "--password-file", "two", "--token-file", "none", "--token-file", "three"], in: folder)
            #expect(run.code == 0, "\(run.errors)")
            #expect(try folder.text("mqtt.password") == "secret one\n")
            #expect(try folder.text("mqtt-2.password") == "secret two\n")
            #expect(try folder.text("http-2.token") == "secret three\n")
            #expect(try !folder.names().contains("http.token"))
            let file = try folder.text(Self.written)
            #expect(file.contains("user = \"bo\"\npassword_file = \"\(folder.path("mqtt-2.password"))\""), "\(file)")
        }

        /// Answers that cannot be read are not thrown away.
        @Test func leavesADamagedFileAsItIs() async throws {
            let folder = try folder()
            try FileManager.default.createDirectory(atPath: folder.path("conf.d"), withIntermediateDirectories: true)
            try folder.write("[display]\nunit = \"metric\"\n", to: Self.written)
            let run = try await waypost("setup", "--config", "waypost.toml", "--yes", in: folder)
            #expect(run.code == 78)
            let path = folder.path(Self.written)
            #expect(
                run.complaints == [
                    "waypost: \(path):2:1: [display] has no key 'unit'; did you mean 'units'?",
                    "waypost: \(path): the answers in it cannot be read, and nothing was written; correct the file, or set it aside: "
                        + "mv \(path) \(path).damaged",
                ])
            #expect(try folder.text(Self.written) == "[display]\nunit = \"metric\"\n")
            // Somebody at a terminal may answer anew, and the file is kept.
            let session = try Session(in: folder)
            try await session.type("yes\n", after: "Answer the questions again? [no]: ")
            for prompt in ["Receiver [", "Send to [", "Units [", "Home [", "Fence file [", "[yes]: "] {
                try await session.type("\n", after: prompt)
            }
            #expect(try await session.rest().exit == ProgramExit(code: 0))
            #expect(try folder.text(Self.written + ".damaged") == "[display]\nunit = \"metric\"\n")
            #expect(try await waypost("config", "check", "waypost.toml", in: folder).code == 0)
        }

        @Test(.enabled(if: Program.canRunAsNobody)) func leavesAFileThatItMayNotRead() async throws {
            let folder = try folder()
            try FileManager.default.createDirectory(atPath: folder.path("conf.d"), withIntermediateDirectories: true)
            try folder.write("[display]\nunits = \"metric\"\n", to: Self.written)
            for path in ["", "/conf.d"] {
                try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path + path)
            }
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.path(Self.written))
            let run = try await finish(Program.asNobody + [Program.waypost.path, "setup", "--config", "waypost.toml", "--yes"], in: folder)
            #expect(run.code == 77, "\(run.errors)")
            #expect(run.complaints == ["waypost: \(folder.path(Self.written)): this user may not read it; use sudo, or be in its group"])
            #expect(try folder.text(Self.written) == "[display]\nunits = \"metric\"\n")
        }

        /// A broker that was tried keeps nothing of it.
        @Test func leavesNoSessionAtABroker() async throws {
            let broker = try await MosquittoBroker()
            let run = try await waypost("setup", "--config", "waypost.toml", "--send", broker.url, in: folder())
            #expect(run.complaints.contains("waypost: \(broker.url): reachable"), "\(run.errors)")
            // `c1` in mosquitto's messages: a clean session.
            #expect(broker.messages.contains("as waypost-setup (p2, c1,"), "\(broker.messages)")
        }

        @Test(.enabled(if: Program.canRunAsNobody)) func tellsWhoIsNotRoot() async throws {
            let run = try await finish(Program.asNobody + [Program.waypost.path, "setup"], in: TestFolder())
            #expect(run.code == 77)
            #expect(run.complaints == ["waypost: setup: only root may set the service up; sudo waypost setup"])
        }
    }
}
