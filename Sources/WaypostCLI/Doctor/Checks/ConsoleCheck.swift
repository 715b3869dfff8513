import Waypost
import WaypostPositioning
import WaypostSystem

/// A login console on the receiver's line: it answers the sentences, and takes half of them.
///
/// The kernel's command line requests it (`console=serial0,115200`, the default of Raspberry Pi OS), or a `serial-getty@` unit. The check
/// looks at both the boot file, which applies from the next start on, and the command line of the running kernel.
enum ConsoleCheck: DoctorCheck {
    static let name = "console"

    static func examine(_ facts: SystemFacts) -> CheckReport {
        let tree = facts.tree
        let hasBootFile = SerialConsole.bootLine(in: tree) != nil
        var consoles = SerialConsole.all(in: tree).map { console in
            Console(devices: facts.boardLines.devices(of: console.path), evidence: console.evidence, word: console.word)
        }
        for program in facts.programs ?? [] where ["agetty", "login"].contains(program.name) {
            guard let line = program.lines.first(where: { line in SerialConsole.isSerial(Substring(line.device.dropFirst("/dev/".count))) })
            else {
                continue
            }
            consoles.append(Console(devices: [line.device], evidence: line.evidence, word: nil))
        }
        let findings = groups(of: consoles).compactMap { finding($0, facts, hasBootFile: hasBootFile) }
        return CheckReport(
            findings: findings,
            notChecked: hasBootFile || tree.firstLine(of: SerialConsole.runningFile) != nil
                ? nil : "neither \(SerialConsole.bootFiles[0]) nor \(SerialConsole.runningFile) can be read")
    }

    /// The consoles grouped by line.
    private static func groups(of consoles: [Console]) -> [[Console]] {
        consoles.reduce(into: []) { groups, console in
            if let index = groups.firstIndex(where: { group in group.contains { !$0.devices.isDisjoint(with: console.devices) } }) {
                groups[index].append(console)
            } else {
                groups.append([console])
            }
        }
    }

    private struct Console {
        /// The devices that it may be on: several where it depends on an unknown model.
        var devices: Set<String>
        var evidence: Evidence
        /// The word of the kernel's command line.
        var word: String?
    }

    private static func finding(_ consoles: [Console], _ facts: SystemFacts, hasBootFile: Bool) -> Finding? {
        let devices = consoles.reduce(consoles[0].devices) { $0.intersection($1.devices) }
        let onIt = facts.ports.first { port in
            devices.contains(port.device) || !devices.isDisjoint(with: facts.boardLines.devices(of: port.path))
        }
        // Once the UART that the receiver's port names is put onto the pins, serial0 is that one: the console goes along.
        let goesAlong = facts.board.map { $0.headerUART == .mini } == true && consoles.contains { $0.word?.contains("serial0") == true }
        let named = onIt ?? facts.ports.first { goesAlong && ["/dev/ttyS0", "/dev/ttyAMA0"].contains($0.path) }
        let device = devices.count == 1 && (named == nil || onIt != nil) ? devices.first ?? "" : "/dev/serial0"
        // A user who configured a receiver elsewhere may have a console here.
        if named == nil, !facts.ports.isEmpty || facts.lines?.contains(where: \.isKnownGNSS) == true { return nil }
        let isBoardsOwn =
            facts.board != nil || consoles.contains { $0.evidence.file.hasSuffix("cmdline.txt") || $0.evidence.text.contains("serial0") }
        let isSure = named != nil || isBoardsOwn && !facts.mayHaveUSBReceiver
        return Finding(
            level: isSure ? .fault : .note,
            what: isSure
                ? "a login console is on \(device), the receiver's port: it reads the receiver's data and answers it"
                : "a login console is on \(device), so no receiver can be there; stop this console only if you want a receiver there and can log in another way",
            evidence: consoles.map(\.evidence) + (named.map { [$0.evidence] } ?? []),
            commands: commands(device, consoles, facts, hasBootFile: hasBootFile))
    }

    private static func commands(
        _ device: String, _ consoles: [Console], _ facts: SystemFacts, hasBootFile: Bool
    ) -> [String] {
        var commands: [String] = []
        for console in consoles {
            guard let word = console.word else { continue }
            let pattern = sedPattern(word)
            if console.evidence.file != SerialConsole.runningFile {
                commands.append("sudo sed -i 's|\(pattern) *||' \(console.evidence.file)")
            } else if facts.tree.lines(of: "/etc/default/grub")?.contains(where: { $0.text.contains(word) }) == true {
                commands += ["sudo sed -i 's|\(pattern) *||' /etc/default/grub", "sudo update-grub"]
            }
        }
        // The name under which systemd knows it, as far as links show.
        if !device.hasPrefix("/dev/serial") {
            commands.append("sudo systemctl disable --now serial-getty@\(device.dropFirst("/dev/".count)).service")
        }
        // Without a change of the kernel's command line it is enough to end the getty, at once.
        // The running kernel may still have what the boot file has no longer.
        let isOld = hasBootFile && consoles.contains { $0.evidence.file == SerialConsole.runningFile }
        return isOld || commands.contains { $0.hasPrefix("sudo sed") } ? commands + ["sudo reboot"] : commands
    }
}
