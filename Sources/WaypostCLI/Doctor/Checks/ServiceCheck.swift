/// The tracker itself: installed as a service, and not running.
enum ServiceCheck: DoctorCheck {
    static let name = "service"

    static func examine(_ facts: SystemFacts) -> CheckReport {
        guard let programs = facts.programs else { return .notChecked("no /proc") }
        // By hand, in a container, or answering from elsewhere: it runs.
        if facts.measurements.status != nil || programs.contains(where: { $0.name == "waypostd" }) { return .well }
        guard let unit = facts.unitPath else { return .notChecked("the tracker does not run, and is not installed as a service") }
        return .found(
            Finding(
                what: "the tracker does not run: nothing is recorded and nothing is sent",
                evidence: [Evidence(file: unit, text: "not running")],
                commands: ["sudo systemctl enable --now waypostd.service"]))
    }
}
