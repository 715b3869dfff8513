import ArgumentParser
import Testing

@testable import WaypostCLI

/// The usage of each command says what it needs: what stands without brackets is enough, and none of it can be left out.
@Suite struct UsageTests {
    /// The commands by their words, with those below them.
    private static func commands(
        _ command: any ParsableCommand.Type = WaypostCLI.self, _ path: [String] = []
    ) -> [(path: [String], type: any ParsableCommand.Type)] {
        [(path, command)] + command.configuration.subcommands.flatMap { commands($0, path + [$0._commandName]) }
    }

    /// Values that fit what the help calls them.
    private static let values: [String: String] = [
        "span": "1h", "time": "today", "latitude,longitude": "52.5,13.4", "place": "52.5,13.4", "distance": "50", "level": "full",
        "choice": "on", "hertz": "1", "number": "12", "events": "enter", "path": "/bin/true", "out": "out.gpx", "in": "in.gpx",
        "user": "pi", "who": "pi", "to": "b", "from": "a", "n": "1", "cursor": "12",
    ]

    /// The lines of usage of a help, without the program's name: `log ack <cursor> --puller <name> [--log <dir>]`.
    private static func lines(of command: any ParsableCommand.Type) -> [String] {
        let help = WaypostCLI.helpMessage(for: command, columns: 1_000)
        let block = help.drop { $0 != "U" }.split(separator: "\n", omittingEmptySubsequences: false)
        let start = block.firstIndex { $0.hasPrefix("USAGE: ") } ?? 0
        return block[start...].prefix { !$0.isEmpty }.map { $0.replacing("USAGE: ", with: "").trimmingPrefix { $0 == " " } }
            .map { String($0.trimmingPrefix("waypost ")) }
    }

    /// The options and arguments that a line asks for, one way for each choice in parentheses; those in brackets left out.
    private static func required(_ line: String) -> [[[String]]] {
        var depth = 0
        let plain = line.filter { character in
            if character == "[" { depth += 1 }
            defer { if character == "]" { depth -= 1 } }
            return depth == 0
        }
        if let choice = plain.firstMatch(of: #/\(([^|)]*)\|([^|)]*)\)/#) {
            return [choice.1, choice.2].flatMap { one in
                required(String(plain[..<choice.range.lowerBound]) + one + plain[choice.range.upperBound...])
            }
        }
        var parts: [[String]] = []
        for word in plain.split(separator: " ").map(String.init) where word != "..." {
            let value = word.hasPrefix("<") ? values[String(word.dropFirst().dropLast())] ?? "x" : word
            if word.hasPrefix("<"), let last = parts.last, last.count == 1, last[0].hasPrefix("--") {
                parts[parts.count - 1].append(value)
            } else {
                parts.append([value])
            }
        }
        return [parts]
    }

    private static func parses(_ parts: [[String]]) -> Bool {
        do {
            _ = try WaypostCLI.parseAsRoot(parts.flatMap { $0 })
            return true
        } catch {
            return false
        }
    }

    @Test func asksForWhatIsRequired() {
        var count = 0
        // convert looks at its files when it runs.
        for (path, command) in Self.commands() where command.configuration.subcommands.isEmpty && path != ["convert"] {
            let ways = Self.lines(of: command).flatMap(Self.required)
            for way in ways {
                count += 1
                #expect(Self.parses(way), "waypost \(way.flatMap { $0 }.joined(separator: " ")) is refused")
                for left in way.indices.dropFirst(path.count) {
                    var less = way
                    less.remove(at: left)
                    let isAnother = ways.contains { Set($0.map { $0[0] }).isSubset(of: Set(less.map { $0[0] })) }
                    #expect(isAnother || !Self.parses(less), "waypost \(path.joined(separator: " ")) does not need \(way[left])")
                }
            }
        }
        #expect(count > 60)
    }

    /// A value that a command cannot read is refused with what to write.
    @Test func saysWhatToWriteInsteadOfAWrongValue() {
        var count = 0
        for (path, command) in Self.commands() where command.configuration.subcommands.isEmpty {
            let help = WaypostCLI.helpMessage(for: command, columns: 1_000)
            let options = help.matches(of: #/(?m)^  (?:-[a-z], )?(--[a-z-]+) </#).map { [String($0.1), "@@"] }
            // As the first, second and third argument.
            let places = help.contains("ARGUMENTS:") ? [["@@"], ["x", "@@"], ["x", "x", "@@"]] : []
            for words in options + places {
                do { _ = try WaypostCLI.parseAsRoot(path + words) } catch {
                    let line = CommandLineWords(path + words).failure(WaypostCLI.message(for: error)).line
                    guard line.contains("'@@' is invalid") else { continue }
                    count += 1
                    let forms = ["write ", "use one of", "must be one", "has a number"]
                    #expect(forms.contains { line.contains($0) }, "\(line)")
                }
            }
        }
        #expect(count > 50)
    }

    /// A usage that is written by hand has all options of the help, and no others.
    @Test func namesAllOptions() {
        for (path, command) in Self.commands() where !command.configuration.usage.isNilOrEmpty {
            let lines = Self.lines(of: command).joined(separator: " ")
            let help = WaypostCLI.helpMessage(for: command, columns: 1_000)
            let named = Set(lines.matches(of: #/--[a-z-]+/#).map { String($0.0) })
            let listed = Set(help.matches(of: #/(?m)^  (?:-[a-z], )?(--[a-z-]+)/#).map { String($0.1) }).subtracting([
                "--help", "--version",
            ])
            #expect(named == listed, "\(path)")
        }
    }
}

extension String? {
    fileprivate var isNilOrEmpty: Bool { self?.isEmpty ?? true }
}
