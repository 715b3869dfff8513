/// Runs every check on a system.
enum Doctor {
    /// The checks, in the order of the output: a new one is one file and one line here.
    static let checks: [any DoctorCheck.Type] = [
        ConfigurationCheck.self, ServiceCheck.self, ConsoleCheck.self, MiniUARTCheck.self, ModemManagerCheck.self, GPSDCheck.self,
        TwoReadersCheck.self,
        BaudRateCheck.self, PortPermissionCheck.self, OwnerCheck.self, LogFolderCheck.self, DiskCheck.self, ClockCheck.self, FixCheck.self,
        AntennaCheck.self, SharingCheck.self, MapPageCheck.self,
    ]

    /// The report of every check, in their order.
    static func examine(_ facts: SystemFacts) -> [(check: String, report: CheckReport)] {
        checks.map { ($0.name, $0.examine(facts)) }
    }
}
