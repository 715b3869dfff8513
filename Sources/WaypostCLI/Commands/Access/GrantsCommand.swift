import ArgumentParser
import Waypost
import WaypostControl
import WaypostSystem

/// `waypost grants`: who may know the position, and who asks.
struct GrantsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "grants",
        abstract: "Show who may know the position, what each door gives, and who asks.",
        discussion: """
            One line per user, group or door, and where that is said. A user's own line counts before those of groups; of several groups the one that \
            allows most counts. Who does not operate the tracker sees their own lines.

            Example: waypost grants
            """)

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var daemon: DaemonConnection

    func run() throws {
        if json { return try OutputStream(path: "-").write(value: daemon.value(answering: ListGrantsRequest())) }
        let report = try daemon.ask(ListGrantsRequest())
        let output = try OutputStream(path: "-")
        for line in GrantsCommand.lines(report) { try output.write(line: line) }
    }

    /// The report for people.
    static func lines(_ report: GrantReport) -> [String] {
        var lines = [report.problem.map { "problem   \($0)" }].compactMap { $0 }
        lines.append("policy    \(printable(report.policy))\(report.hasPolicy ? "" : " (there is none)")")
        if report.grants.isEmpty { lines.append("grant     you may know nothing yet: waypost request --reason WHY asks for the position") }
        for grant in report.grants { lines.append("grant     \(printable(grant.who)) \(words(of: grant))") }
        for door in report.doors { lines.append("door      \(printable(door.name)) \(door.level.rawValue)") }
        for purpose in report.purposes.keys.sorted() {
            lines.append("purpose   \(printable(purpose)): \(printable(report.purposes[purpose]?.string ?? ""))")
        }
        for question in report.questions { lines += words(of: question) }
        return lines
    }

    private static func words(of grant: GrantEntry) -> String {
        var words = grant.purpose.map { "full while asked for, purpose \(printable($0))" } ?? grant.level.rawValue
        if grant.scope == .always, grant.level.isAllowed, grant.purpose == nil { words += ", always" }
        if let seconds = grant.seconds { words += ", for another \(spanText(seconds: seconds))" }
        switch grant.origin {
        case .builtIn: words += " (always so)"
        case .policy: words += " (policy)"
        default: break
        }
        return words
    }

    private static func words(of question: QuestionEntry) -> [String] {
        let who = printable(question.who)
        let process = question.processID.map { ", process \($0)" } ?? ""
        let what = question.purpose.map { "full accuracy for \(printable($0))" } ?? "the position"
        let reason = question.reason.map { ": \(printable($0))" } ?? ""
        let purpose = question.purpose.map { " --purpose \(shellWord($0))" } ?? ""
        return [
            "asks      \(who)\(process), for \(spanText(seconds: question.seconds)): \(what)\(reason)",
            "              sudo waypost grant \(shellWord(question.who)) full\(purpose)",
        ]
    }
}
