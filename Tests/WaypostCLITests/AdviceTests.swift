import Testing
import WaypostConfiguration
import WaypostControl
import WaypostSystem

@testable import WaypostCLI

/// Where the doctor's commands are meant for: the configuration in use, and the machine that they are run on.
@Suite struct AdviceTests {
    /// A tracker that somebody started with a configuration of his own, on a full disk and without a time service.
    private func ownTracker(_ change: (FakeSystem) throws -> Void = { _ in }) throws -> [Finding] {
        let system = try FakeSystem()
        try system.write("0::/user.slice/user-1000.slice/session-2.scope\n", to: "/proc/700/cgroup")
        try system.write("[log]\n", to: "/home/ana/.config/waypost/waypost.toml")
        try system.write("Filesystem\n/dev/root 29000000 4000000 1 15% /\n", to: "/commands/df")
        try change(system)
        let tree = SystemTree(root: system.path)
        var measurements = Measurements(saved: tree)
        measurements.user = .init(name: "ana", groupIDs: [20])
        let paths = DefaultPaths(environment: ["HOME": "/home/ana"], userID: 1_000, userName: "ana")
        let facts = SystemFacts(tree: tree, measurements: measurements, paths: paths)
        return Doctor.examine(facts).flatMap(\.report.findings)
    }

    @Test func namesTheConfigurationInUse() throws {
        let commands = try ownTracker().flatMap(\.commands)
        #expect(commands.contains("mkdir -p /home/ana/.config/waypost/conf.d"), "\(commands)")
        #expect(commands.contains { $0.hasSuffix(" | tee /home/ana/.config/waypost/conf.d/disk.toml") })
        #expect(commands.contains("kill 700"))
        #expect(!commands.contains { $0.contains("/etc/waypost") || $0.contains("waypostd.service") })
    }

    /// The service's restart would read another file than the one that is changed.
    @Test(arguments: [true, false]) func restartsTheTrackerThatReadsTheFile(isRunning: Bool) throws {
        let commands = try ownTracker {
            try $0.addProcess(650, "waypostd", unit: "waypostd.service")
            try $0.remove("/etc/systemd/system/sysinit.target.wants")
            try $0.remove("/commands/timedatectl")
            if !isRunning { for name in ["/proc/700", "/commands/status.json"] { try $0.remove(name) } }
        }
        .flatMap(\.commands)
        #expect(commands.contains { $0.hasSuffix("/home/ana/.config/waypost/conf.d/time.toml") }, "\(commands)")
        #expect(!commands.contains { $0.contains("waypostd.service") }, "\(commands)")
        #expect(commands.contains(isRunning ? "kill 700" : "# then start waypost run again"))
    }

