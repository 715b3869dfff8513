import ArgumentParser
import Waypost
import WaypostConfiguration
import WaypostSystem

/// The words of a command line, before parsing and when parsing fails.
struct CommandLineWords {
    private let words: [String]

    /// The words after the program's name.
    init(_ words: [String]) {
        self.words = words
    }

    /// The words with values that begin with a minus joined to their options: `--at -33.8,151.2` becomes `--at=-33.8,151.2`.
    ///
    /// A minus and a digit is a value where a value is due: no option of waypost is a number.
    var joined: [String] {
        var result: [String] = []
        for (index, word) in words.enumerated() {
            if word == "--" { return result + words[index...] }
            if let option = result.last, option.hasPrefix("--"), !option.contains("="), CommandLineWords.isNegative(word) {
                result[result.count - 1] = "\(option)=\(word)"
            } else {
                result.append(word)
            }
        }
        return result
    }

    /// Why a word that begins with one minus is nothing that waypost knows; nil when there is no such word.
    ///
    /// The parser reads the letters after one minus as options of one letter each: of a file called `-dash.nmea` it would take the h for help.
    var failureOfDash: CommandFailure? {
        let options = words.prefix { $0 != "--" }
        guard
            let word = options.first(where: { word in
                word.count > 2 && word.hasPrefix("-") && !word.hasPrefix("--") && !word.hasPrefix("-o")
                    && !CommandLineWords.isNegative(word)
                    && !word.dropFirst().allSatisfy(CommandLineWords.letters.contains)
            })
        else { return nil }
        let (_, path, _) = command
        // A file has a point or a slash in its name more often than an option has.
        let isFile = word.contains { ".,/".contains($0) }
        return CommandFailure(
            .usage, what: path.isEmpty ? "usage" : path.joined(separator: " "), why: "there is no option '\(oneLine(word))'",
            next: isFile ? "a file of that name is ./\(oneLine(word))" : "long options have two minuses: -\(oneLine(word))")
    }

    /// The options of one letter.
    private static let letters: Set<Character> = ["h", "f", "o", "y"]

    private static func isNegative(_ word: String) -> Bool {
        guard word.first == "-", let next = word.dropFirst().first else { return false }
        return next.isASCII && next.isNumber || next == "."
    }

    /// Why no help can be shown: the requested command does not exist; nil for everything else.
    var failureOfHelp: CommandFailure? {
        let isCommand = words.first == "help"
        guard isCommand || words.prefix(while: { $0 != "--" }).contains(where: { ["-h", "--help"].contains($0) }) else { return nil }
        let (command, path, unknown) = CommandLineWords(isCommand ? Array(words.dropFirst()) : words).command
        // After an option it may be the option's value.
        guard let unknown, let index = words.firstIndex(of: unknown), index == 0 || !words[index - 1].hasPrefix("-"),
            !command.configuration.subcommands.isEmpty
        else { return nil }
        return CommandLineWords.failure(ofUnknown: unknown, in: command, path)
    }

    private static func failure(ofUnknown unknown: String, in command: any ParsableCommand.Type, _ path: [String]) -> CommandFailure {
        let name = oneLine(unknown)
        var next = CommandGuess.path(for: unknown, in: command, path).map { "did you mean \($0.joined(separator: " "))?" }
        if command == DispatchCommandGroup.self, next == nil {
            next = "if it is a destination, waypost dispatch status --to \(shellWord(name)); see \(help(path))"
        }
        return CommandFailure(
            .usage, what: path.isEmpty ? "usage" : path.joined(separator: " "), why: "there is no command '\(name)'",
            next: next ?? "see \(help(path))")
    }

    private static func help(_ path: [String]) -> String { (["waypost"] + path + ["--help"]).joined(separator: " ") }

