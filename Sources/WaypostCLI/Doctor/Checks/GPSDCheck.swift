import Waypost
import WaypostConfiguration
import WaypostPositioning
import WaypostSystem

/// gpsd and the tracker: only one of them can have the port, and the other must be configured for that.
enum GPSDCheck: DoctorCheck {
    static let name = "gpsd"

    static func examine(_ facts: SystemFacts) -> CheckReport {
        guard facts.configuration != nil else { return .notChecked(facts.whyNoConfiguration) }
        guard facts.gpsd.isInstalled != nil || facts.tree.exists("/etc/default") else {
            return .notChecked("neither /usr/sbin nor /etc/default/gpsd shows whether gpsd is installed")
        }
        if facts.readsFromLocalGPSD {
            if let finding = bothHaveIt(facts) ?? empty(facts) { return .found(finding) }
            return facts.namesSources && !facts.readsSerialLines ? CheckReport(findings: missing(facts).map { [$0] } ?? []) : .well
        }
        guard facts.readsSerialLines else { return .well }
        return CheckReport(findings: (taken(facts) ?? wouldTake(facts)).map { [$0] } ?? [])
    }

    /// The commands that leave the ports to the tracker.
    private static let stopCommands = ["sudo systemctl disable --now gpsd.socket gpsd.service"]

    /// gpsd and the tracker have the same line open.
    private static func bothHaveIt(_ facts: SystemFacts) -> Finding? {
        for program in facts.programs ?? [] where program.name == "gpsd" {
            for line in program.lines {
                guard let tracker = facts.holders(of: line.device).first(where: { $0.program.name == "waypostd" }) else { continue }
                return Finding(
                    what: "gpsd and the tracker both read \(line.device): each gets a part of every sentence",
                    evidence: [line.evidence, tracker.evidence], commands: facts.restartCommands)
            }
        }
        return nil
    }

    /// gpsd has, or is configured to open, a port that the tracker is configured to open itself.
    private static func taken(_ facts: SystemFacts) -> Finding? {
        let own = facts.ports.filter { !$0.isOfGPSD }
        for port in own {
            let held = facts.holders(of: port.device).first { $0.program.name == "gpsd" }
            let listed = facts.ports.first { $0.isOfGPSD && $0.device == port.device }
            guard let evidence = held?.evidence ?? (facts.gpsd.start != nil || facts.gpsd.isRunning ? listed?.evidence : nil) else {
                continue
            }
            return Finding(
                what:
                    "gpsd has \(port.path), which the tracker is configured to open itself: it leaves the port to gpsd, and gets no positions",
                evidence: [evidence] + [facts.gpsd.start, port.evidence].compactMap { $0 }, commands: stopCommands)
        }
        return nil
    }

    /// gpsd opens every receiver that is plugged in, and the tracker is configured to open such a receiver itself.
    private static func wouldTake(_ facts: SystemFacts) -> Finding? {
        guard let start = facts.gpsd.start, let automatic = facts.gpsd.automaticLine else { return nil }
        let isAutomatic = facts.sources.contains { ($0.kind as? SerialKind)?.port == .automatic }
        guard isAutomatic, let receiver = facts.lines?.first(where: \.isKnownGNSS) else { return nil }
        return Finding(
            what: "gpsd takes \(receiver.path) when it is plugged in, but the tracker is configured not to read from gpsd",
            evidence: [automatic, start], commands: stopCommands)
    }

    /// The tracker asked gpsd, which has no receiver, and has no position from another source either.
    private static func empty(_ facts: SystemFacts) -> Finding? {
        guard let source = TrackerSource(facts), source.lacksPositions, let search = source.search,
            let attempt = search.tried.first(where: { $0.source.hasPrefix("gpsd:") && $0.found == PositionSearch.emptyGPSDWords })
        else { return nil }
        let isFault = search.tried.count == 1 || search.commands.contains { $0.contains("gpsd") }
        let tried = Evidence(file: facts.measurements.statusFile, text: "\(attempt.source): \(attempt.found)")
        return Finding(
            level: isFault ? .fault : .note, what: "gpsd has no receiver" + (isFault ? "; \(oneLine(search.next, limit: 300))" : ""),
            evidence: [tried] + [facts.gpsd.devicesLine].compactMap { $0 }, commands: isFault ? search.commands : [])
    }

