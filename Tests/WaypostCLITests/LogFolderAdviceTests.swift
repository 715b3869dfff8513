import Testing
import WaypostControl
import WaypostSystem

@testable import WaypostCLI

/// The promise: what the doctor advises about tracks in memory mends that, and does not lead to the same fault after the next start.
@Suite struct LogFolderAdviceTests {
    private let overlay = """
        tmpfs /media/root-rw tmpfs rw 0 0
        overlay / overlay rw,lowerdir=/media/root-ro,upperdir=/media/root-rw/overlay,workdir=/media/root-rw/work 0 0

        """

    private func finding(_ mounts: String, _ change: (FakeSystem) throws -> Void = { _ in }) throws -> Finding {
        try #require(try findings(mounts, change).first)
    }

    private func findings(_ mounts: String, _ change: (FakeSystem) throws -> Void) throws -> [Finding] {
        let system = try FakeSystem()
        try system.write(mounts, to: "/proc/mounts")
        try change(system)
        let tree = SystemTree(root: system.path)
        return LogFolderCheck.examine(SystemFacts(tree: tree, measurements: Measurements(saved: tree))).findings
    }

    @Test func endsTheOverlayBeforeTheConfigurationIsChanged() throws {
        let found = try finding(overlay + "/dev/sda1 /mnt/data ext4 rw 0 0\n")
        let off = try #require(found.commands.firstIndex(of: "sudo raspi-config nonint disable_overlayfs"))
        let change = try #require(found.commands.firstIndex { $0.contains("/etc/waypost/conf.d/log.toml") })
        #expect(off < change, "a change in an overlay is gone at the next start")
        #expect(found.commands.suffix(2) == ["sudo raspi-config nonint enable_overlayfs", "sudo reboot"])
        #expect(found.commands.contains { $0.contains("/mnt/data/waypost") })
    }

    @Test func endsTheOverlayOfUbuntu() throws {
        let found = try finding(overlay) { try $0.write("", to: "/usr/sbin/overlayroot-chroot") }
        #expect(found.commands.first?.hasPrefix("sudo overlayroot-chroot sed -i ") == true)
    }

    @Test(arguments: ["tmpfs /var tmpfs rw 0 0\n", "tmpfs /var/log tmpfs rw 0 0\ntmpfs /var/lib tmpfs rw 0 0\n"])
    func namesAFolderThatIsOnTheDisk(mounts: String) throws {
        let found = try finding("/dev/mmcblk0p2 / ext4 rw 0 0\n" + mounts)
        #expect(found.commands.first == "sudo install -d -o waypost -g waypost -m 2750 /srv/waypost")
    }

    /// `ProtectSystem=strict` makes a folder read-only for the service that everybody else may write.
    @Test func letsTheServiceWriteWhereTheLogIs() throws {
        let disk = "/dev/mmcblk0p2 / ext4 rw 0 0\n"
        let unit = "[Service]\nUser=waypost\nProtectSystem=strict\nReadWritePaths=-/data -/srv\n"
        func system(_ folder: String, _ system: FakeSystem) throws {
            try system.write(unit, to: "/usr/lib/systemd/system/waypostd.service")
            try system.write("[log]\ndirectory = \"\(folder)\"\n", to: "/etc/waypost/waypost.toml")
        }
        let found = try finding(disk) { try system("/opt/tracks", $0) }
        #expect(found.what.hasPrefix("the service may not write in /opt/tracks"))
        #expect(found.commands.contains { $0.contains("ReadWritePaths=%s\\n' /opt/tracks") })
        #expect(try findings(disk) { try system("/srv/tracks", $0) }.isEmpty)
        let allowed = try findings(disk) {
            try system("/opt/tracks", $0)
            try $0.write("[Service]\nReadWritePaths=/opt/tracks\n", to: "/etc/systemd/system/waypostd.service.d/log.conf")
        }
        #expect(allowed.isEmpty)
    }

    /// A change of `[log] directory` mends nothing for a tracker that was started with `--log`.
    @Test func leavesASettingThatDoesNotDecide() throws {
        let found = try finding("/dev/mmcblk0p2 / ext4 rw 0 0\ntmpfs /mnt tmpfs rw 0 0\n") {
            try $0.write("[log]\ndirectory = \"/srv/tracks\"\n", to: "/etc/waypost/waypost.toml")
            try writeLogFolder("/mnt/log", of: $0)
        }
        #expect(found.what.contains("/mnt/log is in memory") && found.what.hasSuffix(", or without --log: it then logs in /srv/tracks"))
        #expect(!found.evidence.contains { $0.text.contains("directory") } && !found.commands.contains { $0.contains("log.toml") })
        #expect(found.commands.contains { $0.hasSuffix("--log /var/lib/waypost/log:") || $0.hasSuffix("--log /var/lib/waypost/log") })
        #expect(!found.commands.contains { $0.contains("as before") }, "with the same --log")
    }

    /// What is set would lose the tracks just so.
    @Test func sendsNobodyFromOneFolderInMemoryToAnother() throws {
        let found = try finding("/dev/mmcblk0p2 / ext4 rw 0 0\ntmpfs /mnt tmpfs rw 0 0\n") {
            try $0.write("[log]\ndirectory = \"/mnt/tracks\"\n", to: "/etc/waypost/waypost.toml")
            try writeLogFolder("/mnt/log", of: $0)
        }
        #expect(found.what.hasSuffix("start the tracker with --log and a folder that lasts"))
    }

    private func writeLogFolder(_ folder: String, of system: FakeSystem) throws {
        var (status, log) = (StatusReport(), StatusReport.Log())
        log.directory = folder
        status.log = log
        try system.write(String(decoding: status.line, as: UTF8.self) + "\n", to: "/commands/status.json")
    }

    @Test func namesNoDiskWithoutOwners() throws {
        let found = try finding("rootfs / tmpfs rw 0 0\n/dev/sda1 /mnt/stick vfat rw 0 0\n")
        #expect(found.commands == ["lsblk -f"])
        #expect(found.what.hasSuffix("install the system on a disk"))
    }
}
