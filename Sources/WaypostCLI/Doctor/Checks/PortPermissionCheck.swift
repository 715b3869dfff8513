import Waypost
import WaypostPositioning
import WaypostSystem

/// The group that may open serial ports, and whether the tracker's user is in it.
enum PortPermissionCheck: DoctorCheck {
    static let name = "permission"

    static func examine(_ facts: SystemFacts) -> CheckReport {
        let report = examineGroups(facts)
        return report.findings.isEmpty ? refused(facts) ?? report : report
    }

    /// A port that the tracker itself could not open, whatever the groups say: one of another group, or with rights of its own.
    private static func refused(_ facts: SystemFacts) -> CheckReport? {
        guard let search = TrackerSource(facts)?.search else { return nil }
        let refusals = search.tried.filter { $0.found.hasPrefix(PositionSearch.deniedWords) }
        guard let first = refusals.first else { return nil }
        let evidence = refusals.map { Evidence(file: facts.measurements.statusFile, text: "\($0.source): \($0.found)") }
        return .found(Finding(what: "\(first.source): \(oneLine(first.found, limit: 300))", evidence: evidence, commands: search.commands))
    }

    private static func examineGroups(_ facts: SystemFacts) -> CheckReport {
        let readsSerialLines = facts.namesSources ? facts.readsSerialLines : facts.gpsd.start == nil
        // What the tracker plays instead needs no port.
        if let source = TrackerSource(facts), source.isPlayed { return .well }
        // Without a configuration gpsd is tried first, and opens its ports itself.
        guard readsSerialLines else { return .well }
        guard let groups = facts.tree.lines(of: "/etc/group") else { return .notChecked("/etc/group cannot be read") }
        // Debian's name, and Arch's.
        let entries = groups.compactMap(Group.init)
        guard let group = ["dialout", "uucp"].lazy.compactMap({ name in entries.first { $0.name == name } }).first else {
            return .notChecked("no group dialout or uucp in /etc/group")
        }
        return running(facts, group) ?? (facts.isService ? service(facts, group) : nil) ?? byHand(facts, group)
            ?? .notChecked("the tracker is not running and not installed, so its user is not known")
    }

    /// A line of `/etc/group`: `dialout:x:20:pi,waypost`.
    private struct Group {
        var name: String
        var number: Int
        var members: [String]
        var line: Evidence

        init?(_ line: Evidence) {
            let fields = line.text.split(separator: ":", omittingEmptySubsequences: false)
            guard fields.count == 4, let number = Int(fields[2]) else { return nil }
            name = String(fields[0])
            self.number = number
            members = fields[3].split(separator: ",").map(String.init)
            self.line = line
        }
    }

    private static func finding(_ user: String, _ group: Group, _ evidence: [Evidence], then next: [String]) -> CheckReport {
        .found(
            Finding(
                what: "\(user) is not in the group \(group.name), which alone may open serial ports",
                evidence: [group.line] + evidence, commands: ["sudo usermod -aG \(group.name) \(shellWord(user))"] + next))
    }

    /// The running tracker: the groups that it really has.
    private static func running(_ facts: SystemFacts, _ group: Group) -> CheckReport? {
        guard let program = facts.tracker else { return nil }
        let numbers = { (field: String) in
            RunningProgram.field(field, of: program.processID, in: facts.tree)?.split { $0 == " " || $0 == "\t" }.compactMap { Int($0) }
        }
        guard let users = numbers("Uid"), let user = users.first, let groups = numbers("Groups") else { return nil }
        let all = groups + (numbers("Gid") ?? [])
        if user == 0 || all.contains(group.number) { return .well }
        let name = facts.tree.lines(of: "/etc/passwd")?.compactMap(account).first { $0.number == user }?.name ?? "\(user)"
        let evidence = Evidence(
            file: "/proc/\(program.processID)/status", text: "Groups: \(groups.map(String.init).joined(separator: " "))")
        // In the group now, but not when it was started.
        if group.members.contains(name) {
            return .found(
                Finding(
                    what: "\(name) joined the group \(group.name) after the tracker had started", evidence: [group.line, evidence],
                    commands: facts.restartCommands))
        }
        return finding(name, group, [evidence], then: facts.restartCommands)
    }

    /// The installed service: its unit and the groups.
    private static func service(_ facts: SystemFacts, _ group: Group) -> CheckReport? {
        let tree = facts.tree
        let path = facts.unitPath
        let lines = SystemFacts.unitLines(in: tree)
        let accounts = (tree.lines(of: "/etc/passwd") ?? []).compactMap(account)
        let userLine = lines.last { $0.text.hasPrefix("User=") }
        let user = userLine.map { String($0.text.dropFirst("User=".count)) } ?? accounts.first { $0.name == "waypost" }?.name
        // A unit without a user runs as root.
        if path != nil, userLine == nil || user == "root" { return .well }
        guard let user else { return nil }
        let extra = lines.filter { $0.text.hasPrefix("SupplementaryGroups=") || $0.text.hasPrefix("Group=") }
        let isGiven = extra.contains { line in line.text.split { $0 == "=" || $0 == " " }.dropFirst().contains { $0 == group.name } }
        let isPrimary = accounts.contains { $0.name == user && $0.group == group.number }
        if isGiven || isPrimary || group.members.contains(user) { return .well }
        return finding(user, group, [userLine].compactMap { $0 }, then: facts.restartCommands)
    }

    /// The user who would run it by hand: this command's user, or the users of a saved system.
    private static func byHand(_ facts: SystemFacts, _ group: Group) -> CheckReport? {
        if let user = facts.measurements.user {
            if user.groupIDs.contains(group.number) { return .well }
            let hasToLogIn = group.members.contains(user.name)
            if hasToLogIn {
                return .found(
                    Finding(
                        what: "\(user.name) has joined the group \(group.name) since this login; log in again", evidence: [group.line],
                        commands: ["newgrp \(group.name)"]))
            }
            return finding(
                user.name, group, [Evidence(file: "/proc/self/status", text: "Groups without \(group.number)")],
                then: ["newgrp \(group.name)"])
        }
        guard !facts.tree.root.isEmpty else { return nil }
        let people = (facts.tree.lines(of: "/etc/passwd") ?? []).compactMap(account).filter { (1_000..<60_000).contains($0.number) }
        guard let first = people.first else { return nil }
        if people.contains(where: { group.members.contains($0.name) || $0.group == group.number }) { return .well }
        return finding(first.name, group, [first.line], then: [])
    }

    /// A line of `/etc/passwd`: `pi:x:1000:1000:,,,:/home/pi:/bin/bash`.
    private static func account(_ line: Evidence) -> (name: String, number: Int, group: Int, line: Evidence)? {
        let fields = line.text.split(separator: ":", omittingEmptySubsequences: false)
        guard fields.count == 7, let number = Int(fields[2]), let group = Int(fields[3]) else { return nil }
        return (String(fields[0]), number, group, line)
    }
}
