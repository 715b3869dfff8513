import Waypost
import WaypostConfiguration
import WaypostSystem

/// A log folder on a disk that cannot be written, or that loses everything at the next start.
enum LogFolderCheck: DoctorCheck {
    static let name = "log"

    static func examine(_ facts: SystemFacts) -> CheckReport {
        guard facts.configuration != nil else { return .notChecked(facts.whyNoConfiguration) }
        if facts.isLogOff { return .notChecked(SystemFacts.logIsOff) }
        guard let table = MountTable(facts.tree) else { return .notChecked("no /proc/mounts") }
        let folder = facts.tree.resolved(facts.logFolder)
        guard let mount = table.mount(of: folder) else { return .notChecked("/proc/mounts has no disk for \(folder)") }
        let isConfigured = isConfigured(facts)
        let setting = isConfigured ? facts.evidence(of: "[log] directory", text: "directory = \"\(facts.logFolder)\"") : nil
        let evidence = [mount.evidence] + [setting].compactMap { $0 }
        if mount.isReadOnly {
            let commands = mount.folder == "/" ? ["sudo mount -o remount,rw /"] : ["sudo mount -o remount,rw \(shellWord(mount.folder))"]
            let move = isConfigured ? move(facts, table) : nil
            return .found(
                Finding(
                    what: "\(folder) is on a disk that cannot be written (\(mount.folder)): nothing is logged", evidence: evidence,
                    commands: move ?? commands))
        }
        if facts.isService, isConfigured, let sandbox = ServiceSandbox(facts), !sandbox.allows(facts.logFolder), !sandbox.allows(folder) {
            let place = shellWord(facts.logFolder)
            return .found(
                Finding(
                    what: "the service may not write in \(facts.logFolder): its unit allows other folders only",
                    evidence: [sandbox.evidence] + [setting].compactMap { $0 },
                    commands: ["sudo install -d -o waypost -g waypost -m 2750 \(place)"] + ServiceSandbox.allowingCommands(place)
                        + facts.restartCommands))
        }
        let upper = table.upperMount(of: mount)
        if mount.isInMemory || upper?.isInMemory == true {
            let kind = mount.isInMemory ? mount.kind : "an overlay in \(upper?.kind ?? "memory")"
            let mend = mend(facts, table)
            return .found(
                Finding(
                    what: "\(folder) is in memory (\(kind)): the tracks are gone at the next start\(mend.advice)",
                    evidence: evidence + [upper?.evidence].compactMap { $0 }, commands: mend.commands))
        }
        if mount.kind == "overlay", upper == nil {
            let what = "\(folder) is on an overlay: whether the tracks outlast the next start is not to be seen"
            return .found(Finding(level: .note, what: what, evidence: evidence, commands: ["findmnt --target \(shellWord(folder))"]))
        }
        return .well
    }

    /// Whether the tracker logs where the configuration says; one that was started by hand with `--log` does not, whatever is set there.
    private static func isConfigured(_ facts: SystemFacts) -> Bool {
        facts.logFolder == facts.configuration?.configuration.log.directory
    }

    /// How to keep the tracks over a restart.
    ///
    /// Where the configuration is also in memory, a change of it would be lost with the tracks: the cover over the disk must go first.
    private static func mend(_ facts: SystemFacts, _ table: MountTable) -> (advice: String, commands: [String]) {
        guard isConfigured(facts) else {
            let configured = facts.configuration?.configuration.log.directory ?? ""
            let lasts = !table.forgets(facts.tree.resolved(configured))
            let advice =
                "; start the tracker with --log and a folder that lasts\(lasts ? ", or without --log: it then logs in \(configured)" : "")"
            return (advice, move(facts, table) ?? ["lsblk -f"])
        }
        let move = move(facts, table)
        let configurationFolder = folder(of: facts.configurationFile)
        guard table.forgets(facts.tree.resolved(configurationFolder)) else {
            if let move { return ("", move) }
            return ("; mount a disk, and name a folder on it as [log] directory", ["lsblk -f"])
        }
        let root = table.mount(of: facts.tree.resolved(configurationFolder))
        guard root?.kind == "overlay" else {
            return (", and so is \(configurationFolder): install the system on a disk", ["lsblk -f"])
        }
        if facts.tree.exists("/usr/sbin/overlayroot-chroot") {
            let off = #"sudo overlayroot-chroot sed -i 's|^overlayroot=.*|overlayroot="disabled"|' /etc/overlayroot.conf"#
            return ("; end the overlay", [off, "sudo reboot"])
        }
        let off = ["sudo raspi-config nonint disable_overlayfs", "sudo reboot"]
        guard let move else { return ("; end the overlay", off) }
        return (
            "; end the overlay, move the log to the other disk, and then set the overlay up again if you want it",
            off + ["# after the restart:"] + move + ["sudo raspi-config nonint enable_overlayfs", "sudo reboot"]
        )
    }

    /// The commands that move the log to a permanent disk; nil when there is none.
    private static func move(_ facts: SystemFacts, _ table: MountTable) -> [String]? {
        // Preferably a separate disk: the system's may be read-only for a reason.
        let disks = table.mounts.filter { mount in
            mount.isDisk && mount.hasOwners && table.mount(of: mount.folder) == mount
                && !systemFolders.contains(where: mount.folder.hasPrefix)
        }
        let places = (disks.filter { $0.folder != "/" } + disks.filter { $0.folder == "/" }).flatMap { disk in
            let folders = disk.folder == "/" ? ["/var/lib/waypost/log", "/srv/waypost", "/opt/waypost"] : [disk.folder + "/waypost"]
            // Another mount may cover the place.
            return folders.filter { table.mount(of: facts.tree.resolved($0)) == disk }
        }
        guard let place = places.first else { return nil }
        let folder = shellWord(place)
        let setting = facts.commands(adding: #"[log]\ndirectory = "%s"\n"#, folder, as: "log")
        guard facts.isService else {
            // The tracker's user writes there, whoever asks.
            let user = facts.tracker.flatMap(facts.user) ?? facts.measurements.user?.name
            let owner = user.map { "-o \(shellWord($0)) " } ?? ""
            let create = "sudo install -d \(owner)-m 2750 \(folder)"
            guard isConfigured(facts) else {
                return [create] + facts.restartCommands.filter { !$0.hasPrefix("#") } + [
                    "# then start the tracker again with --log \(folder)"
                ]
            }
            return [create] + setting + facts.restartCommands
        }
        let change =
            isConfigured(facts) ? setting : ["# in ExecStart=, --log \(folder):", "sudo systemctl edit --full \(SystemFacts.unitName)"]
        return ["sudo install -d -o waypost -g waypost -m 2750 \(folder)"] + change + ServiceSandbox.allowingCommands(folder)
            + facts.restartCommands
    }

    /// Where containers mount single files of their host, such as `/etc/hosts`.
    private static let systemFolders = ["/run/host", "/etc/", "/proc/", "/sys/", "/dev/", "/usr/"]

    private static func folder(of file: String) -> String { file.lastIndex(of: "/").map { String(file[..<$0]) } ?? "." }
}
