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
            be made are listed and do not count. Only root can see some of it. With --bench it measures the board, its disk and the running \
            tracker instead, and prints a text to send to somebody without such a board: without a position, and with a checksum as its last line.

            Example: sudo waypost doctor
            Example: sudo waypost doctor --bench
            """)

    @Option(
        help: ArgumentHelp(
            "Check a mounted card or a saved system tree instead of this system; says where to run the commands.", valueName: "folder"),
        completion: .directory, transform: PathValue.parse)
    var root: String?

    @Flag(help: "Print one JSON object per finding, and one about the whole.")
    var json = false

    @Flag(help: "Measure this board, its disk and the running tracker; takes a minute or so.")
    var bench = false

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("How long --bench watches the tracker, at most 1h: \(SpanValue.forms). (default: 1min)", valueName: "span"),
        transform: SpanValue.parse)
    var span: Duration?

    @Option(help: .otherName(of: "for"), transform: SpanValue.parse)
    var seconds: Duration?

    @OptionGroup var daemon: DaemonConnection

    func validate() throws {
        if bench, root != nil || json { throw ValidationError("--bench measures this system, as text: leave out --root and --json") }
        guard let watched = try OptionNames.optional(span, "--for", seconds, "--seconds") else { return }
        if !bench { throw ValidationError("--for is for --bench") }
        guard watched >= .seconds(1), watched <= .seconds(3_600) else { throw ValidationError("--for must be from 1s to 1h") }
    }

    func run() throws {
        if bench {
            let output = try OutputStream(path: "-")
            for line in measure().text.split(separator: "\n") { try output.write(line: String(line)) }
            return
        }
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
        do throws(ControlError) {
            return SystemFacts.ofThisSystem(status: try answer())
        } catch {
            let silence = TrackerSilence(socket: daemon.path, isNamed: daemon.namedSocket != nil, cause: error)
            return SystemFacts.ofThisSystem(status: nil, silence: silence)
        }
    }

    /// Measures this system: what needs a quiet processor first, then the tracker alone.
    private func measure() -> BenchReport {
        let before = status()
        let facts = SystemFacts.ofThisSystem(status: before)
        let board = BoardFigures(facts: facts)
        let disk = DiskBench(
            folders: [DefaultPaths.own.stateDirectory, facts.logFolder, DefaultPaths.service.stateDirectory], mounts: MountTable(facts.tree)
        )
        return Patience.during("measuring this board") {
            var lines = board.lines + ProcessorBench.lines + [disk.line]
            // Asked again: the benches of processor and disk took seconds.
            if let before, let start = status(), start.processID == before.processID,
                let first = TrackerBench.sample(start.processID, positions: start.log?.positionCount, in: facts.tree)
            {
                MonotonicClock.wait(milliseconds: Int64((span ?? seconds ?? .seconds(60)) / .milliseconds(1)))
                let last = TrackerBench.sample(before.processID, positions: nil, in: facts.tree)
                // Asked behind the last look at its process: an answer costs the tracker something.
                if var last, let after = status(), after.processID == before.processID {
                    last.positions = after.log?.positionCount
                    lines += TrackerBench.lines(from: first, to: last, status: after)
                } else {
                    lines.append(.init(name: "tracker", value: "did not answer again"))
                }
            } else {
                lines.append(.init(name: "tracker", value: "not running, or not this user's to see"))
            }
            return BenchReport(lines: lines + board.lastLines)
        }
    }

    /// The tracker's status; nil when it does not run, or does not answer this user.
    private func status() -> StatusReport? {
        do throws(ControlError) { return try answer() } catch {
            return nil  // The bench says so.
        }
    }

    private func answer() throws(ControlError) -> StatusReport {
        var client = try daemon.connectIfRunning()
        return try client.ask(StatusRequest())
    }
}
