import WaypostSystem

/// Two programs that read one serial line: each gets a part of every sentence.
enum TwoReadersCheck: DoctorCheck {
    static let name = "readers"

    /// Programs that other checks report, with the fix.
    private static let othersBusiness = ["agetty", "login", "ModemManager"]

    static func examine(_ facts: SystemFacts) -> CheckReport {
        guard let programs = facts.programs else { return .notChecked("no programs in /proc") }
        // Shells share terminals; a port of the tracker may be one too.
        let devices = Set(programs.flatMap(\.lines).map(\.device) + facts.ports.map(\.device)).sorted()
        let findings = devices.compactMap { finding(of: $0, facts) }
        let hidden = programs.filter { !$0.isVisible }.count
        let isPartial = findings.isEmpty && hidden > 0
        return CheckReport(
            findings: findings, notChecked: isPartial ? "only root may see the programs of other users: sudo waypost doctor" : nil)
    }

    private static func finding(of device: String, _ facts: SystemFacts) -> Finding? {
        let holders = facts.holders(of: device).filter { !othersBusiness.contains($0.program.name) }
        // A child process has its parent's files open without reading them.
        let readers = holders.filter { holder in !holders.contains { $0.program.processID == holder.program.parentID } }
        guard readers.count > 1 else { return nil }
        let names = readers.map(\.program.name)
        if names.count == 2, Set(names) == ["gpsd", "waypostd"] { return nil }
        // The tracker stays, then gpsd, then the program that came first.
        let rank = { (name: String) in ["waypostd", "gpsd"].firstIndex(of: name) ?? 2 }
        let order = readers.enumerated().sorted { (rank($0.element.program.name), $0.offset) < (rank($1.element.program.name), $1.offset) }
        return Finding(
            what: "\(names.joined(separator: " and ")) read \(device): each gets a part of every sentence",
            evidence: readers.map(\.evidence), commands: order.dropFirst().map(\.element.program.stopCommand))
    }
}
