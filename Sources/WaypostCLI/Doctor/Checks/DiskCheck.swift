import Waypost
import WaypostControl
import WaypostSystem

/// A disk so full that logging pauses.
enum DiskCheck: DoctorCheck {
    static let name = "disk"

    /// With less space the next journal and its track do not fit: 16 MB and its GPX files (`[log] rotate_bytes`).
    static let leastFreeBytes: Int64 = 32_000_000

    static func examine(_ facts: SystemFacts) -> CheckReport {
        guard facts.configuration != nil else { return .notChecked(facts.whyNoConfiguration) }
        if facts.isLogOff { return .notChecked(SystemFacts.logIsOff) }
        let folder = facts.tree.resolved(facts.logFolder)
        let pause = facts.measurements.status?.problems?.first {
            $0.hasPrefix("logging is paused") && $0.contains("No space left")
        }
        let free = facts.measurements.free(at: folder, in: facts.tree)
        let isFull = free.map { $0.byteCount < leastFreeBytes } ?? false
        guard isFull || pause != nil else {
            return free == nil ? .notChecked("the free space at \(folder) is not known") : .well
        }
        let evidence = [pause.map { Evidence(file: facts.measurements.statusFile, text: $0) }, isFull ? free?.evidence : nil]
        let room = free.map { "\(sizeText(bytes: $0.byteCount)) free" } ?? "no room"
        return .found(
            Finding(
                what: "the disk of \(folder) is full (\(room)): "
                    + (pause == nil ? "logging is about to pause" : "logging is paused, and resumes by itself"),
                evidence: evidence.compactMap { $0 },
                commands: [
                    "sudo du -xh --max-depth=2 / | sort -h | tail -n 20", "sudo journalctl --vacuum-size=50M", "sudo apt-get clean",
                ] + facts.commands(adding: #"[log]\nmin_free = "200 MB"\n"#, as: "disk") + facts.restartCommands))
    }
}
