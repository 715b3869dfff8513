/// Runs every check on a system.
enum Doctor {
    /// The checks, in the order of the output, what keeps positions from coming first: a new one is one file and one line here.
    static let checks: [any DoctorCheck.Type] = [
        ConfigurationCheck.self, ServiceCheck.self, ConsoleCheck.self, MiniUARTCheck.self, ModemManagerCheck.self, GPSDCheck.self,
        TwoReadersCheck.self, BaudRateCheck.self, PortPermissionCheck.self, FixCheck.self, AntennaCheck.self, OwnerCheck.self,
        LogFolderCheck.self, DiskCheck.self, ClockCheck.self, PolicyCheck.self, SharingCheck.self, MapPageCheck.self,
        RoadsCheck.self, StatusCheck.self,
    ]

    /// The report of every check, in their order.
    static func examine(_ facts: SystemFacts) -> [(check: String, report: CheckReport)] {
        var reports: [(check: String, report: CheckReport)] = []
        for check in checks {
            var report = check.examine(facts)
            if check.name == FixCheck.name { report.findings = report.findings.map { pointed($0, reports) } }
            if check.name == StatusCheck.name, reports.contains(where: { $0.report.findings.contains { $0.level == .fault } }) {
                // Perhaps the tracker speaks of what an earlier check has found.
                for index in report.findings.indices { report.findings[index].level = .note }
            }
            reports.append((check.name, report))
        }
        return reports
    }

    /// A lack of positions that the commands of an earlier fault end has the same cause: it becomes a note that points to that.
    private static func pointed(_ finding: Finding, _ earlier: [(check: String, report: CheckReport)]) -> Finding {
        guard finding.level == .fault, !finding.commands.isEmpty else { return finding }
        let cause = earlier.first { entry in
            entry.report.findings.contains { $0.level == .fault && Set(finding.commands).isSubset(of: $0.commands) }
        }
        guard let cause else { return finding }
        let words = finding.what.prefix { $0 != ";" }
        return Finding(level: .note, what: "\(words): see \(cause.check)", evidence: finding.evidence, commands: [])
    }
}
