import ArgumentParser
import Waypost
import WaypostControl
import WaypostSystem

/// `waypost ledger`: what became of fixes and events.
struct LedgerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ledger",
        abstract: "Show what happened to fixes and events: logged, queued, sent, received, or left out and why.",
        usage: "waypost ledger [--id <id> | --since <time> [--until <time>]] [--json] [--socket <path>] [--units <units>]",
        discussion: """
            Without --id and --since, those of the last ten minutes. One line per record, the newest last: time, kind, its number in the log, and for each destination queued, sent (no receipt yet), receipt, refused \
            (see waypost dispatch list), dropped (refused, and dropped with waypost dispatch drop), unwanted (the destination began later, its queue was discarded or moved, it accepts no positions, or cannot \
            express it), or forgotten (settled so long ago that no more is known). Fixes that were left out in this run of the tracker are shown as stretches, \
            and so are records that a damaged journal has lost. Of a day and a time that come twice, because the clocks are set back, --since is the \
            first and --until the second.

            Example: waypost ledger

            Example: waypost ledger --since 2026-11-22T08:00:00Z --until 2026-11-22T09:00:00Z
            """)

    @Option(help: ArgumentHelp("Only the record with this id.", valueName: "id"), transform: NameValue.parse)
    var id: String?

    @Option(help: ArgumentHelp("Everything since then: \(MomentText.forms).", valueName: "time"), transform: MomentValue.parse)
    var since: MomentText?

    @Option(help: ArgumentHelp("Only what was before that moment, in the same forms.", valueName: "time"), transform: MomentValue.parse)
    var until: MomentText?

    @Flag(help: "Print one JSON object per record.")
    var json = false

    @OptionGroup var daemon: DaemonConnection
    @OptionGroup var screen: ScreenOptions

    func validate() throws {
        if id != nil, since != nil || until != nil { throw ValidationError("--id stands alone: leave out --since and --until") }
        if until != nil, since == nil { throw ValidationError("--until needs --since") }
    }

    func run() throws {
        let output = try OutputStream(path: "-", endsWithReader: true)
        let format = screen.format(by: daemon)
        if let id {
            guard let record = try daemon.ask(LedgerRequest(.record(id: id))).records.first else {
                throw CommandFailure(
                    .inputMissing, what: "record \"\(id)\"", why: "it is neither in the log nor in the outbox",
                    next: "see waypost ledger --since TIME")
            }
            return try write(record, format, to: output)
        }
        let recent = UTCTime(millisecondsSince1970: WallClock.milliseconds &- LedgerCommand.usualSpanMilliseconds)
        var (since, until) = (try since?.time(of: "--since", by: format.zone) ?? recent, nil as UTCTime?)
        if let from = self.since, let to = self.until {
            let stretch = try MomentText.stretch(from, to, by: format)
            (since, until) = (stretch.from, stretch.until)
        }
        var count = 0
        var order = LedgerOrder()
        var next: LedgerCursor? = .first
        while let cursor = next {
            let answer = try daemon.ask(LedgerRequest(.since(since, cursor), until: until), timeout: .seconds(60))
            for record in answer.records {
                // A stretch belongs to the moment at which it begins.
                if let until, let time = record.time ?? record.from, time >= until { continue }
                count += 1
                if case .outbox = cursor {
                    order.hold(record)
                } else {
                    for record in order.next(record) { try write(record, format, to: output) }
                }
            }
            next = answer.next
        }
        for record in order.rest() { try write(record, format, to: output) }
        if count == 0, !json {
            SystemProcess.printError(
                "waypost: ledger: there is no record "
                    + (until.map { format.stretch(from: since, until: $0) }
                        ?? "since \(format.moment(since)) (\(format.zoneName(at: since)))"))
        }
    }

    /// What a person looks at who has just seen something happen.
    private static let usualSpanMilliseconds: Int64 = 600_000

    private func write(_ record: LedgerRecord, _ format: ScreenFormat, to output: borrowing OutputStream) throws {
        if json { try output.write(object: record) } else { try output.write(line: LedgerText(record, format).text) }
    }
}

/// A line of the ledger for people.
struct LedgerText {
    let record: LedgerRecord
    let format: ScreenFormat

    init(_ record: LedgerRecord, _ format: ScreenFormat) {
        self.record = record
        self.format = format
    }

    var text: String {
        if record.kind == LedgerRecord.leftOut {
            let times = [record.from, record.to].map { $0.map { format.moment($0) } ?? "?" }.joined(separator: " to ")
            return "\(times)  \(counted(record.count ?? 0, "position")) left out: \(record.reason ?? "?")"
        }
        if record.kind == LedgerRecord.lost { return lost }
        var parts = [record.time.map { format.moment($0) } ?? "(no time)", record.kind]
        if let name = record.name { parts.append("\"\(name)\"") }
        parts.append(record.id ?? "?")
        if let number = record.logNumber {
            parts.append("logged (\(number))")
        } else if record.isLogged == false {
            parts.append("not logged")
        }
        return ([parts.joined(separator: "  ")] + (record.destinations ?? []).map(words)).joined(separator: "; ")
    }

    private var lost: String {
        let number = record.logNumber.map(String.init) ?? "?"
        let reason = record.reason ?? "?"
        if let id = record.id {
            return (["\(id)  lost (\(number)): \(reason)"] + (record.destinations ?? []).map(words)).joined(separator: "; ")
        }
        let count = record.count.map { "up to \(counted($0, "record"))" } ?? "records"
        let numbers = record.lastLogNumber.map { "(\(number) to \($0))" } ?? "(\(number))"
        return "\(count) lost \(numbers): \(reason)"
    }

    private func words(_ delivery: LedgerRecord.Delivery) -> String {
        switch delivery.state {
        case .receipt:
            let time = delivery.time.map { " at \(format.moment($0))" } ?? ""
            return "\(delivery.name): receipt\(time) (\(delivery.answer ?? "?"))"
        case .refused, .dropped: return "\(delivery.name): \(delivery.state) (\(delivery.reason ?? "?"))"
        default: return "\(delivery.name): \(delivery.state)"
        }
    }
}
