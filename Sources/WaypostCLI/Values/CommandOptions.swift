import ArgumentParser
import Waypost

/// The options of a command, as its help lists them.
struct CommandOptions {
    /// One option.
    struct Option {
        /// Its long name, with both minuses.
        let name: String
        /// The name of its value; nil for a flag.
        let value: String?
    }

    /// Those that the help shows.
    let shown: [Option]
    private let known: Set<String>

    /// Options that the parser itself takes, which no help lists.
    private static let parsersOwn = ["--help", "--help-hidden", "--version", "--generate-completion-script", "--experimental-dump-help"]

    /// The options of commands that are given on one line.
    init(of commands: [any ParsableCommand.Type]) {
        shown = commands.flatMap { CommandOptions.read($0, includesHidden: false) }.filter { !CommandOptions.parsersOwn.contains($0.name) }
        known = Set(commands.flatMap { CommandOptions.read($0, includesHidden: true) }.map(\.name) + CommandOptions.parsersOwn)
    }

    /// Whether the parser takes an option of that name.
    func contains(_ name: String) -> Bool { known.contains(name) }

    /// The option that was probably meant by a name that is unknown here; nil when none is near, as a wrong guess is worse than none.
    func guess(for name: String) -> String? {
        let word = String(name.drop { $0 == "-" })
        // A word of a family is no misspelling: --for is not --from.
        if let family = OptionFamily(of: word) { return family.option(among: shown)?.name }
        // What confirms an order is never the guess for another word.
        let names = shown.map { String($0.name.dropFirst(2)) }.filter { $0 != "yes" }
        let beginnings = names.filter { word.count >= 3 && $0.hasPrefix(word) }
        return (beginnings.count == 1 ? beginnings.first : nearestName(to: word, among: names)).map { "--\($0)" }
    }

    /// Reads the lines of a help that begin with an option: `  -o, --output <out>      The file to write`.
    private static func read(_ command: any ParsableCommand.Type, includesHidden: Bool) -> [Option] {
        let help = WaypostCLI.helpMessage(for: command, includeHidden: includesHidden, columns: 400)
        return help.split(separator: "\n").flatMap { line -> [Option] in
            guard line.hasPrefix("  -") else { return [] }
            let label = line.dropFirst(2).split(separator: "  ", maxSplits: 1).first ?? ""
            let value = label.firstIndex(of: "<").map { String(label[$0...].dropFirst().prefix { $0 != ">" }) }
            let names = label.split(whereSeparator: { " ,/".contains($0) }).filter { $0.hasPrefix("--") }
            return names.map { Option(name: String($0), value: value) }
        }
    }
}
