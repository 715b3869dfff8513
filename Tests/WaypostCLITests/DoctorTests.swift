import Glibc
import Testing
import Waypost
import WaypostControl
import WaypostSystem

@testable import WaypostCLI

/// One system per fault: the doctor finds exactly that one, with the line that shows it and the command that mends it.
@Suite struct DoctorTests {
    /// A fault, how to bring it about in a system that is well, and what must be said of it.
    struct Fault: CustomTestStringConvertible, Sendable {
        var name: String
        var check: String
        var evidence: String
        var command: String
        var cause: @Sendable (FakeSystem) throws -> Void
        var testDescription: String { name }
    }

    @Test func findsNothingInASystemThatIsWell() throws {
        let reports = try FakeSystem().examine()
        for (check, report) in reports { #expect(report == .well, "\(check): \(report)") }
        #expect(reports.count == 20)
    }

    @Test func findsNothingOnAReceiverOnThePinsThatIsWell() throws {
        let system = try FakeSystem()
        try system.moveToPins()
        for (check, report) in system.examine() { #expect(report == .well, "\(check): \(report)") }
    }

    @Test func inventsNothingWhereNothingIsKnown() throws {
        let system = try FakeSystem()
        for name in ["proc", "sys", "etc", "boot", "usr", "commands"] { try system.remove("/" + name) }
        #expect(system.findings().isEmpty && system.findings(.note).isEmpty)
        let unchecked = system.examine().filter { $0.report.notChecked != nil }.map(\.check)
        #expect(
            unchecked == [
                "configuration", "service", "console", "uart", "modemmanager", "gpsd", "readers", "baud", "permission", "position",
                "antenna", "owner", "log", "disk", "clock", "policy", "sharing", "map page", "roads", "status",
            ])
    }

    /// A tracker that root ran in the service's folders leaves files there that the service may not write.
    @Test(.enabled(if: getuid() == 0, "gives files to other users")) func findsFilesOfRootInTheServicesFolders() throws {
        let system = try FakeSystem()
        try system.write("[Service]\nUser=waypost\n", to: "/lib/systemd/system/waypostd.service")
        let files = ["/var/lib/waypost/kept/state/last-position", "/var/log/waypost/journal/.sequence"]
        for name in files { try system.write("x", to: name) }
        let state = ["/var/lib/waypost", "/var/lib/waypost/kept", "/var/lib/waypost/kept/state"]
        let folders = state + ["/var/log/waypost", "/var/log/waypost/journal"]
        for name in files + folders { #expect(chown(system.path + name, 990, 990) == 0) }
        #expect(system.findings().filter { $0.check == "owner" }.isEmpty)
        #expect(chown(system.path + files[1], 0, 0) == 0)
        let finding = try #require(system.findings().first { $0.check == "owner" }).finding
        #expect(finding.evidence.map(\.file) == [files[1]] && finding.commands.first == "sudo chown -R waypost:waypost /var/log/waypost")
    }

    /// What a later file replaces may be meant: it is a note, with the names that the system itself uses.
    @Test func notesWhatALaterFileReplaces() throws {
        let system = try FakeSystem()
        try system.write("[privacy]\nzones = [\"home: 52, 13, 250 m\"]\n", to: "/etc/waypost/waypost.toml")
        try system.write("[privacy]\nzones = [\"home: 51, 13, 250 m\"]\n", to: "/etc/waypost/conf.d/moved.toml")
        #expect(system.findings().isEmpty)
        let finding = try #require(system.findings(.note).first).finding
        #expect(
            finding.what
                == "[privacy] zones \"home\" replaces that of /etc/waypost/waypost.toml:2; if both are meant, give each a name of its own")
        #expect(finding.evidence.map(\.words) == ["/etc/waypost/conf.d/moved.toml:2"])
        #expect(finding.commands == ["sudoedit /etc/waypost/conf.d/moved.toml", "sudo systemctl restart waypostd.service"])
    }

    @Test(arguments: ["9223372036854775807", "-9223372036854775808", "18446744073709551616"])
    func outlivesAnyNumberInATree(number: String) throws {
        let system = try FakeSystem()
        try system.moveToPins("[[source]]\nurl = \"serial:///dev/serial0?baud=115200\"\n")
        try system.write("0: uart:PL011 irq:29 tx:0 rx:\(number) fe:\(number)\n", to: "/proc/tty/driver/ttyAMA")
        try system.write("btime \(number)\n", to: "/proc/stat")
        try system.write("\(number).10 7000.00\n", to: "/proc/uptime")
        try system.write("Filesystem 1024-blocks Used Available Capacity Mounted on\n/dev/root 1 1 \(number) 15% /\n", to: "/commands/df")
        try system.write("root:x:\(number):\ndialout:x:\(number):pi\n", to: "/etc/group")
        #expect(system.examine().count == 20)
    }

    @Test(arguments: faults) func findsExactlyThatFault(fault: Fault) throws {
        let system = try FakeSystem()
        try fault.cause(system)
        let findings = system.findings()
        #expect(findings.map(\.check) == [fault.check], "\(findings)")
        let finding = try #require(findings.first?.finding)
        #expect(finding.evidence.contains { $0.words.hasPrefix(fault.evidence) }, "\(finding.evidence.map(\.words))")
        #expect(finding.commands.contains { $0.contains(fault.command) }, "\(finding.commands)")
    }

    static let faults: [Fault] = [
        Fault(
            name: "a tracker that does not run", check: "service", evidence: "/usr/lib/systemd/system/waypostd.service",
            command: "sudo systemctl enable --now waypostd.service"
        ) {
            try $0.remove("/proc/700")
            try $0.remove("/commands/status.json")
        },
        Fault(
            name: "a mistake in the configuration", check: "configuration", evidence: "/etc/waypost/waypost.toml:2",
            command: "waypost config check /etc/waypost/waypost.toml"
        ) { try $0.write("[log]\nsync_intervall = 5\n", to: "/etc/waypost/waypost.toml") },
        Fault(
            name: "a console on the UART", check: "console", evidence: "/boot/firmware/cmdline.txt:1: console=serial0,115200",
            command: #"sudo sed -i 's|console=serial0,115200 *||' /boot/firmware/cmdline.txt"#
        ) {
            try $0.moveToPins()
            try $0.write("console=serial0,115200 console=tty1 rootwait\n", to: "/boot/firmware/cmdline.txt")
        },
        Fault(
            name: "a console on the UART, nothing else known", check: "console", evidence: "/boot/cmdline.txt:1: console=ttyAMA0,115200",
            command: "serial-getty@ttyAMA0.service"
        ) {
            for name in ["sys", "boot", "proc/700"] { try $0.remove("/" + name) }
            try $0.write("console=ttyAMA0,115200 console=tty1\n", to: "/boot/cmdline.txt")
        },
        Fault(
            name: "a getty on the UART", check: "console",
            evidence: "/etc/systemd/system/getty.target.wants/serial-getty@ttyAMA0.service: enabled",
            command: "sudo systemctl disable --now serial-getty@ttyAMA0.service"
        ) {
            try $0.moveToPins()
            try $0.link(
                "/etc/systemd/system/getty.target.wants/serial-getty@ttyAMA0.service", to: "/lib/systemd/system/serial-getty@.service")
            try $0.addProcess(812, "agetty", opens: "/dev/ttyAMA0", unit: "serial-getty@ttyAMA0.service")
        },
        Fault(
            name: "the small UART", check: "uart", evidence: "/proc/device-tree/model:1: Raspberry Pi 4", command: "dtoverlay=disable-bt"
        ) {
            try $0.moveToPins()
            try $0.link("/dev/serial0", to: "ttyS0")
            try $0.link("/proc/700/fd/5", to: "/dev/ttyS0")
            try $0.write("enable_uart=1\n", to: "/boot/firmware/config.txt")
        },
        Fault(
            name: "the UART enabled for another model", check: "uart", evidence: "/boot/firmware/config.txt:2: enable_uart=1",
            command: #"printf '\n[all]\nenable_uart=1\n' | sudo tee -a /boot/firmware/config.txt"#
        ) {
            try $0.moveToPins()
            try $0.write("[pi5]\nenable_uart=1\n[all]\nenable_uart=0\ndtoverlay=disable-bt\n", to: "/boot/firmware/config.txt")
        },
        Fault(
            name: "the debug connector of a Pi 5", check: "uart", evidence: "/etc/waypost/waypost.toml:2",
            command: "sudo sed -i 's|/dev/serial0|/dev/ttyAMA0|' /etc/waypost/waypost.toml"
        ) {
            try $0.moveToPins()
            try $0.write("Raspberry Pi 5 Model B Rev 1.0\u{0}", to: "/proc/device-tree/model")
            try $0.link("/dev/serial0", to: "ttyAMA10")
            try $0.link("/proc/700/fd/5", to: "/dev/ttyAMA10")
        },
        Fault(
            name: "ModemManager on the port", check: "modemmanager", evidence: "/proc/650/fd/5: /dev/ttyACM0 (ModemManager)",
            command: "sudo systemctl disable --now ModemManager.service"
        ) { try $0.addProcess(650, "ModemManager", opens: "/dev/ttyACM0", unit: "ModemManager.service") },
        Fault(
            name: "ModemManager enabled, no rule", check: "modemmanager",
            evidence: "/etc/systemd/system/multi-user.target.wants/ModemManager.service",
            command: "sudo systemctl disable --now ModemManager.service"
        ) {
            try $0.link("/etc/systemd/system/multi-user.target.wants/ModemManager.service", to: "/lib/systemd/system/ModemManager.service")
            try $0.write("E:ID_MODEL=u-blox\n", to: "/run/udev/data/c166:0")
        },
        Fault(
            name: "gpsd on the tracker's port", check: "gpsd", evidence: #"/etc/default/gpsd:1: DEVICES="/dev/ttyACM0""#,
            command: "sudo systemctl disable --now gpsd.socket gpsd.service"
        ) {
            try $0.write("DEVICES=\"/dev/ttyACM0\"\nUSBAUTO=\"true\"\n", to: "/etc/default/gpsd")
            try $0.link("/etc/systemd/system/sockets.target.wants/gpsd.socket", to: "/lib/systemd/system/gpsd.socket")
            try $0.write("[[source]]\nurl = \"serial:///dev/ttyACM0\"\n", to: "/etc/waypost/waypost.toml")
        },
        Fault(
            name: "gpsd that nothing starts", check: "gpsd", evidence: "/etc/waypost/waypost.toml:2: url = \"gpsd://localhost\"",
            command: "sudo systemctl enable --now gpsd.socket"
        ) {
            try $0.write("", to: "/usr/sbin/gpsd")
            try $0.write("[[source]]\nurl = \"gpsd://localhost\"\n", to: "/etc/waypost/waypost.toml")
        },
        Fault(
            name: "gpsd without a receiver", check: "gpsd", evidence: #"/etc/default/gpsd:2: USBAUTO="false""#,
            command: #"sudo sed -i 's|^DEVICES=.*|DEVICES="/dev/ttyACM0"|' /etc/default/gpsd"#
        ) {
            try $0.write("DEVICES=\"\"\nUSBAUTO=\"false\"\n", to: "/etc/default/gpsd")
            try $0.link("/etc/systemd/system/sockets.target.wants/gpsd.socket", to: "/lib/systemd/system/gpsd.socket")
            try $0.write("[[source]]\nurl = \"gpsd://localhost\"\n", to: "/etc/waypost/waypost.toml")
        },
        Fault(
            name: "two readers", check: "readers", evidence: "/proc/900/fd/5: /dev/ttyACM0 (minicom)", command: "sudo kill 900"
        ) {
            try $0.addProcess(900, "minicom", opens: "/dev/ttyACM0")
            try $0.addProcess(901, "minicom", opens: "/dev/ttyACM0", parent: 900)
        },
        Fault(
            name: "two readers, one a service", check: "readers", evidence: "/proc/910/fd/5: /dev/ttyACM0 (ser2net)",
            command: "sudo systemctl disable --now ser2net.service"
        ) { try $0.addProcess(910, "ser2net", opens: "/dev/ttyACM0", unit: "ser2net.service") },
        Fault(
            name: "a wrong speed", check: "baud", evidence: "/var/lib/waypost/kept/state/baud-rates:1: 9600 /dev/serial0",
            command: "sudo sed -i 's|?baud=4800||' /etc/waypost/waypost.toml"
        ) {
            try $0.moveToPins("[[source]]\nurl = \"serial:///dev/serial0?baud=4800\"\n")
            try $0.write("9600 /dev/serial0\n", to: "/var/lib/waypost/kept/state/baud-rates")
        },
        Fault(
            name: "a wrong speed as a key", check: "baud", evidence: "/var/lib/waypost/kept/state/baud-rates:1: 9600 /dev/serial0",
            command: #"sudo sed -i 's|^ *baud *= *4800|baud = "auto"|' /etc/waypost/waypost.toml"#
        ) {
            try $0.moveToPins("[[source]]\nurl = \"serial:///dev/serial0\"\nbaud = 4800\n")
            try $0.write("9600 /dev/serial0\n", to: "/var/lib/waypost/kept/state/baud-rates")
        },
        Fault(
            name: "framing errors", check: "baud", evidence: "/proc/tty/driver/ttyAMA:2: 0: uart:PL011", command: "?baud=115200"
        ) {
            try $0.moveToPins("[[source]]\nurl = \"serial:///dev/serial0?baud=115200\"\n")
            try $0.write(
                "serinfo:1.0 driver revision:\n0: uart:PL011 rev2 mmio:0xFE201000 irq:29 tx:0 rx:9120 fe:4410 brk:12 RTS|DTR\n",
                to: "/proc/tty/driver/ttyAMA")
        },
        Fault(
            name: "not in dialout", check: "permission", evidence: "/proc/700/status: Groups: 990",
            command: "sudo usermod -aG dialout waypost"
        ) { try $0.write("Uid:\t990\t990\t990\t990\nGid:\t990\t990\t990\t990\nGroups:\t990 \n", to: "/proc/700/status") },
        Fault(
            name: "a service without the group", check: "permission", evidence: "/usr/lib/systemd/system/waypostd.service:2: User=waypost",
            command: "sudo usermod -aG dialout waypost"
        ) {
            try $0.remove("/proc/700")
            try $0.write("[Service]\nUser=waypost\n", to: "/usr/lib/systemd/system/waypostd.service")
        },
        Fault(
            name: "a user who is not in dialout", check: "permission", evidence: "/etc/passwd:2: pi:x:1000",
            command: "sudo usermod -aG dialout pi"
        ) {
            for name in ["proc/700", "usr"] { try $0.remove("/" + name) }
            try $0.write("root:x:0:0:root:/root:/bin/bash\npi:x:1000:1000:,,,:/home/pi:/bin/bash\n", to: "/etc/passwd")
            try $0.write("dialout:x:20:\npi:x:1000:\n", to: "/etc/group")
        },
        Fault(
            name: "a log folder in memory", check: "log", evidence: "/proc/mounts:4: tmpfs /var/log tmpfs", command: "/var/lib/waypost/log"
        ) { try $0.append("tmpfs /var/log tmpfs rw,nosuid,size=50m 0 0\n", to: "/proc/mounts") },
        Fault(
            name: "a tracker that was started with a log folder in memory", check: "log", evidence: "/proc/mounts:4: tmpfs /mnt tmpfs",
            command: "/var/lib/waypost/log"
        ) {
            try $0.append("tmpfs /mnt tmpfs rw,nosuid,size=50m 0 0\n", to: "/proc/mounts")
            var (status, source, log) = (StatusReport(), StatusReport.Source(), StatusReport.Log())
            (source.url, source.state, log.directory) = ("serial:auto", .fix, "/mnt/log")
            (status.source, status.log) = (source, log)
            try $0.write(String(decoding: status.line, as: UTF8.self) + "\n", to: "/commands/status.json")
        },
        Fault(
            name: "a log folder on an overlay in memory", check: "log", evidence: "/proc/mounts:2: overlay / overlay",
            command: "sudo raspi-config nonint disable_overlayfs"
        ) {
            try $0.write(
                """
                tmpfs /media/root-rw tmpfs rw 0 0
                overlay / overlay rw,lowerdir=/media/root-ro,upperdir=/media/root-rw/overlay,workdir=/media/root-rw/work 0 0
                /dev/sda1 /mnt/data ext4 rw 0 0

                """, to: "/proc/mounts")
        },
        Fault(
            name: "a log folder that cannot be written", check: "log", evidence: "/proc/mounts:1: /dev/mmcblk0p2 / ext4 ro",
            command: "sudo mount -o remount,rw /"
        ) { try $0.write("/dev/mmcblk0p2 / ext4 ro,noatime 0 0\n", to: "/proc/mounts") },
        Fault(
            name: "a full disk", check: "disk", evidence: "/commands/df:2: /dev/root", command: "min_free"
        ) {
            try $0.write(
                "Filesystem 1024-blocks Used Available Capacity Mounted on\n/dev/root 29000000 28990000 8000 100% /\n", to: "/commands/df")
        },
        Fault(
            name: "a clock that nobody set", check: "clock", evidence: "/proc/stat:2: btime 34 (1970-01-01T00:00:34",
            command: "sudo systemctl restart systemd-timesyncd.service"
        ) { try $0.write("cpu  1 2 3\nbtime 34\n", to: "/proc/stat") },
        Fault(
            name: "no clock and no time service", check: "clock", evidence: "/sys/class/rtc: missing", command: "refclock SOCK"
        ) {
            try $0.remove("/etc/systemd/system/sysinit.target.wants")
            try $0.remove("/commands/timedatectl")
        },
        Fault(
            name: "a time service without a network", check: "clock", evidence: "/commands/timedatectl:1: NTPSynchronized=no",
            command: "chrony_sock"
        ) {
            try $0.write("NTPSynchronized=no\n", to: "/commands/timedatectl")
            try $0.write("", to: "/sys/class/rtc/.keep")
            try $0.remove("/sys/class/rtc/.keep")
        },
        Fault(
            name: "no fix under a narrow sky", check: "position",
            evidence: "/commands/status.json: source serial:auto: the receiver has no fix, 0 of 5",
            command: "waypost watch --count 1"
        ) {
            try $0.writeStatus(
                #""state":"lost","reason":"no_fix","detail":"the receiver has no fix","satellites_seen":5,"satellites_used":0"#)
        },
        Fault(
            name: "a silent receiver", check: "position", evidence: "/commands/status.json: source serial:auto: the source is silent",
            command: "sudo waypost receiver show"
        ) { try $0.writeStatus(#""state":"lost","reason":"silent","detail":"the source is silent""#) },
        Fault(
            name: "an antenna that is off", check: "antenna",
            evidence: "/commands/status.json: source serial:auto: searching, no satellite",
            command: "sudo waypost receiver show"
        ) { try $0.writeStatus(#""state":"searching","connected":"/dev/ttyACM0 at 9600 baud""#, uptime: 400) },
    ]

    // MARK: What is no fault

    @Test func leavesAConsoleAloneWhereTheReceiverIsElsewhere() throws {
        let system = try FakeSystem()
        try system.write("console=serial0,115200 console=tty1\n", to: "/boot/firmware/cmdline.txt")
        #expect(system.findings().isEmpty && system.findings(.note).isEmpty)
    }

    @Test func onlyMentionsTheConsoleOfAMachineThatNobodyHasSetUp() throws {
        let system = try FakeSystem()
        for name in ["sys", "boot", "proc/device-tree"] { try system.remove("/" + name) }
        try system.write("BOOT_IMAGE=/vmlinuz console=ttyS0,115200\n", to: "/proc/cmdline")
        #expect(system.findings().isEmpty)
        #expect(system.findings(.note).map(\.check) == ["console"])
    }

    /// The groups look well, and the port is another group's.
    @Test func doesNotCallThePermissionWellOfAPortThatWasRefused() throws {
        let system = try FakeSystem()
        let found = "permission denied: only the group plugdev may open /dev/ttyACM0, and waypost is not in it"
        let command = "sudo usermod -aG plugdev waypost"
        try system.write(
            #"{"class":"STATUS","version":"0.1.0","pid":700,"uptime":90,"health":"degraded","#
                + #""source":{"url":"serial:auto","state":"lost","reason":"disconnected"},"#
                + #""search":{"seconds":90,"why":"x","tried":[{"source":"serial:auto","found":"\#(found)"}],"#
                + #""next":"add waypost to the group plugdev","commands":["\#(command)"]}}"# + "\n",
            to: "/commands/status.json")
        let findings = system.findings()
        #expect(findings.map(\.check) == ["permission"] && findings.first?.finding.commands == [command])
        #expect(findings.first?.finding.what == "serial:auto: \(found)")
        #expect(system.findings(.note).map(\.finding.what) == ["no position for 90 s: see permission"])
    }

    @Test func leavesGPSDAloneThatTheTrackerReadsFrom() throws {
        let system = try FakeSystem()
        try system.write("DEVICES=\"/dev/ttyACM0\"\nUSBAUTO=\"true\"\n", to: "/etc/default/gpsd")
        try system.link("/etc/systemd/system/sockets.target.wants/gpsd.socket", to: "/lib/systemd/system/gpsd.socket")
        try system.remove("/proc/700/fd/5")
        try system.addProcess(500, "gpsd", opens: "/dev/ttyACM0", unit: "gpsd.service")
        #expect(system.findings().isEmpty, "\(system.findings())")
    }

    @Test(arguments: ["E:ID_MM_DEVICE_IGNORE=1", "E:ID_MM_PORT_IGNORE=1"])
    func leavesAModemManagerAloneThatUdevKeepsOff(property: String) throws {
        let system = try FakeSystem()
        try system.link("/etc/systemd/system/multi-user.target.wants/ModemManager.service", to: "/lib/systemd/system/ModemManager.service")
        try system.write("\(property)\n", to: "/run/udev/data/c166:0")
        #expect(system.findings().isEmpty, "\(system.findings())")
    }

    @Test func waitsForAFirstFixBeforeItCallsAnythingBroken() throws {
        let system = try FakeSystem()
        try system.writeStatus(#""state":"searching""#, uptime: 20)
        #expect(system.findings().isEmpty)
        #expect(system.findings(.note).map(\.check) == ["antenna"])
        try system.writeStatus(#""state":"searching","satellites_seen":4"#, uptime: 20)
        #expect(system.findings(.note).map(\.check) == ["position"])
    }

    @Test func saysWhatTheTrackerSaysOfALoss() throws {
        let system = try FakeSystem()
        let detail = "not connected: /dev/ttyACM0: in use by cat (process 9)"
        try system.writeStatus(#""state":"lost","reason":"disconnected","detail":"\#(detail)""#)
        #expect(system.findings().map(\.finding.what) == ["no positions: \(detail)"])
    }

    // MARK: Trees that others made

    @Test func staysWithinTheTree() throws {
        let system = try FakeSystem()
        try system.link("/boot/firmware/cmdline.txt", to: "/../../etc/passwd")
        try system.write("console=serial0\n", to: "/elsewhere/cmdline.txt")
        let tree = SystemTree(root: system.path)
        #expect(tree.resolved("/boot/firmware/cmdline.txt") == "/etc/passwd")
        try system.link("/etc/loop", to: "loop")
        #expect(tree.lines(of: "/etc/loop") == nil)
        try system.link("/etc/absolute", to: "/elsewhere/cmdline.txt")
        #expect(tree.firstLine(of: "/etc/absolute")?.text == "console=serial0")
    }

    @Test func showsForeignTextOnOneLineAndQuotesItForTheShell() throws {
        #expect(Evidence(file: "/a\u{1b}[2J", line: 3, text: "x\ny").words == #"/a\u001b[2J:3: x\ny"#)
        #expect(shellWord("/dev/ttyUSB0") == "/dev/ttyUSB0")
        #expect(shellWord("a'b; rm") == #"'a'\''b; rm'"#)
        #expect(sedPattern("a.b*|/c") == #"a\.b\*\|/c"#)
    }
}
