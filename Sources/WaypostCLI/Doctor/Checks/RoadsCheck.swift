import Waypost
import WaypostConfiguration
import WaypostControl
import WaypostPositioning
import WaypostSystem

/// The road files of `[matching]`: whether there are any, and whether they have the area where the device is.
///
/// A file that cannot be read or is damaged is found by the check of the configuration.
enum RoadsCheck: DoctorCheck {
    static let name = "roads"

    static func examine(_ facts: SystemFacts) -> CheckReport {
        guard facts.tree.exists("/etc") else { return .notChecked("no /etc") }
        guard let configuration = facts.configuration?.configuration else { return .notChecked(facts.whyNoConfiguration) }
        guard configuration.matching.roads != nil else {
            return CheckReport(findings: SettingRemarks.withoutRoads(configuration).map { missing($0, facts) } ?? [])
        }
        return CheckReport(findings: elsewhere(facts).map { [$0] } ?? [])
    }

    private static func missing(_ key: String, _ facts: SystemFacts) -> [Finding] {
        let evidence = facts.evidence(of: key, text: key).map { [$0] } ?? []
        return [
            Finding(
                what: "\(key) is set, and [matching] roads names no road file: no position is put on a road", evidence: evidence,
                commands: ["sudo waypost roads build EXTRACT.osm.pbf /var/lib/waypost/home.roads"]
                    + facts.editingCommands(facts.configurationFile))
        ]
    }

    /// The device is outside of the area, which only the tracker knows.
    private static func elsewhere(_ facts: SystemFacts) -> Finding? {
        guard let status = facts.measurements.status, status.roads?.isCovered == false,
            let evidence = facts.evidence(of: "[matching] roads", text: "roads")
        else { return nil }
        return Finding(
            what: "[matching] roads: the device is outside of the area of the road file: no position is put on a road",
            evidence: [evidence, Evidence(file: facts.measurements.statusFile, text: "roads: not covered")],
            commands: ["sudo waypost roads build EXTRACT.osm.pbf /var/lib/waypost/home.roads"])
    }
}
