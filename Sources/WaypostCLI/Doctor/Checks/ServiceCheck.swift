import WaypostConfiguration
import WaypostSystem

/// The tracker itself: installed as a service, but not running.
enum ServiceCheck: DoctorCheck {
    static let name = "service"

    static func examine(_ facts: SystemFacts) -> CheckReport {
        guard let programs = facts.programs else { return .notChecked("no /proc") }
        // It runs: by hand, in a container, or answering from elsewhere.
        if facts.measurements.status != nil || facts.tracker != nil { return .well }
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
                what: "the tracker is not running: nothing is recorded or sent; "
                    + (isMistaken ? "start it once the configuration is right" : "start it"),
                evidence: [Evidence(file: unit, text: facts.isServiceMasked ? "masked: nothing can start it" : "not running")] + others,
                commands: (facts.isServiceMasked ? ["sudo systemctl unmask waypostd.service"] : [])
                    + ["sudo systemctl enable --now waypostd.service"]))
    }
}
