import Foundation
import Testing
import WaypostTestKit

extension EndToEnd {
    /// Each command as it stands: its help, what it prints when it works, what when it does not, and its exit codes.
    ///
    /// `Tests/Data/golden/commands` has a file for each command. `% LINE` prepares something, `$ LINE` is held word by word, `~ LINE` but for
    /// its numbers, plurals, the width of its columns, and whether a position has come meanwhile. Below each of them stands its exit code, then its output behind `>` and its errors behind `!`. To
    /// write them anew from what is printed now: `WAYPOST_WRITE_GOLDEN=1 swift test --filter CommandTableTests`, and read the difference.
    @Suite struct CommandTableTests {
        private static let folder = Package.file("Tests/Data/golden/commands")

        static var names: [String] {
            get throws { try FileManager.default.contentsOfDirectory(atPath: folder).sorted() }
        }

        @Test(arguments: try names) func printsWhatTheTableSays(name: String) async throws {
            let path = CommandTableTests.folder + "/" + name
            let expected = try String(contentsOfFile: path, encoding: .utf8)
            let folder = try TestFolder()
            try FileManager.default.copyItem(atPath: Package.drive, toPath: folder.path("drive.nmea"))
            let server = expected.hasPrefix("# With a tracker and a server") ? try await FlakyServer("poison \"poison\":true") : nil
            let tracker = try await tracker(of: expected, to: server?.url ?? "http://127.0.0.1:1/", in: folder)
            let receiver = try receiver(of: expected, in: folder)
            defer { receiver?.unplug() }
            var text = ""
            for line in expected.split(separator: "\n", omittingEmptySubsequences: false) {
                switch line.first {
                case "#", nil: text += line + "\n"
                case "%":
                    text += line + "\n"
                    let run = try await shell(String(line.dropFirst(2)), in: folder)
                    try #require(run.code == 0, "\(line): \(run.errors)")
                case "$", "~":
                    text += line + "\n"
                    text += shown(try await shell(String(line.dropFirst(2)), in: folder), in: folder, wordByWord: line.first == "$")
                default: break
                }
            }
            text = text.trimmingCharacters(in: .newlines) + "\n"
            _ = try await tracker?.stop()

            if ProcessInfo.processInfo.environment["WAYPOST_WRITE_GOLDEN"] != nil {
                try text.write(toFile: path, atomically: true, encoding: .utf8)
            }
            let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
            let difference = text.split(separator: "\n", omittingEmptySubsequences: false).difference(from: lines)
            #expect(difference.isEmpty, "\(difference.map { "\($0)" }.joined(separator: "\n"))")
        }

        /// Every command has its help, something that works and two things that do not.
        @Test func hasFourLinesForEveryCommand() async throws {
            var lines: [(command: Substring, code: Substring)] = []
            for name in try CommandTableTests.names {
                let text = try String(contentsOfFile: CommandTableTests.folder + "/" + name, encoding: .utf8)
                let all = text.split(separator: "\n", omittingEmptySubsequences: false)
                for (line, next) in zip(all, all.dropFirst()) where line.hasPrefix("$ ") || line.hasPrefix("~ ") {
                    lines.append((line.dropFirst(2), next))
                }
            }
            for command in try await commands() {
                let own = lines.filter { ($0.command + " ").contains("\(command) ") }
                #expect(own.contains { $0.command == "\(command) --help" && $0.code == "0" }, "help of \(command)")
                #expect(own.contains { !$0.command.hasSuffix("--help") && $0.code == "0" }, "\(command) that works")
                #expect(own.count { $0.code != "0" } >= 2, "\(command) that fails twice")
            }
        }

