import Waypost
import WaypostConfiguration
import WaypostSystem

/// A map page that the network reaches without encryption, or that lacks its files.
enum MapPageCheck: DoctorCheck {
    static let name = "map page"

    static func examine(_ facts: SystemFacts) -> CheckReport {
        guard facts.tree.exists("/etc") else { return .notChecked("no /etc") }
        guard let configuration = facts.configuration else { return .notChecked(facts.whyNoConfiguration) }
        let map = configuration.configuration.map
        guard map.isOn else { return .well }
        var findings: [Finding] = []
        if let listen = map.listen, !listen.isLoopback {
            let origin = configuration.origins["[map] insecure_lan"] ?? configuration.origins["[map] listen"]
            let file = origin.map { String($0.file.dropFirst(facts.tree.root.count)) } ?? facts.configurationFile
            findings.append(
                Finding(
                    level: .note,
                    what:
                        "the map page at \(listen) is reached from the network without encryption: everybody on the way can read the token and the position; a proxy with TLS in front of 127.0.0.1 is better",
                    evidence: [Evidence(file: file, line: origin?.place.line, text: "insecure_lan = true")],
                    commands: facts.editingCommands(file)))
        }
        guard facts.tree.exists("/usr/share") else { return CheckReport(findings: findings, notChecked: "no /usr/share") }
        if !facts.tree.exists("/usr/share/javascript/leaflet/leaflet.css") {
            findings.append(
                Finding(
                    level: .note, what: "the map page has no map: Leaflet is not installed; it shows its numbers only",
                    evidence: [Evidence(file: "/usr/share/javascript/leaflet", text: "there is no such folder")],
                    commands: ["sudo apt install libjs-leaflet"]))
        }
        return CheckReport(findings: findings)
    }
}
