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
        let disk = MountTable(facts.tree)?.mount(of: folder)?.folder ?? "/"
        var commands = ["sudo du -xh --max-depth=2 \(shellWord(disk)) | sort -h | tail -n 20"]
        var what = "the disk of \(folder) "
        what +=
            pause == nil
            ? "has little room (\(room)): logging pauses when it is full" : "is full (\(room)): logging is paused, and resumes by itself"
        if ["/", "/var"].contains(disk) {
            what += "; with min_free the tracker deletes its oldest tracks, sent or not, before it comes to that"
            commands += ["sudo journalctl --vacuum-size=50M", "sudo apt-get clean"]
            commands += facts.commands(adding: #"[log]\nmin_free = "200 MB"\n"#, as: "disk") + facts.restartCommands
        } else {
            what += "; make room on it"
        }
        return .found(Finding(what: what, evidence: evidence.compactMap { $0 }, commands: commands))
    }
}
