import Waypost
import WaypostControl
import WaypostPositioning
import WaypostSystem

/// A STATUS answer for people.
struct StatusScreen {
    private let status: StatusReport
    private let format: ScreenFormat

    /// The doctor's findings, when there has been no position for long.
    private let findings: [(check: String, finding: Finding)]

    /// How much of the position this user may know, where not everything.
    private let level: AuthorisationLevel?

    init(
        _ status: StatusReport, _ format: ScreenFormat, level: AuthorisationLevel? = nil, findings: [(check: String, finding: Finding)] = []
    ) {
        self.level = level
        self.status = status
        self.format = format
        self.findings = findings
    }

    /// The indent of a line that is a command, which is never wrapped: people copy it.
    static let commandIndent = "              "

    /// The screen, line by line.
    var lines: [String] {
        var lines = [
            "waypostd \(status.version), process \(status.processID), up \(spanText(seconds: status.uptimeSeconds)): \(status.health)"
        ]
        lines += sourceLines
        if let following = status.following.flatMap(words) { lines.append("following \(following)") }
        lines += privacyLines + positionLines + roadLines
        if let fences = status.fences { lines += fenceLines(fences) }
        if let log = status.log { lines += log.isOff ? ["log       off ([log] types = []): positions are not kept"] : logLines(log) }
        // One that was removed, and for which nothing waits, is in `waypost dispatch` alone.
        for (index, destination) in status.destinations.filter({ !$0.isLeftBehind }).enumerated() {
            lines.append("\(index == 0 ? "dispatch  " : "          ")\(DestinationLine(destination).text)")
        }
        lines += shareLines
        lines += pageLines
        if status.openQuestionCount > 0 {
            lines.append(
                "asks      \(counted(status.openQuestionCount, "program")) \(status.openQuestionCount == 1 ? "asks" : "ask") for the position:"
            )
            lines.append("\(StatusScreen.commandIndent)waypost grants")
        }
        if let words = testDrive { lines.append("          \(words)") }
        lines += status.replacements.map { "config    \($0)" }
        lines += status.notes.map { "note      \($0)" }
        let search = SearchWords(status)
        lines += search?.screenLines ?? []
        for (check, finding) in findings { lines.append("doctor    \(check): \(oneLine(finding.what, limit: 300))") }
        if !findings.isEmpty { lines += ["          for the commands that fix it:", "\(StatusScreen.commandIndent)sudo waypost doctor"] }
        // What was tried is shown above.
        let problems = (status.problems ?? []).filter { $0 != status.search.map { "no position: \($0.why)" } }
        lines += problems.map { "problem   \($0)" }
        return lines
    }

    /// Where positions come from, and instead of what.
    private var sourceLines: [String] {
        var lines: [String] = []
        if let source = status.source {
            let connected = source.connected.map { " (\($0))" } ?? ""
            lines.append("source    \(source.url)\(connected): \(source.state)\(satellites(source))")
        }
        if status.problems == nil {
            let user = ProcessIdentity.current().userName ?? "$USER"
            let what =
                level == .reduced
                ? "this user may know only roughly where the device is, at most four times an hour"
                : "this user may not see everything, such as problems"
            lines.append("access    \(what); for the position:")
            lines.append("\(StatusScreen.commandIndent)sudo waypost grant \(user) full")
            lines.append("          for everything, after the next login:")
            lines.append("\(StatusScreen.commandIndent)\(CommandFailure.joinCommand(group: PeerPolicy.trustedGroupName))")
            lines.append("          whether a receiver is plugged in:")
            lines.append("\(StatusScreen.commandIndent)waypost devices")
        }
        let change = status.lastSwitch
        let isBack = change.map { change in status.sources.first.map { $0.isActive && $0.url == change.to } ?? false } ?? false
        // A replacement that has nothing either replaces nothing.
        let isReplacing = status.source?.state == .fix && !isBack
        for member in status.sources where !member.isActive && !(isReplacing && member.url == change?.from) {
            lines.append("          \(member.url): \(member.state)")
        }
        if let change, isBack || isReplacing {
            let span = spanText(seconds: change.secondsAgo)
            let reason = change.reason.replacing(change.from + ": ", with: "")
            lines.append(
                isBack
                    ? "          back to \(change.to) for \(span), from \(change.from): \(reason)"
                    : "          instead of \(change.from) for \(span): \(reason)")
        }
        return lines
    }

    /// Where the map page is, who looks, and that the way there is open.
    private var pageLines: [String] {
        guard let page = status.page else { return [] }
        let places = [page.address, page.socket].compactMap { $0 }.joined(separator: " and ")
        let open = page.openCount == 0 ? "" : ", \(counted(page.openCount, "page")) open"
        var lines = ["page      \(places)\(open)\(StatusScreen.words(doorLevel: page.level))"]
        if !page.guestLevel.isAllowed { lines.append("          for guests\(StatusScreen.words(doorLevel: page.guestLevel))") }
        return page.isUnencrypted
            ? lines + ["          in the network without encryption (insecure_lan): the token and the position can be read on the way"]
            : lines
    }

    /// That what is played is sent as well.
    private var testDrive: String? {
        status.source.flatMap {
            TestDrive.words(source: $0.url, destinations: status.destinations.filter(\.isServed).map { printable($0.name) })
        }
    }