    /// The receiver's port is that of the tracker which must release it.
    @Test func stopsTheTrackerThatHasThePort() throws {
        let commands = try ownTracker { try $0.writeStatus(#""state":"lost","reason":"silent","detail":"the source is silent""#) }
            .flatMap(\.commands)
        let first = try #require(commands.firstIndex(of: "kill 700"))
        #expect(commands.dropFirst(first + 1).first?.hasPrefix("sudo waypost receiver show --port /dev/ttyACM0") == true, "\(commands)")
        #expect(!commands.contains { $0.contains("waypostd.service") })
    }

    /// A service that tells a stranger next to nothing is still the tracker that answers.
    @Test func advisesAStrangerAboutTheServiceThatAnswers() throws {
        let system = try FakeSystem()
        try system.write("[log]\n", to: "/home/ana/.config/waypost/waypost.toml")
        let own = DefaultPaths(environment: ["HOME": "/home/ana"], userID: 1_000, userName: "ana")
        var status = StatusReport()
        status.processID = 700
        let tree = SystemTree(root: system.path)
        #expect(SystemFacts.paths(status: status, own: own, in: tree) == .service)
        #expect(SystemFacts.paths(status: nil, own: own, in: tree) == own)
    }

    @Test func movesTheTracksOfAUsersOwnTracker() throws {
        let commands = try ownTracker {
            try $0.write("/dev/mmcblk0p2 / ext4 rw 0 0\ntmpfs /home tmpfs rw 0 0\ntmpfs /var tmpfs rw 0 0\n", to: "/proc/mounts")
        }
        .flatMap(\.commands)
        #expect(!commands.contains { $0.contains("/etc/waypost") || $0.contains("waypostd.service") }, "\(commands)")
    }

    @Test func editsAUsersOwnFileAsThatUser() throws {
        let commands = try ownTracker { try $0.write("[log]\nnope = 1\n", to: "/home/ana/.config/waypost/waypost.toml") }.flatMap(
            \.commands)
        #expect(commands.contains("editor /home/ana/.config/waypost/waypost.toml"), "\(commands)")
    }

    /// A card in a reader: its files alone, with a console on the receiver's line, and a user who may not open it.
    private func card(_ body: (FakeSystem, CardCommands, [Finding]) throws -> Void) throws {
        let system = try FakeSystem()
        for name in ["proc", "sys", "commands"] { try system.remove("/" + name) }
        try system.write("Raspberry Pi 4 Model B Rev 1.4\u{0}", to: "/proc/device-tree/model")
        try system.write("enable_uart=1\n", to: "/boot/firmware/config.txt")
        try system.write("console=serial0,115200 console=tty1 rootwait\n", to: "/boot/firmware/cmdline.txt")
        try system.write("[[source]]\nurl = \"serial:///dev/serial0\"\n", to: "/etc/waypost/waypost.toml")
        try system.write("[Service]\nUser=waypost\n", to: "/usr/lib/systemd/system/waypostd.service")
        let tree = SystemTree(root: system.path)
        let facts = SystemFacts(tree: tree, measurements: Measurements(saved: tree))
        let commands = try #require(CardCommands(facts))
        try body(system, commands, Doctor.examine(facts).flatMap(\.report.findings))
    }

    @Test func changesACardFromThisMachine() throws {
        try card { system, card, findings in
            let commands = findings.map(card.rewritten).flatMap(\.commands)
            let root = system.path
            #expect(commands.contains("sudo sed -i 's|console=serial0,115200 *||' \(root)/boot/firmware/cmdline.txt"), "\(commands)")
            #expect(commands.contains("sudo systemctl --root=\(root) disable serial-getty@ttyS0.service"))
            #expect(commands.contains { $0.hasPrefix("printf '") && $0.hasSuffix("| sudo tee -a \(root)/boot/firmware/config.txt") })
            #expect(!commands.contains { $0.contains("enable waypostd.service") })
            #expect(commands.contains("sudo usermod --prefix \(root) -aG dialout waypost"))
            // What names this machine's files and services would change the wrong one.
            #expect(commands.allSatisfy { $0.contains(root) }, "\(commands)")
        }
    }

    @Test func saysWhatACardsOwnSystemHasToRun() throws {
        try card { _, card, _ in
            let finding = Finding(
                what: "x", evidence: [], commands: ["sudo apt-get install gpsd", "sudo systemctl daemon-reload", "sudo reboot"])
            #expect(card.rewritten(finding).commands == [])
            // What comes after the installation is for the system that runs then.
            #expect(card.rewritten(finding).commandsThere == finding.commands)
            let report = DoctorReport(
                reports: [("x", .found(card.rewritten(finding)))], root: "/media/card", isCard: true)
            #expect(report.lines.contains("    there     sudo apt-get install gpsd"))
            #expect(report.lines.contains("there: put the card back, start its system, and run these commands there"))
        }
    }

    /// Nothing can run on a card: what counts is whether it starts.
    @Test func enablesTheTrackerOfACard() throws {
        try card { system, card, _ in
            try system.remove("/etc/systemd/system/multi-user.target.wants")
            let tree = SystemTree(root: system.path)
            func finding() throws -> Finding {
                let report = ServiceCheck.examine(SystemFacts(tree: tree, measurements: Measurements(saved: tree)))
                return card.rewritten(try #require(report.findings.first))
            }
            let enabling = "sudo systemctl --root=\(system.path) enable waypostd.service"
            #expect(try finding().commands == [enabling])
            #expect(try finding().what == "the tracker does not start with this system: its unit is not enabled")
            try system.link("/etc/systemd/system/waypostd.service", to: "/dev/null")
            #expect(try finding().commands == ["sudo systemctl --root=\(system.path) unmask waypostd.service", enabling])
        }
    }

    /// To change a copy of files mends nothing.
    @Test func leavesTheCommandsOfASavedSystem() throws {
        let system = try FakeSystem()
        let tree = SystemTree(root: system.path)
        #expect(CardCommands(SystemFacts(tree: tree, measurements: Measurements(saved: tree))) == nil)
    }
}
