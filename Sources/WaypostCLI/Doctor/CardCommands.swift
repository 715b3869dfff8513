import Waypost
import WaypostSystem

/// The commands for a card in a reader, adapted to this machine.
///
/// The doctor's checks name files and services as the card's system has them. Commands that change files are rewritten for the card's mount
/// point; what takes effect at the next start anyway is left out; the rest has to be run on the card's own system.
struct CardCommands {
    private let tree: SystemTree

    /// For a mounted card; nil for this system, and for a saved copy of one, because changing a copy fixes nothing.
    init?(_ facts: SystemFacts) {
        let isRunning = facts.programs?.isEmpty == false || facts.tree.exists("/proc/mounts")
        guard !facts.tree.root.isEmpty, !isRunning, !facts.tree.exists("/commands") else { return nil }
        tree = facts.tree
    }

    /// The finding with its commands rewritten.
    func rewritten(_ finding: Finding) -> Finding {
        var rewritten = finding
        rewritten.commands = []
        for (index, command) in finding.commands.enumerated() {
            // What a package brings is not on the card yet.
            if command.hasPrefix("sudo apt-get install ") {
                rewritten.commandsThere += finding.commands[index...]
                break
            }
            switch place(of: command) {
            case .here(let command): rewritten.commands.append(command)
            case .nextStart: break
            case .there: rewritten.commandsThere.append(command)
            }
        }
        return rewritten
    }

    private enum Place {
        /// On this machine, as rewritten.
        case here(String)
        /// The next start of the card's system does it.
        case nextStart
        /// On the card's own system.
        case there
    }

    private func place(of command: String) -> Place {
        let words = command.split(separator: " ").map(String.init)
        guard words.first == "sudo" || command.contains(" | sudo tee ") || words.first == "sudoedit" else { return .there }
        switch words.dropFirst().first {
        case "sed": return .here((words.dropLast() + [path(words.last ?? "")]).joined(separator: " "))
        case "mkdir": return .here((words.prefix(3) + words.dropFirst(3).map(path)).joined(separator: " "))
        case "usermod": return .here((["sudo usermod --prefix", shellWord(tree.root)] + words.dropFirst(2)).joined(separator: " "))
        case "reboot": return .nextStart
        case "systemctl":
            switch words.dropFirst(2).first {
            case "restart", "daemon-reload": return .nextStart
            case let action? where ["enable", "disable", "unmask"].contains(action):
                let units = words.dropFirst(3).filter { $0 != "--now" }
                return .here((["sudo systemctl", "--root=\(shellWord(tree.root))", action] + units).joined(separator: " "))
            default: return .there
            }
        default: break
        }
        if words.first == "sudoedit", words.count == 2 { return .here("sudoedit \(path(words[1]))") }
        if command.contains(" | sudo tee "), let file = words.last { return .here(command.dropLast(file.count) + path(file)) }
        return .there
    }

    /// Where a file of the card's system is on this machine.
    private func path(_ file: String) -> String { shellWord(tree.root + tree.resolved(file)) }
}
