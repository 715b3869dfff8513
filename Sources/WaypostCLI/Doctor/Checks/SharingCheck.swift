import Waypost
import WaypostConfiguration
import WaypostControl
import WaypostPositioning
import WaypostSystem

/// The doors on which other programs get positions: open, and not to more than is meant.
enum SharingCheck: DoctorCheck {
    static let name = "sharing"

    static func examine(_ facts: SystemFacts) -> CheckReport {
        guard facts.tree.exists("/etc") else { return .notChecked("no /etc") }
        guard let share = facts.configuration?.configuration.share else { return .notChecked(facts.whyNoConfiguration) }
        guard share.isOn else { return .well }
        let taken = takenByGPSD(share, facts)
        return CheckReport(findings: (taken.map { [$0] } ?? shut(facts)) + open(share, facts))
    }

    /// gpsd has its port, or will have it at the next boot.
    private static func takenByGPSD(_ share: Configuration.Share, _ facts: SystemFacts) -> Finding? {
        guard let address = share.gpsd, address.port == Int(GPSDKind.usualPort), let key = evidence("gpsd", address, facts) else {
            return nil
        }
        let running = facts.programs?.first { $0.name == "gpsd" }.map { Evidence(file: "/proc/\($0.processID)/comm", text: "gpsd") }
        guard let start = facts.gpsd.start ?? running else { return nil }
        return Finding(
            what: "gpsd has port \(address.port), which the tracker is configured to serve: programs get positions from gpsd alone",
            evidence: [key, start], commands: ["sudo systemctl disable --now gpsd.socket gpsd.service"] + facts.restartCommands)
    }

    /// What the tracker says about doors that do not work.
    private static func shut(_ facts: SystemFacts) -> [Finding] {
        (facts.measurements.status?.share ?? []).compactMap { (door) -> Finding? in
            guard let problem = door.problem else { return nil }
            let key = facts.evidence(of: "[share] \(door.name)", text: "\(door.name) = \(tomlString(door.place))")
            return Finding(
                what: "[share] \(door.name): \(oneLine(problem, limit: 300))",
                evidence: [key, Evidence(file: facts.measurements.statusFile, text: "\(door.name) \(door.place): shut")].compactMap { $0 },
                commands: key.map { facts.editingCommands($0.file) } ?? facts.restartCommands)
        }
    }

    /// Doors that other machines reach: they are wanted so, but everybody there may read.
    private static func open(_ share: Configuration.Share, _ facts: SystemFacts) -> [Finding] {
        share.addresses.compactMap { (key, address) -> Finding? in
            guard !address.isLoopback, let evidence = evidence(key, address, facts) else { return nil }
            return Finding(
                level: .note, what: "[share] \(key): everybody in \(address.networkWords) may read the position",
                evidence: [evidence],
                commands: facts.editingCommands(evidence.file))
        }
    }

    private static func evidence(_ key: String, _ address: ListenAddress, _ facts: SystemFacts) -> Evidence? {
        facts.evidence(of: "[share] \(key)", text: "\(key) = \"\(address)\"")
    }
}
