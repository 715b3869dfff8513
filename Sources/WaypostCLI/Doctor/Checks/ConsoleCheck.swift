import WaypostPositioning

/// A login console on the receiver's line: it answers the sentences, and takes half of them.
///
/// The kernel's command line asks for it (`console=serial0,115200`, as Raspberry Pi OS comes), or a `serial-getty@` unit.
enum ConsoleCheck: DoctorCheck {
    static let name = "console"

    private static let commandLines = ["/boot/firmware/cmdline.txt", "/boot/cmdline.txt", "/proc/cmdline"]
    private static let gettyFolder = "/etc/systemd/system/getty.target.wants"
    private static let gettyPrefix = "serial-getty@"

    static func examine(_ facts: SystemFacts) -> CheckReport {
        let tree = facts.tree
        guard let commandLine = commandLines.lazy.compactMap(tree.firstLine).first else {
            return .notChecked("neither \(commandLines[0]) nor /proc/cmdline can be read")
        }
        var consoles: [Console] = []
        for word in commandLine.text.split(separator: " ") where word.hasPrefix("console=") {
            let name = word.dropFirst("console=".count).prefix { $0 != "," }
            guard isSerial(name) else { continue }
            let evidence = Evidence(file: commandLine.file, line: commandLine.line, text: String(word))
            consoles.append(Console(device: tree.resolved("/dev/\(name)"), evidence: evidence, word: String(word)))
        }
        let units = tree.names(in: gettyFolder) ?? []
        for unit in units where unit.hasPrefix(gettyPrefix) && unit.hasSuffix(".service") {
            let name = unit.dropFirst(gettyPrefix.count).dropLast(".service".count)
            guard isSerial(name) else { continue }
            let evidence = Evidence(file: "\(gettyFolder)/\(unit)", text: "enabled")
            consoles.append(Console(device: tree.resolved("/dev/\(name)"), evidence: evidence, word: nil))
        }
        for program in facts.programs ?? [] where ["agetty", "login"].contains(program.name) {
            guard let line = program.lines.first(where: { line in isSerial(Substring(line.device.dropFirst("/dev/".count))) }) else {
                continue
            }
            consoles.append(Console(device: line.device, evidence: line.evidence, word: nil))
        }
        let devices = consoles.map(\.device).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        return CheckReport(findings: devices.compactMap { device in finding(device, consoles.filter { $0.device == device }, facts) })
    }

    private struct Console {
        var device: String
        var evidence: Evidence
        /// The word of the kernel's command line.
        var word: String?
    }

    private static func isSerial(_ name: Substring) -> Bool {
        ["serial", "ttyS", "ttyAMA", "ttyUSB", "ttyACM"].contains { name.hasPrefix($0) }
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
    }

    private static func finding(_ device: String, _ consoles: [Console], _ facts: SystemFacts) -> Finding? {
        let named = facts.ports.first { $0.device == device || $0.path == device }
        // Who names a receiver elsewhere may have a console here.
        if named == nil, !facts.ports.isEmpty || facts.lines?.contains(where: \.isKnownGNSS) == true { return nil }
        let isBoardsOwn =
            facts.board != nil || consoles.contains { $0.evidence.file.hasSuffix("cmdline.txt") || $0.evidence.text.contains("serial0") }
        let isSure = named != nil || isBoardsOwn && !facts.mayHaveUSBReceiver
        return Finding(
            level: isSure ? .fault : .note,
            what: isSure
                ? "a login console is on \(device), the line of the receiver: it takes its sentences and answers them"
                : "a login console is on \(device): no receiver can be there",
            evidence: consoles.map(\.evidence) + (named.map { [$0.evidence] } ?? []),
            commands: commands(device, consoles, facts))
    }

    private static func commands(_ device: String, _ consoles: [Console], _ facts: SystemFacts) -> [String] {
        var commands: [String] = []
        for console in consoles {
            guard let word = console.word else { continue }
            let pattern = sedPattern(word)
            if console.evidence.file != "/proc/cmdline" {
                commands.append("sudo sed -i 's|\(pattern) *||' \(console.evidence.file)")
            } else if facts.tree.lines(of: "/etc/default/grub")?.contains(where: { $0.text.contains(word) }) == true {
                commands += ["sudo sed -i 's|\(pattern) *||' /etc/default/grub", "sudo update-grub"]
            }
        }
        // The name under which systemd knows it, as far as links tell.
        if !device.hasPrefix("/dev/serial") {
            commands.append("sudo systemctl disable --now serial-getty@\(device.dropFirst("/dev/".count)).service")
        }
        // Without a change of the kernel's line the getty's end is all, and happens at once.
        return commands.contains { $0.hasPrefix("sudo sed") } ? commands + ["sudo reboot"] : commands
    }
}
