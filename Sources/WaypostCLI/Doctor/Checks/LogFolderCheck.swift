/// The folder of the tracks on a disk that cannot be written, or that forgets everything at the next start.
enum LogFolderCheck: DoctorCheck {
    static let name = "log"

    static func examine(_ facts: SystemFacts) -> CheckReport {
        guard facts.configuration != nil else { return .notChecked("the configuration has mistakes") }
        if facts.isLogOff { return .notChecked(SystemFacts.logIsOff) }
        guard let table = MountTable(facts.tree) else { return .notChecked("no /proc/mounts") }
        let folder = facts.tree.resolved(facts.logFolder)
        guard let mount = table.mount(of: folder) else { return .notChecked("\(folder) is on no disk of /proc/mounts") }
        let setting = facts.evidence(of: "[log] directory", text: "directory = \"\(facts.logFolder)\"")
        let evidence = [mount.evidence] + [setting].compactMap { $0 }
        if mount.isReadOnly {
            let commands = mount.folder == "/" ? ["sudo mount -o remount,rw /"] : ["sudo mount -o remount,rw \(shellWord(mount.folder))"]
            return .found(
                Finding(
                    what: "\(folder) is on a disk that cannot be written (\(mount.folder)): nothing is logged", evidence: evidence,
                    commands: move(facts, table) ?? commands))
        }
        let upper = table.upperMount(of: mount)
        if mount.isInMemory || upper?.isInMemory == true {
            let kind = mount.isInMemory ? mount.kind : "an overlay in \(upper?.kind ?? "memory")"
            let commands =
                move(facts, table) ?? (mount.kind == "overlay" ? ["sudo raspi-config nonint disable_overlayfs", "sudo reboot"] : nil)
            return .found(
                Finding(
                    what: "\(folder) is in memory (\(kind)): the tracks are gone at the next start",
                    evidence: evidence + [upper?.evidence].compactMap { $0 },
                    commands: commands ?? ["sudo umount \(shellWord(mount.folder))"]))
        }
        if mount.kind == "overlay", upper == nil {
            let what = "\(folder) is on an overlay: whether the tracks outlast the next start is not to be seen"
            return .found(Finding(level: .note, what: what, evidence: evidence, commands: ["findmnt --target \(shellWord(folder))"]))
        }
        return .well
    }

    /// The commands that move the log to a disk that keeps it; nil when there is none.
    private static func move(_ facts: SystemFacts, _ table: MountTable) -> [String]? {
        // A disk of its own rather than the system's, which somebody may have made read-only for a reason.
        let disks = table.mounts.filter { $0.isDisk && table.mount(of: $0.folder) == $0 }
        guard let disk = disks.first(where: { $0.folder != "/" }) ?? disks.first else { return nil }
        let folder = shellWord(disk.folder == "/" ? "/var/lib/waypost/log" : disk.folder + "/waypost")
        return [
            "sudo install -d -o waypost -g waypost -m 2750 \(folder)",
            #"printf '[log]\ndirectory = "%s"\n' \#(folder) | sudo tee /etc/waypost/conf.d/log.toml"#,
            "sudo mkdir -p /etc/systemd/system/waypostd.service.d",
            #"printf '[Service]\nReadWritePaths=%s\n' \#(folder) | sudo tee /etc/systemd/system/waypostd.service.d/log.conf"#,
            "sudo systemctl daemon-reload", SystemFacts.restartCommand,
        ]
    }
}
