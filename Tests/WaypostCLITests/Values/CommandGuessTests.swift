import ArgumentParser
import Testing
import Waypost

@testable import WaypostCLI

/// What is suggested for an unknown option or command: the right one, or the help, never another one.
@Suite struct CommandGuessTests {
    /// The commands that do something, by their words.
    private static func leaves(_ command: any ParsableCommand.Type = WaypostCLI.self, _ path: [String] = []) -> [[String]] {
        let own = command.configuration.subcommands.flatMap { leaves($0, path + [$0._commandName]) }
        return own.isEmpty || path == ["page"] ? [path] + own : own
    }

    /// The options that mean what a word says, by the command.
    ///
    /// Written by hand from what the commands do; all others have none.
    private static let meant: [String: [String: String]] = [
        "watch": ["duration": "--timeout", "wait": "--timeout"],
        "log export": ["begin": "--since", "end": "--until"], "log erase": ["begin": "--since", "end": "--until"],
        "ledger": ["begin": "--since", "end": "--until"],
        "dispatch now": ["duration": "--timeout", "wait": "--timeout"], "dispatch drain": ["duration": "--timeout", "wait": "--timeout"],
        "doctor": ["end": "--for", "duration": "--for", "wait": "--for"], "grant": ["end": "--for", "duration": "--for", "wait": "--for"],
        "hold": ["end": "--for", "duration": "--for", "wait": "--for"],
        "page share": ["end": "--for", "duration": "--for", "wait": "--for"],
        "request": ["duration": "--timeout", "wait": "--timeout"], "attach": ["duration": "--timeout", "wait": "--timeout"],
        "request-full": ["end": "--for", "duration": "--for", "wait": "--timeout"],
    ]

    private static let words: [(family: String, words: [String])] = [
        ("begin", ["since", "from", "after"]), ("end", ["until", "to", "before"]), ("duration", ["for", "seconds", "duration"]),
        ("wait", ["timeout", "wait", "budget"]),
    ]

    /// What is said to a line; nil when it parses.
    private static func answer(to line: [String]) -> String? {
        do {
            _ = try WaypostCLI.parseAsRoot(CommandLineWords(line).joined)
            return nil
        } catch {
            return CommandLineWords(line).failure(WaypostCLI.message(for: error)).line
        }
    }

    private static func suggestion(in answer: String) -> Substring? { answer.firstMatch(of: #/did you mean '(--[a-z-]+)'/#)?.1 }

    @Test func namesTheRightOptionOfAFamilyOrTheHelp() throws {
        let leaves = Self.leaves()
        #expect(leaves.count > 60)
        var tried = 0
        for path in leaves {
            let command = path.joined(separator: " ")
            for (family, words) in Self.words {
                for word in words {
                    guard let answer = Self.answer(to: path + ["--\(word)", "3"]) else { continue }
                    guard answer.contains("unknown option '--\(word)'") else {
                        // It is an option here: something else is wrong with the line.
                        #expect(!answer.contains("unknown option"), "\(command) --\(word): \(answer)")
                        continue
                    }
                    tried += 1
                    #expect(Self.suggestion(in: answer) == Self.meant[command]?[family].map { $0[...] }, "\(command) --\(word): \(answer)")
                    #expect(answer.hasSuffix("see waypost \(command) --help"), "\(command) --\(word): \(answer)")
                }
            }
        }
        #expect(tried > 500)
    }

    @Test(arguments: [
        ("watch --for 3", "watch: unknown option '--for' (did you mean '--timeout'?); see waypost watch --help"),
        ("log export --from today", "log export: unknown option '--from' (did you mean '--since'?); see waypost log export --help"),
        ("page share --until 8h", "page share: unknown option '--until' (did you mean '--for'?); see waypost page share --help"),
        ("page share --until=8h", "page share: unknown option '--until' (did you mean '--for'?); see waypost page share --help"),
        ("convert --since today", "convert: unknown option '--since'; see waypost convert --help"),
        ("log list --bogus", "log list: unknown option '--bogus'; see waypost log list --help"),
        ("dispatch discard home --yess", "dispatch discard: unknown option '--yess'; see waypost dispatch discard --help"),
        ("log export --folow", "log export: unknown option '--folow' (did you mean '--follow'?); see waypost log export --help"),
        ("watch --signif", "watch: unknown option '--signif' (did you mean '--significant'?); see waypost watch --help"),
    ]) func saysIt(line: String, answer: String) {
        #expect(Self.answer(to: line.split(separator: " ").map(String.init)) == "waypost: \(answer)")
    }

    /// A name that shares little with what a command has gets its help.
    @Test func guessesNothingFar() {
        for path in Self.leaves() {
            for word in ["bogus", "zz"] {
                let answer = Self.answer(to: path + ["--\(word)"])
                #expect(answer.flatMap(Self.suggestion) == nil, "\(path) --\(word): \(answer ?? "")")
            }
        }
    }

    /// Every option is found again with two letters swapped.
    @Test func findsMisspeltOptions() {
        var count = 0
        for path in Self.leaves() {
            let command = path.reduce(WaypostCLI.self as any ParsableCommand.Type) { group, name in
                group.configuration.subcommands.first { $0._commandName == name } ?? group
            }
            let help = WaypostCLI.helpMessage(for: command, columns: 200)
            for name in help.matches(of: #/(?m)^  (?:-[a-z], )?--([a-z-]{5,})/#).map(\.1) where !["version", "help"].contains(name) {
                var letters = Array(name)
                letters.swapAt(2, 3)
                // "untis" is as near to until as to units.
                guard letters != Array(name), path != ["ledger"] else { continue }
                count += 1
                let answer = Self.answer(to: path + ["--\(String(letters))"]) ?? ""
                #expect(Self.suggestion(in: answer) == "--\(name)", "\(path) --\(String(letters)): \(answer)")
            }
        }
        #expect(count > 100)
    }

    @Test(arguments: [
        ("log delete", "did you mean log erase?"), ("fences rm", "did you mean fences remove?"), ("log show", "did you mean log list?"),
        ("dispatch send", "did you mean dispatch now?"), ("config validate", "did you mean config check?"),
        ("start", "did you mean run?"), ("share", "did you mean page share?"), ("drain", "did you mean dispatch drain?"),
        // More than one may be meant.
        ("export", "see waypost --help"), ("dispatch delete", "see waypost dispatch --help"), ("log home", "see waypost log --help"),
        ("dispatch xyzzy qux", "if it is a destination, waypost dispatch status --to xyzzy; see waypost dispatch --help"),
        ("dispatch now home extra", "see waypost dispatch now --help"), ("playback xyzzy", "see waypost playback --help"),
    ]) func guessesCommands(line: String, end: String) {
        let answer = Self.answer(to: line.split(separator: " ").map(String.init)) ?? ""
        #expect(answer.hasSuffix("; \(end)"), "\(answer)")
    }
}
