import ArgumentParser
import Waypost
import WaypostControl
import WaypostSystem

/// `waypost ledger`: what became of fixes and events.
struct LedgerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ledger",
        abstract: "Show what happened to fixes and events: logged, queued, sent, received, or left out and why.",
        discussion: """
            One line per record: time, kind, its number in the log, and for each destination queued, sent (no receipt yet), receipt, refused \
            (see waypost dispatch list), unwanted (the destination began later, its queue was discarded or moved, it takes no positions, or cannot \
            express it), or forgotten (settled so long ago that no more is known). Fixes that were left out in this run of the tracker are shown as stretches.

            Example: waypost ledger --since 2026-11-22T08:00:00Z
            """)

    @Option(help: ArgumentHelp("Only the record with this id.", valueName: "id"))
    var id: String?

    @Option(help: ArgumentHelp("Everything since then: \(MomentText.forms).", valueName: "time"), transform: MomentValue.parse)
    var since: MomentText?

    @Flag(help: "Print one JSON object per record.")
    var json = false

    @OptionGroup var daemon: DaemonConnection
    @OptionGroup var screen: ScreenOptions

    func validate() throws {
        if (id == nil) == (since == nil) { throw ValidationError("say which: --id ID or --since TIME") }
    }

    func run() throws {
        let output = try OutputStream(path: "-")
        let format = screen.format(by: daemon)
        if let id {
            let records = try daemon.ask(.ledger(.record(id: id)))["records"]?.array ?? []
            guard let record = records.first else {
                throw CommandFailure(
                    .inputMissing, what: "record \"\(id)\"", why: "it is neither in the log nor in the outbox",
                    next: "see waypost ledger --since TIME")
            }
            return try write(record, format, to: output)
        }
        guard let since = since?.time(by: format.zone) else { return }
        var page: ControlRequest.LedgerPage? = .outbox(0)
        while let current = page {
            let answer = try daemon.ask(.ledger(.since(since, current)), timeoutMilliseconds: 60_000)
            for record in answer["records"]?.array ?? [] { try write(record, format, to: output) }
            page = answer["next"]?.string.flatMap(ControlRequest.LedgerPage.init(text:))
        }
    }

    private func write(_ record: JSONValue, _ format: ScreenFormat, to output: borrowing OutputStream) throws {
        if json { try output.write(value: record) } else { try output.write(line: LedgerText(record, format).text) }
    }
}

/// A line of the ledger for people.
struct LedgerText {
    let record: JSONValue
    let format: ScreenFormat

    init(_ record: JSONValue, _ format: ScreenFormat) {
        self.record = record
        self.format = format
    }

    var text: String {
        let kind = record["kind"]?.string ?? "?"
        if kind == "filtered" {
            let times = [record["from"], record["to"]].map { $0?.string.map(format.moment) ?? "?" }.joined(separator: " to ")
            return "\(times)  \(counted(record["count"]?.int ?? 0, "position")) left out: \(record["reason"]?.string ?? "?")"
        }
        var parts = [record["time"]?.string.map(format.moment) ?? "(no time)", kind]
        if let name = record["name"]?.string { parts.append("\"\(name)\"") }
        parts.append(record["id"]?.string ?? "?")
        if let number = record["seq"]?.int {
            parts.append("logged (\(number))")
        } else if record["logged"]?.bool == false {
            parts.append("not logged")
        }
        let destinations = (record["destinations"]?.array ?? []).map(words)
        return ([parts.joined(separator: "  ")] + destinations).joined(separator: "; ")
    }

    private func words(_ destination: JSONValue) -> String {
        let name = destination["name"]?.string ?? "?"
        let state = destination["state"]?.string ?? "?"
        switch state {
        case "receipt":
            let time = destination["time"]?.string.map { " at \(format.moment($0))" } ?? ""
            return "\(name): receipt\(time) (\(destination["answer"]?.string ?? "?"))"
        case "refused": return "\(name): refused (\(destination["reason"]?.string ?? "?"))"
        default: return "\(name): \(state)"
        }
    }
}
