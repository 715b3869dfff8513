import Waypost
import WaypostControl

/// A STATUS answer for people.
struct StatusScreen {
    private let status: JSONValue
    private let format: ScreenFormat

    /// The doctor's findings, when there has been no position for long.
    private let findings: [(check: String, finding: Finding)]

    init(_ status: JSONValue, _ format: ScreenFormat, findings: [(check: String, finding: Finding)] = []) {
        self.status = status
        self.format = format
        self.findings = findings
    }

    /// The indent of a line that is a command, which is never wrapped: people copy it.
    static let commandIndent = "              "

    /// The screen, line by line.
    var lines: [String] {
        var lines = ["waypostd \(string("version")), process \(number("pid")), up \(uptime): \(string("health"))"]
        if let source = status["source"] {
            let connected = source["connected"]?.string.map { " (\($0))" } ?? ""
            lines.append("source    \(source["url"]?.string ?? "?")\(connected): \(source["state"]?.string ?? "?")\(satellites(source))")
        }
        if status["problems"] == nil {
            lines.append("access    this user may see no more; use sudo, or join the group that may and log in again:")
            lines.append("\(StatusScreen.commandIndent)\(CommandFailure.joinCommand(group: PeerPolicy.trustedGroupName))")
        }
        for member in status["sources"]?.array ?? [] where member["active"]?.bool != true {
            lines.append("          \(member["url"]?.string ?? "?"): \(member["state"]?.string ?? "?")")
        }
        if let change = status["last_switch"], let from = change["from"]?.string, let reason = change["reason"]?.string {
            lines.append("          instead of \(from) for \(spanText(seconds: change["seconds_ago"]?.int ?? 0)): \(reason)")
        }
        if let following { lines.append("following \(following)") }
        if status["privacy"]?["private"]?.bool == true {
            lines.append("privacy   private mode is on: nothing is logged, sent or shared; to end it:")
            lines.append("\(StatusScreen.commandIndent)waypost private off")
        } else if status["privacy"]?["withheld"]?.bool == true {
            let isCoarse = status["privacy"]?["coarse"]?.bool == true
            let what =
                isCoarse ? "only one coarse place for the whole zone is logged, sent and shared" : "nothing is logged, sent or shared"
            lines.append("privacy   inside a privacy zone: \(what)")
        }
        if let position {
            let words = PositionLine(position, format).words
            lines.append("position  \(words[0])")
            lines.append(
                "          \(([words[1]] + [position.time.map { "at \(format.moment($0))" }].compactMap { $0 }).joined(separator: ", "))")
        } else if let place = LastPlace(status, format) {
            lines.append("position  none now; \(place.words)")
        }
        if let fences = status["fences"] { lines += fenceLines(fences) }
        if status["log"]?["off"]?.bool == true {
            lines.append("log       off ([log] types = []): positions are not kept")
        } else if let log = status["log"] {
            func count(_ name: String) -> Int { log[name]?.int ?? 0 }
            let state = log["recording"]?.bool == false ? ", paused" : ""
            lines.append(
                "log       \(log["directory"]?.string ?? "?")\(state): \(counted(count("positions"), "position")) in \(counted(count("segments"), "segment"))"
            )
            let others = [
                ("without time", "untimed"), ("not measured", "not_measured"), ("repeated", "repeated"), ("thinned", "thinned"),
                ("failed", "failed"),
            ]
            .filter { count($0.1) > 0 }.map { "\(count($0.1)) \($0.0)" }
            if let writes = log["writes"] {
                let bytes = ["journal_bytes", "gpx_bytes", "other_bytes"].reduce(0) { $0 &+ (writes[$1]?.int ?? 0) }
                var line = "          disk: \(counted(writes["fsyncs"]?.int ?? 0, "fsync")), \(sizeText(bytes: bytes))"
                if let fsyncs = writes["fsyncs_per_day"]?.int, let daily = writes["bytes_per_day"]?.int {
                    line += "; a day \(counted(fsyncs, "fsync")), \(sizeText(bytes: daily))"
                }
                lines.append(line)
            }
            if !others.isEmpty { lines.append("          not logged: \(others.joined(separator: ", "))") }
        }
        for (index, destination) in (status["destinations"]?.array ?? []).enumerated() {
            lines.append("\(index == 0 ? "dispatch  " : "          ")\(DestinationLine(destination).text)")
        }
        lines += (status["replaced"]?.array ?? []).compactMap(\.string).map { "config    \($0)" }
        let search = SearchWords(status)
        lines += search?.screenLines ?? []
        for (check, finding) in findings { lines.append("doctor    \(check): \(oneLine(finding.what, limit: 300))") }
        if !findings.isEmpty { lines += ["          for the commands that fix it:", "\(StatusScreen.commandIndent)sudo waypost doctor"] }
        // What was tried is shown above.
        let problems = (status["problems"]?.array ?? []).compactMap(\.string).filter { $0 != search.map { "no position: \($0.why)" } }
        lines += problems.map { "problem   \($0)" }
        return lines
    }

    private var position: Position? {
        // A position that this version cannot read is not shown; the rest is.
        guard let value = status["position"], case .position(let position)? = try? TPVCodec.decode(value) else { return nil }  // See above.
        return position
    }

    /// The fences, those the device is inside of, and the last events.
    private func fenceLines(_ fences: JSONValue) -> [String] {
        let inside = (fences["inside"]?.array ?? []).compactMap(\.string)
        let names = inside.isEmpty ? "" : ", inside \(inside.prefix(5).joined(separator: ", "))\(inside.count > 5 ? " and more" : "")"
        let events = (fences["events"]?.array ?? []).suffix(3).compactMap(TrackerEvent.init).map {
            "          \(EventLine($0, format).text)"
        }
        return ["fences    \(counted(fences["count"]?.int ?? 0, "fence"))\(names)"] + events
    }

    /// How closely the device is followed, and for whom; nothing while it is every fix for the tracker itself alone.
    private var following: String? {
        guard let following = status["following"] else { return nil }
        let reasons = (following["for"]?.array ?? []).compactMap { $0["reason"]?.string }.filter { $0 != "tracker" }
        let rest = following["stationary"]?.bool == true ? ", at rest" : ""
        let reason = reasons.isEmpty ? "" : ", for \(reasons.joined(separator: ", "))"
        switch following["pace"]?.string {
        case "asleep": return "the receiver sleeps for \(spanText(seconds: following["asleep_seconds"]?.int ?? 0)) more\(rest)\(reason)"
        case "sampling": return "one fix now and then\(rest)\(reason)"
        case "unneeded": return "nobody needs positions"
        default: return rest.isEmpty && reason.isEmpty ? nil : "every fix\(rest)\(reason)"
        }
    }

    private func satellites(_ source: JSONValue) -> String {
        guard let seen = source["satellites_seen"]?.int, let used = source["satellites_used"]?.int else { return "" }
        return ", \(used) of \(seen) satellites used"
    }

    private var uptime: String { spanText(seconds: status["uptime"]?.int ?? 0) }

    private func string(_ name: String) -> String { status[name]?.string ?? "?" }
    private func number(_ name: String) -> String { status[name]?.int.map { "\($0)" } ?? "?" }
}
