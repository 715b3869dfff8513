import ArgumentParser
import Waypost
import WaypostConfiguration
import WaypostControl
import WaypostSystem

/// `waypost doctor`: what is wrong with the set-up, and what mends it.
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Find what keeps the tracker from working, and say what mends it.",
        discussion: """
            Looks at what users ask most about: a console on the receiver's line, the UART of a Raspberry Pi, ModemManager, gpsd, two readers, \
            wrong speeds, groups, a log folder that forgets, a full disk, the clock, no fix, the antenna. Nothing is opened or changed. Each \
            fault comes with its evidence and the commands that mend it. Exit code 0 when there is none, else 1; what could not be looked at \
            is said, and is no fault. Some of it only root may see.

            Example: sudo waypost doctor
            """)

    @Option(
        help: ArgumentHelp("Look at a saved or made-up system tree instead of this system.", valueName: "folder"),
        completion: .directory)
    var root: String?

    @Flag(help: "Print one JSON object per finding, and one about the whole.")
    var json = false

    @OptionGroup var daemon: DaemonConnection

    func run() throws {
        let facts = try facts()
        let reports = Patience.during("looking at this system") { Doctor.examine(facts) }
        let output = try OutputStream(path: "-")
        let text = DoctorReport(reports: reports)
        for line in json ? text.jsonLines : text.lines { try output.write(line: line) }
        if text.faultCount > 0 { throw ExitCode(ExitStatus.failed.rawValue) }
    }

    private func facts() throws(CommandFailure) -> SystemFacts {
        if let root {
            guard Syscalls.isFolder(root) else {
                throw CommandFailure(.inputMissing, what: root, why: "is no folder", next: "name the root of a saved system tree")
            }
            let path = Syscalls.resolvingLinks(root)
            let tree = SystemTree(root: path == "/" ? "" : path)
            return SystemFacts(tree: tree, measurements: Measurements(saved: tree))
        }
        return SystemFacts.ofThisSystem(status: status())
    }

    /// What the tracker says; nil when it does not run, or not to this user.
    private func status() -> JSONValue? {
        do throws(ControlError) {
            var client = try daemon.connectIfRunning()
            let line = try client.answer(to: .status)
            return try? JSONParser().parse(line)  // An answer that is no JSON tells nothing.
        } catch {
            return nil  // The checks that ask for it say that they do not know.
        }
    }
}
