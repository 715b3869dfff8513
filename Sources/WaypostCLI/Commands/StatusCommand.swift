import ArgumentParser
import Waypost
import WaypostControl
import WaypostSystem

/// `waypost status`: one screen about the running tracker.
struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show what the tracker does.",
        discussion: """
            After a minute without a position it also shows what the doctor finds.

            Exit code 0 when all is well, 1 when something is not, 69 when the tracker does not run.

            Example: waypost status --json
            """)

    @OptionGroup var daemon: DaemonConnection
    @OptionGroup var screen: ScreenOptions

    @Flag(help: "Print one JSON object.")
    var json = false

    func run() throws {
        var client = try daemon.connect()
        let line: [UInt8]
        let status: StatusReport
        do throws(ControlError) {
            line = try client.answer(to: StatusRequest())
        } catch {
            throw CommandFailure(error)
        }
        do throws(ControlAnswerError) { status = try StatusReport(line: line) } catch { throw CommandFailure(.unreadable(error)) }
        let findings = json ? [] : findings(status)
        var level: AuthorisationLevel?
        if !json, status.problems == nil {
            level = (try? client.ask(CapabilitiesRequest()))?.authorisation.level  // The status is shown without it, too.
        }
        let output = try OutputStream(path: "-")
        if json {
            try output.write(line: String(decoding: line, as: UTF8.self))
        } else {
            for line in StatusScreen(status, screen.format(of: status), level: level, findings: findings).lines {
                let columns = line.hasPrefix(StatusScreen.commandIndent) ? nil : output.screenColumns
                for part in wrapped(printable(line), columns: columns, indent: 10) { try output.write(line: part) }
            }
        }
        if status.health != .healthy { throw ExitCode(ExitStatus.failed.rawValue) }
    }

    /// The faults that the doctor finds, once there has been no position for a minute; without those that the status says itself.
    private func findings(_ status: StatusReport) -> [(check: String, finding: Finding)] {
        guard let search = SearchWords(status), search.seconds >= 60 else { return [] }
        return Doctor.examine(.ofThisSystem(status: status)).filter { ![FixCheck.name, StatusCheck.name].contains($0.check) }
            .flatMap { entry in entry.report.findings.map { (entry.check, $0) } }.filter { $0.1.level == .fault }
    }
}
