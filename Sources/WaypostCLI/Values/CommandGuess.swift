import ArgumentParser
import Waypost

/// The command that was probably meant by a name that is unknown.
enum CommandGuess {
    /// Names that people use for one thing.
    private static let families = [
        ["erase", "remove", "delete", "rm", "drop", "discard", "unregister", "revoke"],
        ["list", "ls", "show", "view", "status", "info"], ["now", "send", "flush", "sync"], ["add", "new", "create"], ["run", "start"],
        ["check", "verify", "validate", "lint"],
    ]

    /// The names that lead to the command which was meant; nil when none is near, or more than one.
    ///
    /// - Parameter path: the names that lead to the group in which the name was looked for.
    static func path(for unknown: String, in command: any ParsableCommand.Type, _ path: [String]) -> [String]? {
        let names = command.configuration.subcommands.map { $0._commandName }
        if let near = nearestName(to: unknown, among: names) { return path + [near] }
        let family = families.first { $0.contains(unknown) } ?? []
        let own = names.filter(family.contains)
        if own.count == 1 { return path + own }
        // A command of that name in another group.
        let others = WaypostCLI.configuration.subcommands.flatMap { group in
            group.configuration.subcommands.map { [group._commandName, $0._commandName] }
        }.filter { $0[1] == unknown && path != [$0[0]] }
        return others.count == 1 ? others[0] : nil
    }
}
