import Waypost
import WaypostControl

/// The destinations for people, one row each, in 80 columns; details of a destination follow below its row.
///
/// ```
/// destination  last receipt  sent  waiting  next       problem
/// home         12 s ago      1204  15       in 40 s    none
///   3 events and 12 positions wait
/// lab          not yet       0     3        on demand  failing
///   3 events wait; 401: who are you?
/// slow         not yet       0     3        sending, for 12 s  none
///   3 events wait
/// ```
struct DispatchTable {
    private let destinations: [DestinationReport]

    private static let width = 80
    /// How many seconds an attempt may take without a word.
    private static let shortAttempt = 2
    private static let head = ["destination", "last receipt", "sent", "waiting", "next", "problem"]

    /// A table of the answer to `dispatch status`.
    init(_ destinations: [DestinationReport]) {
        self.destinations = destinations
    }

    /// Its lines.
    var lines: [String] {
        let rows = [DispatchTable.head] + destinations.map(DispatchTable.row)
        let widths = DispatchTable.head.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        var lines: [String] = []
        for (index, row) in rows.enumerated() {
            let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            lines.append(cells.joined(separator: "  ").dropTrailingSpaces)
            if index > 0 { lines += DispatchTable.wrapped(DispatchTable.details(of: destinations[index - 1])) }
        }
        return lines
    }

    private static func row(_ destination: DestinationReport) -> [String] {
        let name = printable(destination.name)
        let receipt =
            destination.receiptSecondsAgo.map { "\(spanText(seconds: $0)) ago" } ?? (destination.sentCount > 0 ? "before start" : "not yet")
        let waiting = destination.positionCount.map { "\($0 &+ destination.eventCount &+ destination.dueDeadLetterCount)" } ?? "?"
        let planned = destination.isOnDemand ? "on demand" : destination.nextSeconds.map { "in \(spanText(seconds: $0))" } ?? "-"
        let next = destination.sendingSeconds.map { $0 < shortAttempt ? "sending" : "sending, for \(spanText(seconds: $0))" } ?? planned
        let isWell = [.idle, .waiting, .sending].contains(destination.state)
        // An attempt that is under way has not mended what the last one met.
        let problem = !isWell ? destination.state.text : destination.reason == nil ? "none" : DestinationReport.State.retrying.text
        return [name.count <= 22 ? name : name.prefix(21) + "…", receipt, "\(destination.sentCount)", waiting, next, problem]
    }

    /// The details that the row does not show; none when all is well.
    private static func details(of destination: DestinationReport) -> [String] {
        var parts: [String] = []
        let waiting = [(destination.eventCount, "event"), (destination.positionCount ?? 0, "position")].filter { $0.0 > 0 }
        if !waiting.isEmpty {
            let words = waiting.map { counted($0.0, $0.1) }.joined(separator: " and ")
            parts.append(words + (waiting.count == 1 && waiting[0].0 == 1 ? " waits" : " wait"))
        }
        if destination.positionCount == nil { parts.append("the positions cannot be counted now") }
        if destination.deadLetterCount > 0 {
            parts.append("\(destination.deadLetterWords) (waypost dispatch list)")
        }
        if destination.droppedCount > 0 { parts.append("\(destination.droppedCount) dropped") }
        if destination.lateCount > 0 { parts.append("\(destination.lateCount) late") }
        if let reason = destination.reason { parts.append(printable(reason)) }
        switch destination.state {
        case .paused: parts.append("resume with waypost dispatch resume --to \(shellWord(destination.name))")
        case .optedOut: parts.append("nothing is sent or queued while opt_out of [dispatch] is on")
        case .unconfigured: parts.append(destination.unconfiguredAdvice)
        default: break
        }
        return parts
    }

    /// Words below a row, wrapped into lines that fit; a word that is longer than a line has its own.
    private static func wrapped(_ parts: [String]) -> [String] {
        guard !parts.isEmpty else { return [] }
        var lines: [String] = []
        for word in unbreakablePieces(parts.joined(separator: "; ")) {
            if let last = lines.last, last.count + 1 + word.count <= width {
                lines[lines.count - 1] += " \(word)"
            } else {
                lines.append("  \(word)")
            }
        }
        return lines
    }
}

extension String {
    fileprivate var dropTrailingSpaces: String {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
