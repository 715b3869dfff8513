import Waypost
import WaypostControl
import WaypostPositioning
import WaypostSystem

/// A serial line that is read at another speed than the receiver's.
///
/// The evidence is the speed that was right last time, which the tracker remembers, or the kernel's count of framing errors.
enum BaudRateCheck: DoctorCheck {
    static let name = "baud"

    private static let memory = DefaultPaths.kept(inState: DefaultPaths.service.stateDirectory) + "/baud-rates"
    private static let driverFolder = "/proc/tty/driver"
    // Plugging in and the search for the speed also cause a few.
    private static let fewestErrors = 20
    private static let shareOfErrors = 20

    static func examine(_ facts: SystemFacts) -> CheckReport {
        guard let port = facts.ports.first else { return withoutPort(facts) }
        if facts.tree.exists("/dev"), !facts.ports.contains(where: { facts.tree.exists($0.path) }) {
            return .notChecked("\(port.path) is not there")
        }
        var findings: [Finding] = []
        for port in facts.ports {
            guard let finding = remembered(port, facts) ?? counted(port, facts) else { continue }
            if !findings.contains(where: { $0.evidence.first == finding.evidence.first }) { findings.append(finding) }
        }
        let isHidden =
            findings.isEmpty && facts.tree.exists(driverFolder) && facts.tree.names(in: driverFolder) == nil
        if findings.isEmpty, !facts.tree.exists(driverFolder), !facts.tree.exists(memory) {
            return .notChecked("neither \(memory) nor \(driverFolder)")
        }
        return CheckReport(findings: findings, notChecked: isHidden ? "only root may read \(driverFolder): sudo waypost doctor" : nil)
    }

    /// Where no port is named the tracker, or gpsd, finds the speed, which is right when something can be read.
    private static func withoutPort(_ facts: SystemFacts) -> CheckReport {
        guard let source = TrackerSource(facts), source.isReceiver else { return .notChecked("no receiver's port is configured") }
        if source.isUnreadable { return .notChecked(PositionSearch.unreadableWords) }
        return source.sends ? .well : .notChecked("no receiver sends anything")
    }

    /// The speed that was right last time differs from the configured one.
    private static func remembered(_ port: ReceiverPort, _ facts: SystemFacts) -> Finding? {
        guard let baudRate = port.baudRate else { return nil }
        // `9600 /dev/serial0`
        for line in facts.tree.lines(of: memory) ?? [] {
            let parts = line.text.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, let rate = Int(parts[0]), rate != baudRate else { continue }
            let path = String(parts[1])
            guard path == port.path || facts.tree.resolved(path) == port.device else { continue }
            return Finding(
                what: "\(port.path) is read at \(baudRate) baud, and the receiver sent at \(rate) the last time",
                evidence: [port.evidence, line], commands: commands(port, facts))
        }
        return nil
    }

    /// A line of the kernel's counters: `0: uart:PL011 rev2 mmio:0xFE201000 irq:29 tx:0 rx:9120 fe:4410 brk:12 RTS|DTR`.
    private static func counted(_ port: ReceiverPort, _ facts: SystemFacts) -> Finding? {
        let name = port.device.dropFirst("/dev/".count)
        let number = name.reversed().prefix(while: \.isNumber).reversed()
        let family = name.dropLast(number.count)
        guard !number.isEmpty, let file = family == "ttyS" ? "serial" : family.hasPrefix("ttyAMA") ? "ttyAMA" : nil else { return nil }
        guard let line = facts.tree.lines(of: "\(driverFolder)/\(file)")?.first(where: { $0.text.hasPrefix(String(number) + ":") }) else {
            return nil
        }
        let count = { (field: String) in
            line.text.split(separator: " ").first { $0.hasPrefix(field) }.flatMap { Int($0.dropFirst(field.count)) } ?? 0
        }
        let errors = count("fe:")
        guard errors >= fewestErrors, errors >= count("rx:") / shareOfErrors else { return nil }
        return Finding(
            what:
                "\(port.path): \(errors) of \(Waypost.counted(count("rx:"), "byte")) came with framing errors: the receiver sends at another speed"
                + (port.baudRate.map { " than \($0) baud" } ?? ", or the wire is noisy or inverted"),
            evidence: [line, port.evidence],
            commands: port.baudRate == nil ? ["sudo waypost receiver show --port \(shellWord(port.path))"] : commands(port, facts))
    }

    /// The speed is detected when none is set.
    private static func commands(_ port: ReceiverPort, _ facts: SystemFacts) -> [String] {
        guard let baudRate = port.baudRate else { return [] }
        let file = shellWord(port.evidence.file)
        if port.isOfGPSD {
            return ["sudo sed -i 's|-s \(baudRate) *||' \(file)", "sudo systemctl restart gpsd.service"]
        }
        let script = port.hasBaudKey ? "s|^ *baud *= *\(baudRate)|baud = \"auto\"|" : "s|?baud=\(baudRate)||"
        return ["\(facts.sudo(for: file))sed -i '\(script)' \(file)"] + facts.restartCommands
    }
}