    /// The problem with the words in one line: `waypost: watch: WHY; see waypost watch --help`.
    ///
    /// - Parameter message: the parser's message, which may have several lines.
    func failure(_ message: String) -> CommandFailure {
        let (command, path, unknown) = command
        let what = path.isEmpty ? "usage" : path.joined(separator: " ")
        let isUnexpected = message.lowercased().contains("unexpected argument")
        if let unknown, !command.configuration.subcommands.isEmpty, isUnexpected {
            return CommandLineWords.failure(ofUnknown: unknown, in: command, path)
        }
        let help = CommandLineWords.help(path)
        let options = CommandOptions(of: [command] + [command.configuration.defaultSubcommand].compactMap { $0 })
        if let option = unknownOption(message, options) {
            if let line = lineWithCommandFirst {
                return CommandFailure(.usage, what: what, why: "options come after the command", next: "did you mean \(line)?")
            }
            let guess = options.guess(for: option).map { " (did you mean '\($0)'?)" } ?? ""
            return CommandFailure(.usage, what: what, why: "unknown option '\(oneLine(option))'\(guess)", next: "see \(help)")
        }
        var next = "see \(help)"
        if isUnexpected, let line = lineWithDestination(message, options) { next = "a destination is named so: \(line)" }
        return CommandFailure(.usage, what: what, why: CommandLineWords.joinedLines(message), next: next)
    }

    /// The first long option that nothing knows.
    ///
    /// The parser complains of what is missing first: to `page share --until 8h` it says that --for is missing.
    private func unknownOption(_ message: String, _ options: CommandOptions) -> String? {
        let names = words.prefix { $0 != "--" }.filter { $0.hasPrefix("--") }.map { String($0.prefix { $0 != "=" }) }
        if let name = names.first(where: { !options.contains($0) }) {
            // An option before the name of a subcommand is not this command's.
            guard command.unknown != nil, !command.command.configuration.subcommands.isEmpty else { return name }
        }
        guard message.hasPrefix("Unknown option '--") else { return nil }
        return message.split(separator: "'").dropFirst().first.map(String.init)
    }

    /// The line as it should be, where options stand before the name of a command.
    private var lineWithCommandFirst: String? {
        let names = Set(WaypostCLI.configuration.subcommands.map { $0._commandName })
        guard let index = words.firstIndex(where: names.contains), index > 0 else { return nil }
        let start = words[..<index].firstIndex { $0.hasPrefix("-") } ?? index
        guard start < index else { return nil }
        return parsable(Array(words[..<start] + words[index...] + words[start..<index]))
    }

    /// The words as a line for people; nil when the parser refuses them.
    private func parsable(_ line: [String]) -> String? {
        do { _ = try WaypostCLI.parseAsRoot(line) } catch { return nil }
        return "waypost \(line.map { shellWord(oneLine($0)) }.joined(separator: " "))"
    }

    /// The line as it should be, where a destination is named without --to.
    private func lineWithDestination(_ message: String, _ options: CommandOptions) -> String? {
        guard options.shown.contains(where: { $0.name == "--to" && $0.value == "destination" }),
            let name = message.split(separator: "'").dropFirst().first.map(String.init), let index = words.lastIndex(of: name)
        else { return nil }
        return parsable(Array(words[..<index] + ["--to"] + words[index...]))
    }

    /// The command that the words name, the names that lead to it, and the first word after them that is not an option.
    private var command: (command: any ParsableCommand.Type, path: [String], unknown: String?) {
        var command: any ParsableCommand.Type = WaypostCLI.self
        var path: [String] = []
        for word in words where !word.hasPrefix("-") {
            guard let next = command.configuration.subcommands.first(where: { $0._commandName == word }) else {
                return (command, path, word)
            }
            command = next
            path.append(word)
        }
        return (command, path, nil)
    }

    /// Joins a message of several lines into one: a list becomes `a, b, c`.
    private static func joinedLines(_ message: String) -> String {
        let lines = message.split(whereSeparator: \.isNewline).map { $0.drop { $0 == " " } }
        let items = lines.filter { $0.hasPrefix("- ") }.map { $0.dropFirst(2) }
        var sentences = lines.filter { !$0.hasPrefix("- ") }.joined(separator: " ")
        // The parser's messages are sentences; ours continues after them.
        sentences = sentences.replacing("Please provide one of the following:", with: "use one of:")
            .replacing("Please provide one of ", with: "use one of ").replacing(". use one of", with: "; use one of")
            .replacing("' and '", with: "' or '")
        // The parser's guesses are ours only where a long option is unknown.
        if let guess = sentences.firstMatch(of: #/\. Did you mean '[^']*'\?/#) { sentences.removeSubrange(guess.range) }
        if sentences.hasSuffix(".") { sentences.removeLast() }
        if let first = sentences.first, sentences.dropFirst().first?.isLowercase == true {
            sentences.replaceSubrange(...sentences.startIndex, with: first.lowercased())
        }
        return items.isEmpty ? sentences : "\(sentences) \(items.joined(separator: ", "))"
    }
}
