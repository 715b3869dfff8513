import Waypost
import WaypostControl
import WaypostSystem

/// Facts that no file of a system contains: measured on the running system, or saved in a tree as the output of commands.
///
/// In a tree these are `/commands/status.json` (`waypost status --json`), `/commands/df` (`df -P -k`) and `/commands/timedatectl`
/// (`timedatectl show`). Anything missing is unknown.
struct Measurements: Sendable {
    /// The tracker's status.
    var status: StatusReport?
    /// Why the saved status cannot be read; nil when it can, or when there is none.
    var statusDamage: String?
    /// Why the running system's tracker has not answered; nil when it has, or in a saved system.
    var silence: TrackerSilence?
    /// The status's name as evidence.
    var statusFile = "waypost status"
    /// Free space on the disks, by mount point or folder.
    var free: [Free] = []
    /// Whether something keeps the clock right.
    var isClockSynchronized: (value: Bool, evidence: Evidence)?
    /// How the service ended by itself, if the tracker does not run; nil when it did not, or when that is not known.
    var serviceEnd: ExitStatus?
    /// The user of this command, unless that is root or the system is a saved one.
    var user: User?

    /// The free space on a disk.
    struct Free: Equatable, Sendable {
        /// The requested folder, or the disk's mount point.
        var folder: String
        /// How many bytes an unprivileged program can still write.
        var byteCount: Int64
        /// The evidence.
        var evidence: Evidence
    }

    /// A user who runs the tracker by hand.
    struct User: Equatable, Sendable {
        /// The name.
        var name: String
        /// The numbers of the groups that this login has.
        var groupIDs: [Int]
    }

    /// The measurements saved in a tree.
    init(saved tree: SystemTree) {
        statusFile = "/commands/status.json"
        let text = tree.lines(of: statusFile)?.map(\.text).joined(separator: "\n")
        if let text {
            do throws(ControlAnswerError) { status = try StatusReport(line: Array(text.utf8)) } catch {
                statusDamage =
                    text.isEmpty
                    ? "\(statusFile) is empty: the tracker did not answer when it was saved"
                    : "\(statusFile) is damaged: it is not a whole answer of waypost status --json"
            }
        }
        for line in tree.lines(of: "/commands/df")?.dropFirst() ?? [] {
            // Filesystem 1024-blocks Used Available Capacity Mounted on
            let fields = line.text.split(separator: " ", maxSplits: 5)
            guard fields.count == 6, let kilobytes = Int64(fields[3]), kilobytes >= 0 else { continue }
            free.append(
                Free(folder: String(fields[5]), byteCount: kilobytes.multipliedReportingOverflow(by: 1_024).partialValue, evidence: line))
        }
        if let line = tree.lines(of: "/commands/timedatectl")?.first(where: { $0.text.hasPrefix("NTPSynchronized=") }) {
            isClockSynchronized = (line.text.hasSuffix("=yes"), line)
        }
    }

    /// The measurements of this system now.
    ///
    /// - Parameters:
    ///   - status: the tracker's answer; nil when it does not run.
    ///   - tree: this system's files.
    init(status: StatusReport?, user: String?, tree: SystemTree) {
        self.status = status
        serviceEnd = status == nil && tree.root.isEmpty ? ServiceState.now.exitStatus : nil
        isClockSynchronized = ClockDiscipline.isSynchronized.map {
            ($0, Evidence(file: "adjtimex", text: $0 ? "synchronized" : "unsynchronized"))
        }
        let groups = tree.lines(of: "/proc/self/status")?.first { $0.text.hasPrefix("Groups:") }
        let numbers = groups?.text.split { $0 == " " || $0 == "\t" }.dropFirst().compactMap { Int($0) } ?? []
        self.user = user.flatMap { $0 == "root" ? nil : User(name: $0, groupIDs: numbers) }
    }

    /// The free space at a folder: on the running system measured now, otherwise that of the disk it is on.
    func free(at folder: String, in tree: SystemTree) -> Free? {
        if tree.root.isEmpty {
            // For a folder that does not exist yet, the disk it will be on.
            var place = Substring(folder)
            while !Syscalls.exists(String(place)), let slash = place.lastIndex(of: "/") { place = place[..<slash] }
            let path = place.isEmpty ? "/" : String(place)
            guard let bytes = Syscalls.freeByteCount(at: path) else { return nil }
            return Free(folder: folder, byteCount: bytes, evidence: Evidence(file: path, text: "\(sizeText(bytes: bytes)) free"))
        }
        return free.filter { isBelow(folder, $0.folder) }.max { $0.folder.count < $1.folder.count }
    }
}

/// Whether a path is a folder or lies below it.
func isBelow(_ path: String, _ folder: String) -> Bool {
    folder == "/" || path == folder || path.hasPrefix(folder + "/")
}
