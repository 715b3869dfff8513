import Waypost
import WaypostSystem

/// The doctor's report, for people and for programs.
struct DoctorReport {
    let reports: [(check: String, report: CheckReport)]
    /// The folder of the system, when it is not this one.
    var root: String?
    /// Whether that is a card in a reader, for which the commands were rewritten.
    var isCard = false

    /// What evidence and commands begin with.
    static let detailIndent = "    "

    /// How many findings keep the tracker from working.
    var faultCount: Int { count(.fault) }

    private func count(_ level: Finding.Level) -> Int { reports.reduce(0) { $0 + $1.report.findings.count { $0.level == level } } }

    private var unchecked: [(check: String, reason: String)] {
        reports.compactMap { entry in entry.report.notChecked.map { (entry.check, $0) } }
    }

    /// What was not checked, one line for each reason.
    private var uncheckedLines: [String] {
        var reasons: [(reason: String, checks: [String])] = []
        for (check, reason) in unchecked {
            if let index = reasons.firstIndex(where: { $0.reason == reason }) {
                reasons[index].checks.append(check)
            } else {
                reasons.append((reason, [check]))
            }
        }
        return reasons.map { "not checked: \($0.checks.joined(separator: ", ")): \(oneLine($0.reason, limit: 200))" }
    }

    /// The lines for people: faults, notes, what was not checked, and the sum.
    var lines: [String] {
        var lines: [String] = []
        for level in [Finding.Level.fault, .note] {
            for (check, report) in reports {
                for finding in report.findings where finding.level == level {
                    lines.append("\(level.rawValue): \(check): \(oneLine(finding.what, limit: 400))")
                    lines += finding.evidence.map { "\(DoctorReport.detailIndent)evidence  \($0.words)" }
                    for (index, command) in finding.commands.enumerated() {
                        lines.append(DoctorReport.detailIndent + (index == 0 ? "fix       " : "          ") + command)
                    }
                    for (index, command) in finding.commandsThere.enumerated() {
                        lines.append(DoctorReport.detailIndent + (index == 0 ? "there     " : "          ") + command)
                    }
                }
            }
        }
        lines += uncheckedLines
        let well = reports.filter { $0.report == .well }.map(\.check)
        if !well.isEmpty { lines.append("ok: \(well.joined(separator: ", "))") }
        lines += whereToRun
        let notes = count(.note)
        let sum = faultCount == 0 ? "no fault" : counted(faultCount, "fault")
        lines.append(
            "\(sum)\(notes > 0 ? ", \(counted(notes, "note"))" : "")\(unchecked.isEmpty ? "" : ", \(unchecked.count) not checked")")
        return lines
    }

    /// Where to run the commands, when the examined system is not this one.
    private var whereToRun: [String] {
        guard let root = root.map({ oneLine($0, limit: 200) }) else { return [] }
        let findings = reports.flatMap(\.report.findings)
        let (isHere, isThere) = (findings.contains { !$0.commands.isEmpty }, findings.contains { !$0.commandsThere.isEmpty })
        if !isCard { return isHere ? ["the commands are for the system of \(root): run them there, not on this machine"] : [] }
        return (isHere ? ["fix: run these commands on this machine: they change the card at \(root)"] : [])
            + (isThere ? ["there: put the card back, start its system, and run these commands there"] : [])
    }

    /// The lines for programs: one `FINDING` each, then one `DOCTOR`.
    var jsonLines: [String] {
        var lines: [String] = []
        for (check, report) in reports {
            for finding in report.findings { lines.append(jsonObject { json in json.append(finding, of: check) }) }
        }
        lines.append(
            jsonObject { json in
                json.member("class", "DOCTOR")
                json.member("healthy", faultCount == 0)
                json.member("faults", faultCount)
                json.member("notes", count(.note))
                json.member("root", root)
                json.array("not_checked") { json in
                    for (check, reason) in unchecked {
                        json.object { json in
                            json.member("check", check)
                            json.member("reason", reason)
                        }
                    }
                }
            })
        return lines
    }
}

extension JSONWriter {
    fileprivate mutating func append(_ finding: Finding, of check: String) {
        member("class", "FINDING")
        member("check", check)
        member("level", finding.level.rawValue)
        member("what", finding.what)
        array("evidence") { json in
            for evidence in finding.evidence {
                json.object { json in
                    json.member("file", evidence.file)
                    json.member("line", evidence.line)
                    json.member("text", evidence.text)
                }
            }
        }
        array("commands") { json in for command in finding.commands { json.element(command) } }
        if !finding.commandsThere.isEmpty {
            array("commands_there") { json in for command in finding.commandsThere { json.element(command) } }
        }
    }
}