    /// Where other programs get positions, and how many do.
    private var shareLines: [String] {
        status.share.enumerated().map { index, door in
            let state = door.clientCount.map { counted($0, "client") } ?? (door.problem == nil ? "sent to whoever listens" : "shut")
            let isWarned = door.isOpenToNetwork && door.problem == nil && door.level.isAllowed
            let warning = isWarned ? "; everybody in that network may read the position" : ""
            let level = StatusScreen.words(doorLevel: door.level)
            return "\(index == 0 ? "share     " : "          ")\(door.name) \(printable(door.place)): \(state)\(level)\(warning)"
        }
    }

    /// That a door does not give everything.
    private static func words(doorLevel: AuthorisationLevel) -> String {
        switch doorLevel {
        case .full: ""
        case .reduced: "; gives only roughly where it is"
        case .none, .notDetermined: "; gives nothing ([door] in the policy)"
        }
    }

    private var privacyLines: [String] {
        guard let privacy = status.privacy, privacy.isPrivate || privacy.isWithheld else { return [] }
        if privacy.isPrivate {
            return [
                "privacy   private mode is on: nothing is logged, sent or shared; to end it:",
                "\(StatusScreen.commandIndent)waypost private off",
            ]
        }
        let what =
            privacy.isCoarse
            ? "only one coarse place for the whole zone is logged, sent and shared" : "nothing is logged, sent or shared"
        return ["privacy   inside a privacy zone: \(what)"]
    }

    private var positionLines: [String] {
        if let position = status.position {
            let words = PositionLine(position, format).words
            let second = [words[1], position.time.map { "at \(format.moment($0))" }].compactMap { $0 }
            return ["position  \(words[0])", "          \(second.joined(separator: ", "))"]
        }
        let last = LastPlace(status.lastPosition, ageSeconds: status.lastPositionAgeSeconds, format)
        return last.map { ["position  none now; \($0.words)"] } ?? []
    }

    /// The road, while positions are matched.
    private var roadLines: [String] {
        guard let roads = status.roads, roads.isMatching, status.position != nil else { return [] }
        if let place = roads.place { return ["road      \(RoadWords(place, format.units).detail)"] }
        // What is wrong with the file is among the problems.
        let why = roads.isCovered.map { $0 ? " near" : ": the road file does not have this area" } ?? ": no road file can be used"
        return ["road      none\(why)"]
    }

    /// The fences, those the device is inside of, and the last events.
    private func fenceLines(_ fences: StatusReport.Fences) -> [String] {
        let inside = fences.inside ?? []
        let names = inside.isEmpty ? "" : ", inside \(inside.prefix(5).joined(separator: ", "))\(inside.count > 5 ? " and more" : "")"
        let events = fences.events.suffix(3).enumerated().map { index, event in
            "\(index == 0 ? "events    " : "          ")\(EventLine(event, format).text)"
        }
        return ["fences    \(counted(fences.count, "fence"))\(names)"] + events
    }

    /// What was logged, what it cost the disk, and what was left out.
    private func logLines(_ log: StatusReport.Log) -> [String] {
        let state = status.privacy?.isWithheld == true ? ", nothing now" : log.isRecording ? "" : ", paused"
        let segments = log.segmentCount > 1 ? " in \(log.segmentCount) segments" : ""
        // Not what the log holds: some may be erased, and earlier runs have recorded, too.
        let counts = "this run recorded \(counted(log.positionCount, "position"))\(segments)"
        let writes = log.writes
        let bytes = writes.journalByteCount &+ writes.trackByteCount &+ writes.otherByteCount
        var disk = "          disk: \(counted(writes.synchronizationCount, "fsync")), \(sizeText(bytes: bytes))"
        if let fsyncs = writes.synchronizationsPerDay, let daily = writes.bytesPerDay {
            disk += "; a day \(counted(fsyncs, "fsync")), \(sizeText(bytes: daily))"
        }
        let others = [
            ("without time", log.untimedCount), ("not measured", log.notMeasuredCount), ("repeated", log.repeatedCount),
            ("thinned", log.thinnedCount), ("failed", log.failedCount),
        ].filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }
        return ["log       \(log.directory)\(state): \(counts)", disk]
            + (others.isEmpty ? [] : ["          not logged: \(others.joined(separator: ", "))"])
    }

    /// How closely the device is followed, and for whom; nothing while it is every fix for the tracker itself alone.
    private func words(_ following: StatusReport.Following) -> String? {
        let reasons = following.clients.map(\.reason).filter { $0 != "tracker" }
        let rest = following.isStationary ? ", at rest" : ""
        let reason = reasons.isEmpty ? "" : ", for \(reasons.joined(separator: ", "))"
        switch following.pace {
        case .asleep: return "asleep, the receiver wakes in \(spanText(seconds: following.asleepSeconds ?? 0))\(rest)\(reason)"
        case .sampling: return "one fix now and then\(rest)\(reason)"
        case .unneeded: return "nobody needs positions"
        default: return rest.isEmpty && reason.isEmpty ? nil : "every fix\(rest)\(reason)"
        }
    }

    private func satellites(_ source: StatusReport.Source) -> String {
        PositionSearch.satelliteWords(used: source.satellitesUsed, seen: source.satellitesSeen).map { ", \($0)" } ?? ""
    }
}
