import Waypost
import WaypostControl
import WaypostPositioning
import WaypostSystem

/// A receiver without a single satellite, after a time in which every working antenna has shown some.
enum AntennaCheck: DoctorCheck {
    static let name = "antenna"

    static func examine(_ facts: SystemFacts) -> CheckReport {
        guard let source = TrackerSource(facts) else { return .notChecked(TrackerSource.whyUnknown(facts)) }
        if source.isPlayed { return .notChecked("\(source.url) has no antenna") }
        if source.isUnreadable { return .notChecked(PositionSearch.unreadableWords) }
        guard source.sends else { return .notChecked("no receiver sends anything") }
        guard source.isWithoutSatellites else { return .well }
        let evidence = [Evidence(file: facts.measurements.statusFile, text: source.words)]
        let isLate = source.secondsWithoutFix >= source.firstFixSeconds
        return .found(
            Finding(
                level: isLate ? .fault : .note,
                what: isLate
                    ? "no satellite in view for \(spanText(seconds: source.secondsWithoutFix)): the antenna is unplugged, broken, without power, or under metal"
                    : "no satellite in view\(source.waitWords) yet; \(PositionSearch.coldStartWords)",
                evidence: evidence,
                commands: isLate && source.isSerial
                    ? source.receiverCommands(facts)
                    : [TrackerSource.watchCommand]))
    }
}
