import WaypostConfiguration
import WaypostSystem

/// The tracker itself: silent, or installed as a service, but not running; on a card, where nothing can run: not enabled.
enum ServiceCheck: DoctorCheck {
    static let name = "service"

    static func examine(_ facts: SystemFacts) -> CheckReport {
        guard let programs = facts.programs else { return enabled(facts) }
        if let finding = facts.measurements.silence?.finding(facts) { return .found(finding) }
        // It runs: by hand, in a container, or answering from elsewhere.
        if facts.measurements.status != nil || facts.tracker != nil { return .well }
        if !facts.isService, let service = programs.first(where: { $0.unit == SystemFacts.unitName }) {
            return .found(
                Finding(
                    level: .note, what: "the service runs, but no tracker with your own configuration: start it",
                    evidence: [
                        Evidence(file: facts.configurationFile, text: "no process of yours is called waypostd"),
                        Evidence(file: "/proc/\(service.processID)", text: SystemFacts.unitName),
                    ],
                    commands: ["waypost run"]))
        }
        let others = programs.filter { $0.name == "waypostd" }.map {
            Evidence(file: "/proc/\($0.processID)", text: "a tracker that another user runs by hand")
        }
        guard let unit = facts.unitPath else {
            return .found(
                Finding(
                    level: .note, what: "the tracker is not running, and is not installed as a service: start it",
                    evidence: others.isEmpty ? [Evidence(file: "/proc", text: "no process is called waypostd")] : others,
                    commands: ["waypost run"]))
        }
        let isMistaken = facts.mistakes.contains { $0.kind != .notPermitted } || facts.fileProblems.contains(where: \.isFatal)
        let (reason, commands) = start(facts)
        return .found(
            Finding(
                level: isMistaken ? .note : .fault,
                what: isMistaken ? "the tracker is not running: see configuration" : "the tracker is not running: \(reason)",
                evidence: [facts.serviceMask ?? Evidence(file: unit, text: "not running")] + [facts.lastFailure].compactMap { $0 } + others,
                commands: (facts.serviceMask == nil ? [] : ["sudo systemctl unmask waypostd.service"]) + (isMistaken ? [] : commands)))
    }

    /// Why it does not run, and what starts it: one that has failed would fail again.
    private static func start(_ facts: SystemFacts) -> (reason: String, commands: [String]) {
        if let failure = facts.lastFailure {
            return (
                "it ended by itself: \(failure.text); when that is mended, start it", ["sudo systemctl restart waypostd.service"]
            )
        }
        guard let end = facts.measurements.serviceEnd else {
            return ("nothing is recorded or sent; start it", ["sudo systemctl enable --now waypostd.service"])
        }
        return (
            "it ended by itself with code \(end.rawValue): \(end.meaning)",
            facts.measurements.user == nil ? ["sudo journalctl -u waypostd.service -n 20"] : ["sudo waypost doctor"]
        )
    }

    /// Whether the tracker starts with a system that does not run.
    private static func enabled(_ facts: SystemFacts) -> CheckReport {
        guard facts.tree.exists("/etc") else { return .notChecked("no /etc") }
        guard let unit = facts.unitPath else { return .notChecked("waypost is not installed as a service") }
        let wants = SystemFacts.unitFolders.map { "\($0)/multi-user.target.wants/\(SystemFacts.unitName)" }
        let mask = facts.serviceMask
        if mask == nil, wants.contains(where: facts.tree.exists) { return .well }
        return .found(
            Finding(
                what: "the tracker does not start with this system: its unit is \(mask == nil ? "not enabled" : "masked")",
                evidence: [Evidence(file: unit, text: "installed"), mask ?? Evidence(file: wants[0], text: "missing")],
                commands: (mask == nil ? [] : ["sudo systemctl unmask \(SystemFacts.unitName)"])
                    + ["sudo systemctl enable \(SystemFacts.unitName)"]))
    }
}
