import ArgumentParser
import Waypost
import WaypostControl
import WaypostPositioning
import WaypostSystem

/// `waypost dispatch status`: the state of the destinations.
struct DispatchStatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show each destination: last receipt, records sent and waiting, next attempt, and problems.",
        discussion: "Example: waypost dispatch status")

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var question: DispatchQuestion

    func run() throws {
        let request = DispatchStatusRequest(destination: question.destination)
        if json {
            let answer = try question.daemon.value(answering: request, timeout: .seconds(10))
            return try OutputStream(path: "-").write(value: answer)
        }
        let answer = try question.ask(request)
        let output = try OutputStream(path: "-")
        for line in DispatchTable(answer.destinations).lines { try output.write(line: line) }
        // A user who may not see the source sees the table all the same.
        let source = (try? question.daemon.ask(StatusRequest()))?.source  // See above.
        let names = answer.destinations.filter(\.isServed).map { printable($0.name) }
        if let source, let words = TestDrive.words(source: source.url, destinations: names) { try output.write(line: words) }
    }
}

extension DestinationReport {
    /// Whether what is recorded now is sent there.
    var isServed: Bool { state != .paused && state != .optedOut && state != .unconfigured }
}

/// A destination for people: `home, waiting: 3 events, 120 positions, next in 40 s`.
struct DestinationLine {
    let destination: DestinationReport

    init(_ destination: DestinationReport) {
        self.destination = destination
    }

    var text: String {
        var parts = [counted(destination.eventCount, "event")]
        parts.append(destination.positionCount.map { counted($0, "position") } ?? "positions that cannot be counted now")
        if destination.deadLetterCount > 0 { parts.append(destination.deadLetterWords) }
        if destination.droppedCount > 0 { parts.append("\(destination.droppedCount) dropped") }
        if destination.lateCount > 0 { parts.append("\(destination.lateCount) late") }
        if destination.isOnDemand { parts.append("on demand") }
        if destination.sendingSeconds == nil, let seconds = destination.nextSeconds {
            parts.append("next in \(spanText(seconds: seconds))")
        }
        if let reason = destination.reason { parts.append(reason) }
        if destination.state == .paused { parts.append("resume with waypost dispatch resume --to \(shellWord(destination.name))") }
        if destination.state == .unconfigured { parts.append(destination.unconfiguredAdvice) }
        let duration = destination.sendingSeconds.map { " for \(spanText(seconds: $0))" } ?? ""
        return "\(destination.name), \(destination.state)\(duration): \(parts.joined(separator: ", "))"
    }
}

extension DestinationReport {
    /// Whether it is no longer configured, and nothing waits for it.
    var isLeftBehind: Bool { state == .unconfigured && eventCount == 0 && positionCount == 0 && deadLetterCount == 0 }

    /// How many records it has refused for good, and how many of them are to be sent again.
    var deadLetterWords: String {
        let due =
            dueDeadLetterCount == 0
            ? "" : ", \(dueDeadLetterCount == deadLetterCount ? "" : "\(dueDeadLetterCount) of them ")to be sent again"
        return counted(deadLetterCount, "dead letter") + due
    }

    /// What to do about a destination that is no longer configured.
    var unconfiguredAdvice: String {
        if isLeftBehind { return "no longer configured, or without a url; nothing waits: waypost dispatch discard \(name) forgets it" }
        return "no longer configured, or without a url: waypost dispatch move, export or discard \(name)"
    }
}

/// `waypost dispatch list`: what a server refused.
struct DispatchListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the records that a server refused for good, with its reason.",
        discussion: """
            Shows the number, destination, time, kind and id of each record.

            Example: waypost dispatch list --to home
            """)

    @Flag(help: "Print one JSON object per record.")
    var json = false

    @OptionGroup var target: DispatchTarget

    func run() throws {
        let output = try OutputStream(path: "-", endsWithReader: true)
        var page = try target.question.ask(ListDeadLettersRequest(destination: target.destination))
        if page.letters.isEmpty, !json { SystemProcess.printError("waypost: dispatch list: no server has refused a record for good") }
        let format = json ? ScreenFormat() : target.question.daemon.format
        while !page.letters.isEmpty {
            for letter in page.letters {
                if json { try output.write(object: letter) } else { try output.write(line: DeadLetterLine(letter, format).text) }
            }
            guard let next = page.next else { return }
            page = try target.question.ask(ListDeadLettersRequest(destination: target.destination, after: next))
        }
    }
}

/// A refused record for people: `12 home 2026-11-22 16:25:01 track "delivered" t-4711: no such parcel (to be sent again)`.
struct DeadLetterLine {
    let text: String

    init(_ letter: DeadLetterEntry, _ format: ScreenFormat) {
        let time = letter.time.map { format.moment($0) } ?? "(no time)"
        let words = ["\(letter.number)", letter.destination, time, letter.kind, letter.name.map { "\"\($0)\"" }, letter.id].compactMap {
            $0
        }
        text = "\(words.joined(separator: " ")): \(letter.reason)\(letter.isRetrying ? " (to be sent again)" : "")"
    }
}

/// The number of a refused record on a command line, where people also write a destination's name.
enum DeadLetterNumber {
    /// - Parameter command: the command for all records of a destination.
    static func parse(_ text: String, _ command: String) throws -> UInt64 {
        guard let number = UInt64(text) else {
            throw ArgumentProblem(
                description: "a refused record has a number; for all of a destination: waypost \(command) --to \(shellWord(oneLine(text)))")
        }
        return number
    }
}

/// `waypost dispatch retry`: send what was refused once more.
struct DispatchRetryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Send refused records again.", discussion: "Example: waypost dispatch retry 12")

    @Argument(
        help: "The record's number in dispatch list; default: all.", transform: { try DeadLetterNumber.parse($0, "dispatch retry") })
    var number: UInt64?

    @OptionGroup var question: DispatchQuestion

    func run() throws {
        let count = try question.ask(RetryDeadLettersRequest(destination: question.destination, number: number)).count
        if count == 0, let number {
            throw CommandFailure(
                .inputMissing, what: "refused record \(number)", why: "there is no such record", next: "see waypost dispatch list")
        }
        SystemProcess.printError("waypost: dispatch retry: \(counted(count, "record")) to be sent again")
    }
}

/// `waypost dispatch drop`: remove what was refused.
struct DispatchDropCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drop", abstract: "Remove refused records for good.",
        usage: "waypost dispatch drop (<number> | --all) [--to <destination>] [--socket <path>]",
        discussion: "Example: waypost dispatch drop 12")

    @Argument(help: "The record's number in dispatch list.", transform: { try DeadLetterNumber.parse($0, "dispatch drop --all") })
    var number: UInt64?

    @Flag(help: "All of them.")
    var all = false

    @OptionGroup var question: DispatchQuestion

    func validate() throws {
        if (number == nil) != all { throw ValidationError("say which: a number, or --all") }
    }

    func run() throws {
        let count = try question.ask(DropDeadLettersRequest(destination: question.destination, number: number)).count
        if count == 0, let number {
            throw CommandFailure(
                .inputMissing, what: "refused record \(number)", why: "there is no such record", next: "see waypost dispatch list")
        }
        SystemProcess.printError("waypost: dispatch drop: \(counted(count, "record")) dropped for good")
    }
}
