import ArgumentParser
import Waypost
import WaypostConfiguration
import WaypostControl
import WaypostSystem

/// `waypost doctor`: the problems of the set-up, and what fixes them.
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Find out why the tracker does not work, and how to fix it.",
        discussion: """
            Checks what users ask about most: a console on the receiver's port, the UART of a Raspberry Pi, ModemManager, gpsd, two readers, \
            wrong speeds, groups, a log folder in memory, a full disk, the clock, no fix, the antenna. It opens no port and changes nothing. \
            Each fault comes with its evidence and the commands that fix it. Exit code 0 when there is no fault, else 1; checks that could not \
            be made are listed and do not count. Only root can see some of it.

            Example: sudo waypost doctor
            """)

    @Option(
        help: ArgumentHelp(
            "Check a mounted card or a saved system tree instead of this system; says where to run the commands.", valueName: "folder"),
        completion: .directory)
    var root: String?

    @Flag(help: "Print one JSON object per finding, and one about the whole.")
    var json = false

    @OptionGroup var daemon: DaemonConnection

    func run() throws {
        let facts = try facts()
        var reports = Patience.during("checking this system") { Doctor.examine(facts) }
        let card = CardCommands(facts)
        if let card {
            reports = reports.map { entry in
                var report = entry.report
                report.findings = report.findings.map(card.rewritten)
                return (entry.check, report)
            }
        }
        let output = try OutputStream(path: "-")
        let text = DoctorReport(reports: reports, root: root, isCard: card != nil)
        let columns = json ? nil : output.screenColumns
        for line in json ? text.jsonLines : text.lines {
            // Evidence and commands are copied: they stay whole.
            let isWhole = line.hasPrefix(DoctorReport.detailIndent)
            for part in wrapped(line, columns: isWhole ? nil : columns, indent: DoctorReport.detailIndent.count) {
                try output.write(line: part)
            }
        }
        if text.faultCount > 0 { throw ExitCode(ExitStatus.failed.rawValue) }
    }

    private func facts() throws(CommandFailure) -> SystemFacts {
        if let root {
            guard Syscalls.isFolder(root) else {
                throw CommandFailure(
                    .inputMissing, what: root, why: "is not a folder", next: "name the root of a saved system tree or of a mounted card")
            }
            let path = Syscalls.resolvingLinks(root)
            let tree = SystemTree(root: path == "/" ? "" : path)
            return SystemFacts(tree: tree, measurements: Measurements(saved: tree))
        }
        return SystemFacts.ofThisSystem(status: status())
    }

    /// The tracker's status; nil when it does not run, or does not answer this user.
    private func status() -> StatusReport? {
        do throws(ControlError) {
            var client = try daemon.connectIfRunning()
            return try client.ask(StatusRequest())
        } catch {
            return nil  // The checks that ask for it say that they do not know.
        }
    }
}
