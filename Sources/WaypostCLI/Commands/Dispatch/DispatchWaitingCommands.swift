import ArgumentParser
import Waypost
import WaypostControl
import WaypostSystem

/// `waypost dispatch export`: what waits, for a person or a file.
struct DispatchExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Print what waits for a destination as JSON lines; it stays queued.",
        usage: "waypost dispatch export (<destination> | --to <destination>) [--socket <path>]",
        discussion: """
            Events first, then positions, as servers get them; the seq of a position is its number in the log. At a server seq orders the \
            records of a lane; a gap is no loss, as some records are for other destinations. The destination may have been removed from the \
            configuration.

            Example: waypost dispatch export old-server > waiting.jsonl
            """)

    @OptionGroup var target: OneDispatchTarget

    func run() throws {
        let output = try OutputStream(path: "-", endsWithReader: true)
        var cursor: WaitingCursor?
        repeat {
            let answer = try target.daemon.ask(
                ExportQueueRequest(destination: target.destination, cursor: cursor), timeout: .seconds(60))
            for record in answer.records { try output.write(object: record) }
            cursor = answer.next
        } while cursor != nil
    }
}

/// `waypost dispatch move`: a destination was renamed, or another one takes its place.
struct DispatchMoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move",
        abstract: "Move the queue of a destination, and its dead letters, to another.",
        discussion: """
            The first may have been removed from the configuration, the second must be in it. What the second already has is sent to it again, \
            under the same ids.

            Example: waypost dispatch move old-server new-server
            """)

    @Argument(help: "The destination whose queue is moved.", completion: .destination, transform: NameValue.parse)
    var from: String

    @Argument(help: "The destination that gets it.", completion: .destination, transform: NameValue.parse)
    var to: String

    @OptionGroup var daemon: DaemonConnection

    func validate() throws {
        if from == to { throw ValidationError("name two destinations") }
    }

    func run() throws {
        let waiting = try WaitingCounts(of: from, daemon)
        _ = try daemon.ask(MoveQueueRequest(destination: from, target: to), timeout: .seconds(60))
        try OutputStream(path: "-").write(line: "moved \(waiting.words(withLetters: true)) from \(from) to \(to)")
    }
}

/// `waypost dispatch discard`: drop what waits.
struct DispatchDiscardCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "discard",
        abstract: "Discard the queue of a destination for good.",
        usage: "waypost dispatch discard (<destination> | --to <destination>) [--yes] [--socket <path>]",
        discussion: """
            The log keeps what is logged. A destination that was removed from the configuration is forgotten together with its dead letters. Asks \
            first when the destination is in the configuration, unless --yes is given; where there is no terminal to ask on, as in a script, --yes \
            is required (else exit code 64).

            Example: waypost dispatch discard old-server
            """)

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup var target: OneDispatchTarget

    func run() throws {
        let (destination, daemon) = (target.destination, target.daemon)
        let waiting = try WaitingCounts(of: destination, daemon)
        let words = waiting.words(withLetters: !waiting.isConfigured)
        if waiting.isConfigured, !yes {
            try Confirmation.ask(
                "Discard \(words) waiting for \(destination), which is in use, for good?", command: "dispatch discard",
                refusal: "nothing was discarded")
        }
        _ = try daemon.ask(DiscardQueueRequest(destination: destination), timeout: .seconds(60))
        try OutputStream(path: "-").write(line: "discarded \(words) of \(destination)")
    }
}

/// How much waits for a destination, a moment before it is moved or discarded.
private struct WaitingCounts {
    /// Whether the destination is in the configuration; false when that is unknown.
    let isConfigured: Bool
    private let destination: DestinationReport?

    init(of name: String, _ daemon: DaemonConnection) throws(CommandFailure) {
        let answer: DispatchStatusRequest.Answer
        do throws(CommandFailure) { answer = try daemon.ask(DispatchStatusRequest(), timeout: .seconds(10)) } catch {
            guard error.status == .notAuthorised else { throw error }
            // What this user may know is not what is missing for a change.
            throw CommandFailure(
                .notAuthorised, what: "tracker", why: "this user may not operate it",
                next: "use sudo, or join the group that may: \(CommandFailure.joinCommand(group: "waypost")), then log in again")
        }
        destination = answer.destinations.first { $0.name == name }
        isConfigured = destination.map { $0.state != .unconfigured } ?? false
    }

    /// `3 events and 12 positions`, with the dead letters where they are moved or discarded too.
    func words(withLetters: Bool) -> String {
        var parts = [counted(destination?.eventCount ?? 0, "event")]
        parts.append(destination?.positionCount.map { counted($0, "position") } ?? "all positions")
        let letters = destination?.deadLetterCount ?? 0
        if withLetters, letters > 0 { parts.append(counted(letters, "dead letter")) }
        return parts.count == 2 ? parts.joined(separator: " and ") : "\(parts[0]), \(parts[1]) and \(parts[2])"
    }
}
