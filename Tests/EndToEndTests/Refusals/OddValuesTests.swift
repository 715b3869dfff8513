import Foundation
import Testing
import Waypost

extension EndToEnd {
    /// Values that no option and no argument takes: empty paths, and names that are not UTF-8.
    ///
    /// The parser's own description lists all places.
    struct OddValuesTests {
        /// An option or an argument of a command.
        private struct Place {
            let command: [String]
            /// The words before the value.
            let words: [String]
            let name: String
            let isPath: Bool
        }

        private func places(in folder: TestFolder) async throws -> [Place] {
            let help = try await waypost("--experimental-dump-help", in: folder)
            let tool = try JSONParser().parse(help.output)
            var places: [Place] = []
            func add(_ command: JSONValue?, _ path: [String]) {
                var positionals: [String] = []
                for argument in command?["arguments"]?.array ?? [] {
                    let kind = argument["kind"]?.string
                    guard kind != "flag" else { continue }
                    let name = argument["names"]?.array?.last?["name"]?.string
                    let completion = argument["completionKind"]
                    let isPath = completion?["file"] != nil || completion?["directory"] != nil
                    let words = name.map { [$0.count == 1 ? "-\($0)" : "--\($0)"] } ?? positionals
                    if kind == "positional" { positionals.append("1") }
                    places.append(
                        Place(command: path, words: words, name: name ?? argument["valueName"]?.string ?? "", isPath: isPath))
                }
                for command in command?["subcommands"]?.array ?? [] where command["commandName"]?.string != "help" {
                    add(command, path + [command["commandName"]?.string ?? ""])
                }
            }
            add(tool["command"], [])
            return places
        }

        @Test func takesNoEmptyPath() async throws {
            let folder = try TestFolder()
            let paths = try await places(in: folder).filter(\.isPath)
            #expect(paths.count > 60)
            for place in paths {
                let run = try await finish([Program.waypost.path] + place.command + place.words + [""], in: folder)
                #expect(run.code == 64 && run.errors.contains("is empty"), "\(place): \(run)")
            }
            for option in ["--config", "--state", "--log", "--socket"] {
                for words in [[option, ""], ["\(option)="]] {
                    let run = try await finish([Program.waypostd.path, "--source", "sim:none"] + words, in: folder)
                    #expect(run.code == 64 && run.errors.contains("\(option) is empty"), "\(run)")
                }
            }
            #expect(try folder.names().filter { !$0.hasPrefix(".") } == [])
        }

        @Test func takesNoNameThatIsNotUTF8() async throws {
            let folder = try TestFolder()
            let names = try await places(in: folder).filter { !$0.isPath }
            #expect(names.count > 60)
            // Both have paths in them.
            for place in names where !["source", "receiver"].contains(place.name) {
                let script = #"exec "$0" "$@" "$(printf 'a\377')""#
                let run = try await finish(["sh", "-c", script, Program.waypost.path] + place.command + place.words, in: folder)
                #expect(run.code == 64 && run.output.isEmpty, "\(place): \(run)")
            }
            // A path may be of any bytes.
            let path = try await finish(["sh", "-c", #"exec "$0" fences check "$(printf 'a\377')""#, Program.waypost.path], in: folder)
            #expect(path.code == 66 && path.errors.contains(#"a\xff"#), "\(path)")
        }

        /// The state and the log each have a folder of their own: the tracker must not take itself for another.
        @Test func takesNoFolderForTwoThings() async throws {
            let folder = try TestFolder()
            for log in ["Q", "./Q/", "link"] {
                if log == "link" {
                    try FileManager.default.createDirectory(atPath: folder.path("Q"), withIntermediateDirectories: false)
                    try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: "Q")
                }
                let run = try await finish(
                    [Program.waypostd.path, "--source", "sim:none", "--state", "Q", "--log", log, "--socket", "socket"], in: folder)
                #expect(run.code == 64 && run.complaints.count == 1, "\(run)")
                #expect(run.errors.contains("is the folder of the state and of the log, and each needs its own"), "\(run)")
            }
            #expect(try folder.names(in: "Q") == [])
        }
    }
}