        /// Every command that does something: those of the help that have no commands of their own, with those.
        private func commands(below parent: String = "waypost") async throws -> [String] {
            let help = try await shell(parent + " --help", in: TestFolder()).outputLines
            guard let start = help.firstIndex(of: "SUBCOMMANDS:") else { return [parent] }
            var commands: [String] = []
            for line in help[start...] {
                guard let name = line.prefixMatch(of: #/  ([a-z][a-z-]*)/#)?.1 else { continue }
                commands += try await self.commands(below: "\(parent) \(name)")
            }
            try #require(!commands.isEmpty)
            return commands
        }

        /// The policy of a file whose first line asks for one.
        private static let policy = """
            [user]
            nobody = { level = "reduced", full_for = ["navigation"] }
            [purpose]
            navigation = "Shows the way"
            """

        private func shown(_ run: Finished, in folder: TestFolder, wordByWord: Bool) -> String {
            func lines(_ text: String, behind mark: String) -> String {
                guard !text.isEmpty else { return "" }
                var text = text.hasSuffix("\n") ? String(text.dropLast()) : text
                // libcurl says it so up to version 8.8.
                text = text.replacing("Could not connect", with: "Couldn't connect").replacing(folder.path, with: "FOLDER").replacing(
                    #/ +(?=\n|$)/#, with: "")
                if !wordByWord {
                    text = text.replacing(#/[0-9]{8}T[0-9]{6}Z-[0-9a-z-]+/#, with: "TRACK").replacing(#/\b[tpf]-[0-9a-f-]{8,}/#, with: "ID")
                        .replacing(#/[0-9][0-9.,:]*/#, with: "N").replacing(#/  +/#, with: " ")
                    text = text.replacing(#/(N [a-z]{3,}?)s\b/#) { $0.1 }
                    text = text.replacing(#/\n *N position waits?(?=\n|$)/#, with: "").replacing(#/(?m)^good$/#, with: "no_data")
                    // After a rotation the next fix begins another track.
                    text = text.replacing(#/\nTRACK [^\n]* open journal [^\n]*/#, with: "")
                }
                var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
                // How many fixes there are by now, one a line, depends on the machine.
                if !wordByWord {
                    lines = lines.indices.filter { $0 == 0 || lines[$0].isEmpty || lines[$0] != lines[$0 - 1] }.map { lines[$0] }
                }
                return lines.map { "\(mark) \($0)".trimmingSuffix(" ") + "\n" }
                    .joined()
            }
            return "\(run.code ?? -1)\n" + lines(run.output, behind: ">") + lines(run.errors, behind: "!")
        }

        /// The receiver of a file whose first line asks for one: a model of a u-blox on a line called `port`.
        private func receiver(of text: String, in folder: TestFolder) throws -> UBloxReceiver? {
            guard text.hasPrefix("# With a receiver") else { return nil }
            let receiver = try UBloxReceiver()
            try FileManager.default.createSymbolicLink(atPath: folder.path("port"), withDestinationPath: receiver.terminal.path)
            return receiver
        }

        /// The tracker of a file whose first line asks for one: on a simulated walk, with a fence and two destinations at one server.
        private func tracker(of text: String, to url: String, in folder: TestFolder) async throws -> TrackerProcess? {
            guard text.hasPrefix("# With a tracker") else { return nil }
            try folder.write(
                #"{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"Point","coordinates":[13.4,52.5]},"#
                    + #""properties":{"name":"Yard","radius":200}}]}"#, to: "fences.geojson")
            let destination = "\nurl = \"\(url)\"\ninterval = 0\n"
            let page = text.hasPrefix("# With a tracker and a page") ? "[map]\nsocket = \"page.sock\"\ntoken_file = \"token\"\n" : ""
            try folder.write("0123456789abcdef0123456789abcdef\n", to: "token")
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.path("token"))
            let policy = text.hasPrefix("# With a tracker and a policy") ? "[control]\npolicy = \"policy.toml\"\n" : ""
            // The file is looked for when somebody needs it.
            let roads = text.hasPrefix("# With a tracker and roads") ? "[matching]\nroads = \"home.roads\"\n" : ""
            try folder.write(CommandTableTests.policy, to: "policy.toml")
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: folder.path("policy.toml"))
            try folder.write(
                page + policy + roads + "[geofences]\nfile = \"fences.geojson\"\n"
                    + ["home", "work"].map { "[[destination]]\nname = \"\($0)\"" + destination }.joined(), to: "w.toml")
            let tracker = try await TrackerProcess(source: "sim:walk", in: folder, options: ["--config", "w.toml"])
            try #require(await eventually { try await shell("waypost status", in: folder).code == 0 })
            return tracker
        }
    }
}

extension String {
    fileprivate func trimmingSuffix(_ character: Character) -> Substring {
        self[...(lastIndex { $0 != character } ?? startIndex)]
    }
}
