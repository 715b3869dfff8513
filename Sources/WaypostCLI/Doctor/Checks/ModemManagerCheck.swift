import WaypostPositioning
import WaypostSystem

/// ModemManager: it opens new serial ports and talks to them for ten seconds, in case they are modems.
enum ModemManagerCheck: DoctorCheck {
    static let name = "modemmanager"

    private static let wants = [
        "/etc/systemd/system/multi-user.target.wants/ModemManager.service",
        "/etc/systemd/system/dbus-org.freedesktop.ModemManager1.service",
    ]
    private static let ruleFolders = ["/etc/udev/rules.d", "/run/udev/rules.d", "/usr/lib/udev/rules.d", "/lib/udev/rules.d"]

    static func examine(_ facts: SystemFacts) -> CheckReport {
        let tree = facts.tree
        let program = facts.programs?.first { $0.name == "ModemManager" }
        let isMasked = tree.linkTarget("/etc/systemd/system/ModemManager.service") == "/dev/null"
        let want = isMasked ? nil : wants.first(where: tree.exists)
        guard program != nil || want != nil else {
            let isHidden = facts.programs == nil && !tree.exists("/etc/systemd/system")
            return isHidden ? .notChecked("neither /proc nor /etc/systemd/system") : .well
        }
        var evidence = want.map { [Evidence(file: $0, text: "enabled")] } ?? []
        if let program { evidence.append(Evidence(file: "/proc/\(program.processID)/comm", line: 1, text: program.name)) }

        if let held = program?.lines.first(where: { line in isReceivers(line.device, facts) }) {
            return .found(
                finding("ModemManager has \(held.device) open: the receiver's sentences go to it", [held.evidence] + evidence))
        }
        guard let lines = facts.lines else {
            if hasRule(tree) { return .well }
            return .found(finding("ModemManager opens every new serial port, and no rule keeps it off receivers", evidence))
        }
        let exposed = lines.filter { $0.vendorID != nil && !isIgnored($0, tree) }
        let receivers = exposed.filter { line in line.isKnownGNSS || facts.ports.contains { $0.device == line.path } }
        if let line = receivers.first {
            let names = receivers.map(\.path).joined(separator: ", ")
            return .found(finding("ModemManager opens \(names) whenever it is plugged in", evidence + [shown(line)]))
        }
        // Any cable may have such a bridge; whether a receiver is behind it is unknown.
        guard facts.ports.isEmpty, !lines.contains(where: \.isKnownGNSS), let line = exposed.first else { return .well }
        var note = finding(
            "ModemManager opens \(line.path) whenever it is plugged in: that matters if it is the receiver", evidence + [shown(line)])
        note.level = .note
        return .found(note)
    }

    private static func shown(_ line: SerialDevice) -> Evidence {
        Evidence(file: "/sys/class/tty/\(line.name)", text: line.knownReceiver ?? line.driver ?? "USB")
    }

    private static func finding(_ what: String, _ evidence: [Evidence]) -> Finding {
        Finding(what: what, evidence: evidence, commands: ["sudo systemctl disable --now ModemManager.service"])
    }

    /// A modem's own ports belong to ModemManager.
    private static func isReceivers(_ device: String, _ facts: SystemFacts) -> Bool {
        guard let line = facts.lines?.first(where: { $0.path == device }) else { return true }
        return line.isKnownGNSS || facts.ports.contains { $0.device == device }
    }

    /// Whether udev or ModemManager's own rules exclude the line.
    private static func isIgnored(_ line: SerialDevice, _ tree: SystemTree) -> Bool {
        if let number = tree.firstLine(of: "/sys/class/tty/\(line.name)/dev")?.text,
            let properties = tree.lines(of: "/run/udev/data/c\(number)")
        {
            return properties.contains { ["E:ID_MM_DEVICE_IGNORE=1", "E:ID_MM_PORT_IGNORE=1"].contains($0.text) }
        }
        // ModemManager's own rules exclude u-blox; for others only our own rule does.
        return line.vendorID == 0x1546 || hasRule(tree)
    }

    private static func hasRule(_ tree: SystemTree) -> Bool {
        ruleFolders.contains { folder in tree.exists("\(folder)/60-waypost.rules") }
    }
}