    /// The tracker reads only from gpsd, and gpsd is not installed, not started, or has no receiver.
    private static func missing(_ facts: SystemFacts) -> Finding? {
        // Another port is that of a gpsd which Debian's files say nothing of.
        let isUsual = facts.sources.contains { ($0.kind as? GPSDKind).map { $0.isLocal && $0.port == GPSDKind.usualPort } == true }
        guard isUsual, let url = facts.configurationLine(containing: "gpsd:") else { return nil }
        if facts.gpsd.isInstalled == false {
            return Finding(
                what: "the tracker reads from gpsd, which is not installed",
                evidence: [url, Evidence(file: "/usr/sbin/gpsd", text: "missing")],
                commands: ["sudo apt-get install gpsd"])
        }
        guard facts.gpsd.isInstalled == true else { return nil }
        if facts.gpsd.start == nil, !facts.gpsd.isRunning {
            return Finding(
                what: "the tracker reads from gpsd, which nothing starts at boot",
                evidence: [url, Evidence(file: "/etc/systemd/system/sockets.target.wants/gpsd.socket", text: "missing")],
                commands: ["sudo systemctl enable --now gpsd.socket"])
        }
        guard let line = facts.gpsd.devicesLine, facts.gpsd.devices.isEmpty else { return nil }
        let receiver = facts.lines?.first(where: \.isKnownGNSS)
        guard let automatic = facts.gpsd.notAutomaticLine else { return withoutDevice(facts, receiver, [url, line]) }
        let path = receiver.map { $0.byIDNames.first ?? $0.path }
        let change =
            path.map { #"'s|^DEVICES=.*|DEVICES="\#($0)"|'"# } ?? #"'s|^USBAUTO=.*|USBAUTO="true"|'"#
        return Finding(
            what: "the tracker reads from gpsd, which is configured with no receiver, and not to use those that are plugged in",
            evidence: [url, line, automatic],
            commands: ["sudo sed -i \(change) /etc/default/gpsd", "sudo systemctl restart gpsd.service"])
    }

    /// gpsd takes a receiver when that is plugged in: none is, or gpsd has not taken it although the tracker waits for its positions.
    private static func withoutDevice(_ facts: SystemFacts, _ receiver: SerialDevice?, _ evidence: [Evidence]) -> Finding? {
        if let receiver {
            let gpsd = facts.programs?.first { $0.name == "gpsd" }
            guard let gpsd, gpsd.isVisible, gpsd.lines.isEmpty, facts.tracker != nil, TrackerSource(facts)?.lacksPositions != false else {
                return nil
            }
            let idle = Evidence(file: "/proc/\(gpsd.processID)/fd", text: "no serial line is open")
            return Finding(
                what: "the tracker reads from gpsd, which has not taken \(receiver.path): it has no receiver", evidence: evidence + [idle],
                commands: [
                    #"sudo sed -i 's|^DEVICES=.*|DEVICES="\#(receiver.byIDNames.first ?? receiver.path)"|' /etc/default/gpsd"#,
                    "sudo systemctl restart gpsd.service",
                ])
        }
        guard let lines = facts.lines, !lines.contains(where: { $0.vendorID != nil }) else { return nil }
        return Finding(
            what: "the tracker reads from gpsd, which has no receiver: none is configured, and none is plugged in; plug one in",
            evidence: evidence + [Evidence(file: "/sys/class/tty", text: "no serial line on USB")], commands: ["sudo waypost devices"])
    }
}
