import Waypost
import WaypostSystem

/// A board with a wrong clock: its files get wrong times, and TLS refuses every certificate.
///
/// Positions and tracks are not affected: their times come from the satellites.
enum ClockCheck: DoctorCheck {
    static let name = "clock"

    /// 2020-01-01: no clock of a working system is earlier.
    static let earliestSeconds = 1_577_836_800

    private static let services = [
        "chrony.service", "chronyd.service", "systemd-timesyncd.service", "ntpsec.service", "ntp.service", "ntpd.service",
        "openntpd.service",
    ]
    private static let wants = ["sysinit.target.wants", "multi-user.target.wants"]

    static func examine(_ facts: SystemFacts) -> CheckReport {
        let tree = facts.tree
        let service = wants.lazy.flatMap { folder in services.map { "/etc/systemd/system/\(folder)/\($0)" } }.first(where: tree.exists)
        if let wrong = past(tree) {
            return .found(
                Finding(
                    what: "the clock is years slow: nothing has set it since the start", evidence: [wrong],
                    commands: service == nil ? fromSatellites(facts) : ["sudo systemctl restart \(lastComponent(service))", "timedatectl"]))
        }
        let hasRTC = tree.names(in: "/sys/class/rtc").map { !$0.isEmpty }
        let synchronized = facts.measurements.isClockSynchronized
        if synchronized?.value == true || hasRTC == true || service != nil && synchronized == nil { return .well }
        if hasRTC == false, let synchronized, !synchronized.value {
            return .found(
                Finding(
                    what: "the clock is not set: the board has none of its own, and "
                        + (service == nil ? "no time service is enabled" : "\(lastComponent(service)) has not reached a server"),
                    evidence: [Evidence(file: "/sys/class/rtc", text: "empty"), synchronized.evidence], commands: fromSatellites(facts)))
        }
        let hasSystem = tree.exists("/etc/systemd/system")
        if hasRTC == nil, tree.exists("/sys/class"), hasSystem, service == nil {
            return .found(
                Finding(
                    what: "nothing sets the clock: the board has none of its own, and no time service is enabled",
                    evidence: [
                        Evidence(file: "/sys/class/rtc", text: "missing"),
                        Evidence(file: "/etc/systemd/system", text: "no time service enabled"),
                    ],
                    commands: fromSatellites(facts)))
        }
        if service != nil { return .well }
        return .notChecked("neither /proc/stat, /sys/class/rtc nor a time service shows how the clock is set")
    }

    /// The evidence that it is before 2020: the time of the last start by the clock.
    private static func past(_ tree: SystemTree) -> Evidence? {
        guard let start = tree.lines(of: "/proc/stat")?.first(where: { $0.text.hasPrefix("btime ") }),
            let seconds = Int(start.text.dropFirst("btime ".count)), seconds >= 0
        else { return nil }
        let uptime = tree.firstLine(of: "/proc/uptime")?.text.split(separator: ".").first.flatMap { Int($0) } ?? 0
        guard seconds < earliestSeconds, uptime < earliestSeconds - seconds else { return nil }
        var time = TextBuffer()
        time.append(UTCTime(millisecondsSince1970: Int64(seconds) * 1_000))
        return Evidence(file: start.file, line: start.line, text: "\(start.text) (\(time.string))")
    }

    private static func lastComponent(_ path: String?) -> Substring { path?.split(separator: "/").last ?? "" }

    /// chrony, fed by the tracker.
    private static func fromSatellites(_ facts: SystemFacts) -> [String] {
        let socket = "/run/chrony.waypost.sock"
        let permit = facts.isService ? "chgrp waypost %s; chmod g+w" : "chown \(facts.measurements.user?.name ?? "root")"
        let isInstalled = SystemFacts.unitFolders.contains { facts.tree.exists($0 + "/chrony.service") }
        return (isInstalled ? [] : ["sudo apt-get install chrony"]) + [
            "echo 'refclock SOCK \(socket) refid GNSS delay 0.2' | sudo tee /etc/chrony/conf.d/waypost.conf",
            // Only root may use the socket that chronyd makes.
            "sudo mkdir -p /etc/systemd/system/chrony.service.d",
            #"printf '[Service]\nExecStartPost=+/bin/sh -c "\#(permit) %s"\n'\#(facts.isService ? " " + socket : "") \#(socket) "#
                + "| sudo tee /etc/systemd/system/chrony.service.d/waypost.conf",
            "sudo systemctl daemon-reload",
        ] + facts.commands(adding: ##"[time]\nchrony_sock = "\##(socket)"\n"##, as: "time")
            + ["sudo systemctl enable chrony.service", "sudo systemctl restart chrony.service"] + facts.restartCommands
    }
}
