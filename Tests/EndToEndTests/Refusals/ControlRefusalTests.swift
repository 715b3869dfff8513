import Foundation
import Testing
import WaypostTestKit

extension EndToEnd {
    /// What each command of the control socket says when it cannot do what was asked: the words and the exit code.
    ///
    /// `Tests/Data/golden/refusals.txt` holds them: under the name of a world the commands, each with its exit code and what it says. To write
    /// it anew from what is said now: `WAYPOST_WRITE_GOLDEN=1 swift test --filter ControlRefusalTests`, and read the difference.
    @Suite struct ControlRefusalTests {
        private static let path = Package.file("Tests/Data/golden/refusals.txt")

        /// A part of the file.
        private struct World {
            var name: String
            var commands: [String] = []
            /// As it stands in the file.
            var text = ""
        }

        private func worlds() throws -> [World] {
            var worlds: [World] = []
            let lines = try String(contentsOfFile: ControlRefusalTests.path, encoding: .utf8).split(
                separator: "\n", omittingEmptySubsequences: false)
            for line in lines.dropLast() {
                if line.hasPrefix("== ") { worlds.append(World(name: String(line.dropFirst(3)))) }
                if line.hasPrefix("$ ") { worlds[worlds.count - 1].commands.append(String(line.dropFirst(2))) }
                worlds[worlds.count - 1].text += line + "\n"
            }
            return worlds
        }

        /// What a command says, as the file has it: a line for each line of its errors, the first behind its exit code.
        private func said(by command: String, in folder: TestFolder, asNobody: Bool = false) async throws -> String {
            let run = try await shell(command, in: folder, asNobody: asNobody)
            let lines = run.errors.replacing(folder.path, with: "FOLDER").replacing("Could not connect", with: "Couldn't connect")
                .replacing(#/ after \d+ ms/#, with: "")
                .replacing(#/\.\d+\.tmp/#, with: ".N.tmp")
            #expect(!lines.contains("the daemon refused"))
            return "$ \(command)\n\(run.code ?? -1) \(lines.isEmpty ? "\n" : lines)"
        }

        @Test func saysWhatIsWrongAndEndsWithTheCodeOfTheCause() async throws {
            var text = ""
            var expected = ""
            for world in try worlds() {
                // Not where another user cannot reach the programs.
                if world.name.contains("other user"), !Program.canRunAsNobody { continue }
                expected += world.text
                let folder = try TestFolder()
                let fifo = try ReceiverFIFO("receiver", in: folder)
                defer { fifo.close() }
                let tracker = try await tracker(of: world.name, in: folder)
                text += "== \(world.name)\n"
                for command in world.commands {
                    text += try await said(by: command, in: folder, asNobody: world.name.contains("other user"))
                }
                text += "\n"
                _ = try await tracker?.stop()
            }
            if ProcessInfo.processInfo.environment["WAYPOST_WRITE_GOLDEN"] != nil {
                try #require(Program.canRunAsNobody)
                return try text.write(toFile: ControlRefusalTests.path, atomically: true, encoding: .utf8)
            }
            let differences = zip(text.split(separator: "\n"), expected.split(separator: "\n")).filter { $0 != $1 }
            let lineCounts = [text, expected].map { $0.count { $0 == "\n" } }
            #expect(differences.isEmpty && lineCounts[0] == lineCounts[1], "\(differences.map { "\($0) instead of \($1)" })")
        }

        /// The tracker that a world has; nil when it has none.
        private func tracker(of world: String, in folder: TestFolder) async throws -> TrackerProcess? {
            if world.hasPrefix("no tracker") { return nil }
            var configuration = "[geofences]\nfile = \"fences.geojson\"\n"
            try folder.write(
                #"{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"Point","coordinates":[13.4,52.5]},"#
                    + #""properties":{"name":"Yard","radius":200}}]}"#, to: "fences.geojson")
            if !world.contains("without destinations") {
                configuration += "[[destination]]\nname = \"home\"\nurl = \"http://127.0.0.1:1/\"\ninterval = 0\n"
                configuration += "[[destination]]\nname = \"work\"\nurl = \"http://127.0.0.1:1/\"\ninterval = 0\n"
            }
            try folder.write(configuration, to: "w.toml")
            if world.contains("cannot store") {
                // A folder stands where each file would be.
                for name in ["state/kept/state/outbox.sqlite", "state/kept/state/fences-added.geojson/x", "state/kept/state/private/x"] {
                    try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: true)
                }
            }
            return try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"])
        }
    }
}
