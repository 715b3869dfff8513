import Waypost
import WaypostConfiguration
import WaypostControl
import WaypostSystem

/// What the running tracker itself says is wrong, and no other check looks for.
enum StatusCheck: DoctorCheck {
    static let name = "status"

    static func examine(_ facts: SystemFacts) -> CheckReport {
        guard let status = facts.measurements.status else { return .notChecked("no tracker answers") }
        guard status.health != .healthy else { return .well }
        guard let problems = status.problems else { return .notChecked("the tracker tells this user no problems") }
        // The lack of positions has a check of its own.
        let others = problems.filter { $0 != status.search.map { "no position: \($0.why)" } }
        guard let first = others.first else { return .well }
        let more = others.count > 1 ? ", and \(counted(others.count - 1, "more problem"))" : ""
        return .found(
            Finding(
                what: "the tracker is \(status.health): \(oneLine(first, limit: 300))\(more)",
                evidence: others.prefix(8).map { Evidence(file: "waypost status", text: oneLine($0, limit: 300)) },
                commands: commands(for: others, facts)))
    }

    /// What shows more of the problems than their own words do.
    private static func commands(for problems: [String], _ facts: SystemFacts) -> [String] {
        let fences = facts.configuration?.configuration.geofences.file ?? ""
        if !fences.isEmpty, problems.contains(where: { $0.contains(fences) }) { return ["waypost fences check \(shellWord(fences))"] }
        return []
    }
}
