import WaypostConfiguration
import WaypostSystem

/// The tracker itself: installed as a service, but not running; on a card, where nothing can run: not enabled.
enum ServiceCheck: DoctorCheck {
    static let name = "service"

    static func examine(_ facts: SystemFacts) -> CheckReport {
        guard let programs = facts.programs else { return enabled(facts) }
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
        guard let unit = facts.unitPath else {
            return .found(
                Finding(
                    level: .note, what: "the tracker is not running, and is not installed as a service: start it",
                    evidence: [Evidence(file: "/proc", text: "no process is called waypostd")], commands: ["waypost run"]))
        }
        let others = programs.filter { $0.name == "waypostd" }.map {
            Evidence(file: "/proc/\($0.processID)", text: "a tracker that another user runs by hand")
        }
        let isMistaken = facts.mistakes.contains { $0.kind != .notPermitted }
        return .found(
            Finding(
                level: isMistaken ? .note : .fault,
                what: isMistaken
                    ? "the tracker is not running: see configuration"
                    : "the tracker is not running: nothing is recorded or sent; start it",
                evidence: [facts.serviceMask ?? Evidence(file: unit, text: "not running")] + others,
                commands: (facts.serviceMask == nil ? [] : ["sudo systemctl unmask waypostd.service"])
                    + (isMistaken ? [] : ["sudo systemctl enable --now waypostd.service"])))
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
