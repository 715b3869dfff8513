import ArgumentParser
import Waypost
import WaypostControl
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
        let answer = try question.ask(.status)
        let output = try OutputStream(path: "-")
        if json { return try output.write(value: answer) }
        for line in DispatchTable(answer["destinations"]?.array ?? []).lines { try output.write(line: line) }
    }
}

/// A destination for people: `home, waiting: 3 events, 120 positions, next in 40 s`.
struct DestinationLine {
    let destination: JSONValue

    init(_ destination: JSONValue) {
        self.destination = destination
    }

    var text: String {
        func count(_ name: String) -> Int { destination[name]?.int ?? 0 }
        var parts = [counted(count("events"), "event")]
        parts.append(destination["positions"]?.int.map { counted($0, "position") } ?? "positions that cannot be counted now")
        if count("dead_letters") > 0 { parts.append(counted(count("dead_letters"), "dead letter")) }
        if count("dropped") > 0 { parts.append("\(count("dropped")) dropped") }
        if count("late") > 0 { parts.append("\(count("late")) late") }
        if destination["on_demand"]?.bool == true { parts.append("on demand") }
        if let seconds = destination["next_seconds"]?.int { parts.append("next in \(spanText(seconds: seconds))") }
        if let reason = destination["reason"]?.string { parts.append(reason) }
        if destination["state"]?.string == "unconfigured" {
            parts.append(
                "not in the configuration any more: waypost dispatch move, export or discard \(destination["name"]?.string ?? "?")")
        }
        return "\(destination["name"]?.string ?? "?"), \(destination["state"]?.string ?? "?"): \(parts.joined(separator: ", "))"
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

    @OptionGroup var question: DispatchQuestion

    func run() throws {
        let output = try OutputStream(path: "-")
        let letters = try question.ask(.list)["dead_letters"]?.array ?? []
        if letters.isEmpty, !json { SystemProcess.printError("waypost: dispatch list: no server has refused a record for good") }
        let format = json ? ScreenFormat() : question.daemon.format
        for letter in letters {
            if json {
                try output.write(value: letter)
                continue
            }
            try output.write(line: DeadLetterLine(letter, format).text)
        }
    }
}

/// A refused record for people: `12 home 2026-11-22 16:25:01 track "delivered" t-4711: no such parcel (to be sent again)`.
struct DeadLetterLine {
    let text: String

    init(_ letter: JSONValue, _ format: ScreenFormat) {
        let again = letter["retrying"]?.bool == true ? " (to be sent again)" : ""
        let time = letter["time"]?.string.map(format.moment) ?? "(no time)"
        var words = ["\(letter["number"]?.int ?? 0)", letter["destination"]?.string ?? "?", time]
        words += [letter["kind"]?.string, letter["name"]?.string.map { "\"\($0)\"" }, letter["id"]?.string].compactMap { $0 }
        text = "\(words.joined(separator: " ")): \(letter["reason"]?.string ?? "?")\(again)"
    }
}

/// `waypost dispatch retry`: send what was refused once more.
struct DispatchRetryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Send refused records again.", discussion: "Example: waypost dispatch retry 12")

    @Argument(help: "The record's number in dispatch list; default: all.")
    var number: UInt64?

    @OptionGroup var question: DispatchQuestion

    func run() throws {
        let count = try question.ask(.retry, number: number)["changed"]?.int ?? 0
        if count == 0, let number {
            throw CommandFailure(
                .inputMissing, what: "refused record \(number)", why: "there is no such record", next: "see waypost dispatch list")
        }
    }
}

/// `waypost dispatch drop`: remove what was refused.
struct DispatchDropCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drop", abstract: "Remove refused records for good.", discussion: "Example: waypost dispatch drop 12")

    @Argument(help: "The record's number in dispatch list.")
    var number: UInt64?

    @Flag(help: "All of them.")
    var all = false

    @OptionGroup var question: DispatchQuestion

    func validate() throws {
        if (number == nil) != all { throw ValidationError("say which: a number, or --all") }
    }

    func run() throws {
        let count = try question.ask(.drop, number: number)["changed"]?.int ?? 0
        if count == 0, let number {
            throw CommandFailure(
                .inputMissing, what: "refused record \(number)", why: "there is no such record", next: "see waypost dispatch list")
        }
    }
}
