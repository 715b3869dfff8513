import Waypost

/// The destinations for people, one row each, in 80 columns; details of a destination follow below its row.
///
/// ```
/// destination  last receipt  sent  waiting  next       problem
/// home         12 s ago      1204  15       in 40 s    none
///   3 events and 12 positions wait
/// lab          not yet       0     3        on demand  failing
///   3 events wait; 401: who are you?
/// ```
struct DispatchTable {
    private let destinations: [JSONValue]

    private static let width = 80
    private static let head = ["destination", "last receipt", "sent", "waiting", "next", "problem"]

    /// A table of the answer to `dispatch status`.
    init(_ destinations: [JSONValue]) {
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

    private static func row(_ destination: JSONValue) -> [String] {
        let name = printable(destination["name"]?.string ?? "?")
        let receipt = destination["receipt_seconds_ago"]?.int.map { "\(spanText(seconds: $0)) ago" } ?? "not yet"
        let positions = destination["positions"]?.int
        let waiting = positions.map { "\($0 + (destination["events"]?.int ?? 0))" } ?? "?"
        let next =
            destination["on_demand"]?.bool == true
            ? "on demand" : destination["next_seconds"]?.int.map { "in \(spanText(seconds: $0))" } ?? "-"
        let state = destination["state"]?.string ?? "?"
        let problem = ["idle", "waiting", "sending"].contains(state) ? "none" : state
        return [name.count <= 22 ? name : name.prefix(21) + "…", receipt, "\(destination["sent"]?.int ?? 0)", waiting, next, problem]
    }

    /// The details that the row does not show; none when all is well.
    private static func details(of destination: JSONValue) -> [String] {
        func count(_ name: String) -> Int { destination[name]?.int ?? 0 }
        var parts: [String] = []
        let waiting = [(count("events"), "event"), (count("positions"), "position")].filter { $0.0 > 0 }
        if !waiting.isEmpty {
            let words = waiting.map { counted($0.0, $0.1) }.joined(separator: " and ")
            parts.append(words + (waiting.count == 1 && waiting[0].0 == 1 ? " waits" : " wait"))
        }
        if destination["positions"]?.int == nil { parts.append("the positions cannot be counted now") }
        if count("dead_letters") > 0 { parts.append("\(counted(count("dead_letters"), "dead letter")) (waypost dispatch list)") }
        if count("dropped") > 0 { parts.append("\(count("dropped")) dropped") }
        if count("late") > 0 { parts.append("\(count("late")) late") }
        if let reason = destination["reason"]?.string { parts.append(printable(reason)) }
        switch destination["state"]?.string {
        case "paused": parts.append("resume with waypost dispatch resume")
        case "unconfigured": parts.append("not in the configuration any more: waypost dispatch move, export or discard")
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
