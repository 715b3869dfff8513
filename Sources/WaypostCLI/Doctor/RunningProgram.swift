import Waypost
import WaypostSystem

/// A process, as `/proc` shows it.
struct RunningProgram: Equatable, Sendable {
    /// Its number.
    var processID: Int
    /// Its parent's number; nil when it is not known.
    var parentID: Int?
    /// Its program's name, the first 15 bytes.
    var name: String
    /// The systemd unit that it belongs to: `gpsd.service`.
    var unit: String?
    /// Whether it is known what it belongs to; a saved tree need not say.
    var hasKnownUnit = false
    /// The serial lines that it has open, with the links as evidence.
    var lines: [Line] = []
    /// The pseudo terminals that it has open: the one that it was started from, or one that stands for a serial line.
    var terminals: [Line] = []
    /// Whether its open files could be read.
    var isVisible = true

    /// A line that a process has open.
    struct Line: Equatable, Sendable {
        /// The device, links resolved: `/dev/ttyAMA0`.
        var device: String
        /// The entry of `/proc/PID/fd`.
        var evidence: Evidence
    }

    /// All processes of the tree; nil without a `/proc`, or with one without processes, as every card has.
    static func all(in tree: SystemTree) -> [RunningProgram]? {
        let numbers = (tree.names(in: "/proc") ?? []).compactMap { Int($0) }.sorted()
        guard !numbers.isEmpty else { return nil }
        return numbers.compactMap { processID in
            // One that has ended and waits for its parent holds nothing.
            guard let name = tree.firstLine(of: "/proc/\(processID)/comm")?.text,
                field("State", of: processID, in: tree)?.hasPrefix("Z") != true
            else { return nil }
            var program = RunningProgram(processID: processID, name: name)
            program.parentID = field("PPid", of: processID, in: tree).flatMap { Int($0) }
            program.unit = unit(of: processID, in: tree)
            program.hasKnownUnit = tree.exists("/proc/\(processID)/cgroup")
            let folder = "/proc/\(processID)/fd"
            guard let descriptors = tree.names(in: folder) else {
                // A saved tree need not have them; a running system hides them from everybody but root.
                program.isVisible = !tree.exists(folder)
                return program
            }
            for descriptor in descriptors {
                let link = "\(folder)/\(descriptor)"
                guard let target = tree.linkTarget(link), !isOfContainer(target, link, in: tree) else { continue }
                let line = Line(device: tree.resolved(target), evidence: Evidence(file: link, text: "\(target) (\(name))"))
                if target.hasPrefix("/dev/pts/") { program.terminals.append(line) }
                guard isSerial(target), !program.lines.contains(where: { $0.device == line.device }) else { continue }
                program.lines.append(line)
            }
            return program
        }
    }

    /// The systemd unit of a process, if it is a service.
    static func unit(of processID: Int, in tree: SystemTree) -> String? {
        let group = tree.lines(of: "/proc/\(processID)/cgroup")?.last?.text.split(separator: "/").last
        return group.flatMap { $0.hasSuffix(".service") ? String($0) : nil }
    }

    /// Whether an open file is a pseudo terminal of a container, which has the same name there as another one has here; a saved tree does not say.
    private static func isOfContainer(_ target: String, _ link: String, in tree: SystemTree) -> Bool {
        guard tree.root.isEmpty, target.hasPrefix("/dev/pts/"), let opened = DeviceIdentity(of: link) else { return false }
        return opened != DeviceIdentity(of: target)
    }

    /// Whether a device is a serial line, not a console of the screen.
    private static func isSerial(_ device: String) -> Bool {
        let name = device.dropFirst("/dev/tty".count)
        return device.hasPrefix("/dev/tty") && !name.allSatisfy(\.isNumber)
    }

    /// A field of `/proc/PID/status`.
    static func field(_ name: String, of processID: Int, in tree: SystemTree) -> String? {
        let line = tree.lines(of: "/proc/\(processID)/status")?.first { $0.text.hasPrefix(name + ":") }
        return line.map { String($0.text.dropFirst(name.count + 1).drop { $0 == "\t" || $0 == " " }) }
    }

    /// The command that ends it, permanently where it is a service.
    var stopCommand: String {
        unit.map { "sudo systemctl disable --now \(shellWord($0))" } ?? "sudo kill \(processID)"
    }
}
