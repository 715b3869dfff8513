import Waypost
import WaypostConfiguration
import WaypostControl
import WaypostPositioning
import WaypostSystem

/// A running tracker without positions, and why.
enum FixCheck: DoctorCheck {
    static let name = "position"

    static func examine(_ facts: SystemFacts) -> CheckReport {
        guard let source = TrackerSource(facts) else { return .notChecked(TrackerSource.whyUnknown(facts)) }
        // A recording has only what was recorded.
        guard source.lacksPositions, !source.isPlayed, !source.isWithoutSatellites else { return .well }
        let evidence = [Evidence(file: facts.measurements.statusFile, text: source.words)]
        if let search = source.search, source.reason != .noFix, source.reason != nil {
            // The tracker has tried, and says what to do.
            // When it refers people to the doctor, it knows no more: the programs on the line may be the reason.
            let isSentHere = search.commands.contains { $0.hasSuffix("waypost doctor") }
            let words = isSentHere ? search.tried.map { "\($0.source): \($0.found)" }.joined(separator: "; ") : search.next
            let holders = facts.ports.flatMap { facts.holders(of: $0.device) }.map(\.program).filter { $0.name != "waypostd" }
            let known = isSentHere ? holders.map(\.stopCommand) : search.commands
            let tried = search.tried.map { Evidence(file: facts.measurements.statusFile, text: "\($0.source): \($0.found)") }
            return .found(
                Finding(
                    what: "no position\(source.waitWords); \(oneLine(words, limit: 300))", evidence: tried,
                    commands: known.isEmpty && isSentHere && source.isReceiver ? ["sudo waypost devices"] : known))
        }
        switch source.reason {
        case .noFix?, nil:
            guard source.secondsWithoutFix >= source.firstFixSeconds else {
                let what = "no fix\(source.waitWords) yet; \(PositionSearch.coldStartWords)"
                return .found(Finding(level: .note, what: what, evidence: evidence, commands: [TrackerSource.watchCommand]))
            }
            let sky = PositionSearch.satelliteWords(used: source.satellitesUsed, seen: source.satellitesSeen).map { " (\($0))" } ?? ""
            return .found(
                Finding(
                    what: "the receiver sends, but has no fix\(sky); \(PositionSearch.openSkyAdvice)",
                    evidence: evidence, commands: [TrackerSource.watchCommand]))
        case .silent?:
            return .found(
                Finding(
                    what: "\(source.url) is open, but nothing comes", evidence: evidence,
                    commands: !source.isReceiver
                        ? [] : source.commandsForSilence(facts) + ["sudo waypost devices"]))
        default:
            // The tracker's words say what to do, where only one thing helps.
            let words = source.detail ?? source.reason?.text ?? "lost"
            return .found(
                Finding(
                    what: "no positions: \(oneLine(words, limit: 300))", evidence: evidence,
                    commands: source.isReceiver && !source.sends ? ["sudo waypost devices"] : []))
        }
    }
}

/// What `waypost status` says about the source of positions.
struct TrackerSource: Sendable {
    /// The source's URL.
    let url: String
    /// How it is.
    let state: StatusReport.SourceState
    /// The code of a loss; nil when there is none.
    let reason: LossCode?
    /// The loss in words.
    let detail: String?
    /// What was tried, and what to do next; nil when the tracker does not say.
    let search: SearchWords?
    /// Satellites in view, as far as the receiver reports them.
    let satellitesSeen: Int?
    /// Satellites used.
    let satellitesUsed: Int?
    /// How long there has been no position; where the tracker does not say, how long it has run.
    let secondsWithoutFix: Int
    /// How long a receiver may take until its first fix.
    let firstFixSeconds: Int

    /// Shows the first fix when it arrives.
    static let watchCommand = "waypost watch --count 1 --timeout 900"

    /// What the tracker says; nil when it says nothing.
    init?(_ facts: SystemFacts) {
        guard let status = facts.measurements.status, let source = status.source else { return nil }
        // A planned sleep is not a loss.
        let pace = status.following?.pace
        state = pace == .asleep || pace == .unneeded ? .fix : source.state
        url = source.url
        reason = source.reason
        detail = source.detail
        search = SearchWords(status)
        satellitesSeen = source.satellitesSeen
        satellitesUsed = source.satellitesUsed
        secondsWithoutFix = search?.seconds ?? status.uptimeSeconds
        let timeout = facts.configuration?.configuration.tracking.firstFixTimeout ?? .seconds(60)
        firstFixSeconds = Int(timeout / .seconds(1))
    }

    /// Why nothing is known.
    static func whyUnknown(_ facts: SystemFacts) -> String {
        if facts.measurements.status != nil { return "this user may not see the tracker's source; use sudo" }
        if let damage = facts.measurements.statusDamage { return damage }
        return facts.tree.root.isEmpty
            ? "the tracker does not answer" : "no \(facts.measurements.statusFile)"
    }

    /// Whether there are no positions although there should be.
    var lacksPositions: Bool { state == .searching || state == .lost }

    /// Whether a receiver sends something, as far as the tracker knows.
    var sends: Bool { !lacksPositions || [nil, .noFix, .unusable].contains(reason) }

    /// Whether some source delivers data in which no position can be read; its satellites and its speed are not known then.
    var isUnreadable: Bool {
        lacksPositions
            && ([detail ?? ""] + (search?.tried.map(\.found) ?? [])).contains { $0.contains(PositionSearch.unreadableWords) }
    }

    /// How long there has been no position: ` for 20 s`; empty where that has only begun.
    var waitWords: String { secondsWithoutFix < 1 ? "" : " for \(spanText(seconds: secondsWithoutFix))" }

    /// Whether a serial line of the machine delivers them.
    var isSerial: Bool { url.hasPrefix("serial:") }

    /// The commands that show whether its receiver sends.
    func commandsForSilence(_ facts: SystemFacts) -> [String] {
        if isSerial { return receiverCommands(facts) }
        return [GPSDKind(ofSource: url).showCommand]
    }

    /// The commands that inspect the receiver of the line: the tracker has the port, and must release it first.
    func receiverCommands(_ facts: SystemFacts) -> [String] {
        let named = url.hasPrefix("serial:///") ? String(url.dropFirst("serial://".count).prefix { $0 != "?" }) : nil
        let port = named ?? facts.lines(openedBy: "waypostd").first
        let show = "sudo waypost receiver show" + (port.map { " --port \(shellWord($0))" } ?? "")
        if facts.isService { return ["sudo systemctl stop waypostd.service", show, "sudo systemctl start waypostd.service"] }
        return facts.restartCommands.dropLast() + [show] + facts.restartCommands.suffix(1)
    }

    /// Whether a receiver delivers them, here or through gpsd.
    var isReceiver: Bool { isSerial || url.hasPrefix("gpsd:") }

    /// Whether a recording or a simulation delivers them.
    var isPlayed: Bool { SourceRegistry.kind(named: url)?.isPlayed == true }

    /// Whether the receiver reports, but without a single satellite in view.
    var isWithoutSatellites: Bool { lacksPositions && (reason == nil || reason == .noFix) && (satellitesSeen ?? 0) == 0 }

    /// The state in one line.
    var words: String {
        let sky = ", " + (PositionSearch.satelliteWords(used: satellitesUsed, seen: satellitesSeen ?? 0) ?? "")
        return "source \(url): \(detail ?? state.text)\(lacksPositions ? sky : "")"
    }
}
