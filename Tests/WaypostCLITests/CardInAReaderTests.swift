import Testing
import WaypostSystem

@testable import WaypostCLI

/// A console on the receiver's line, found from the files of a card alone: no `/dev`, no `/proc`, no `/sys`.
@Suite struct CardInAReaderTests {
    /// A model, what its boot files say, the port of the receiver, and whether a console is there.
    struct Card: CustomTestStringConvertible, Sendable {
        var model: String?
        var boot: String
        var console: String
        var port: String
        var isOnReceiver: Bool
        var testDescription: String { "\(model ?? "a card"), \(boot.debugDescription), \(console), \(port)" }
    }

    static let cards: [Card] = [
        Card(model: "Raspberry Pi Zero Rev 1.3", boot: "", console: "serial0", port: "ttyAMA0", isOnReceiver: true),
        Card(model: "Raspberry Pi Model B Rev 2", boot: "", console: "serial0", port: "ttyAMA0", isOnReceiver: true),
        Card(model: "Raspberry Pi 2 Model B Rev 1.1", boot: "", console: "ttyAMA0", port: "serial0", isOnReceiver: true),
        Card(model: "Raspberry Pi Zero W Rev 1.1", boot: "enable_uart=1", console: "serial0", port: "ttyS0", isOnReceiver: true),
        Card(model: "Raspberry Pi Zero 2 W Rev 1.0", boot: "enable_uart=1", console: "ttyS0", port: "serial0", isOnReceiver: true),
        Card(model: "Raspberry Pi 3 Model B Rev 1.2", boot: "enable_uart=1", console: "ttyAMA0", port: "serial0", isOnReceiver: false),
        Card(model: "Raspberry Pi 3 Model B Rev 1.2", boot: "enable_uart=1", console: "serial1", port: "ttyAMA0", isOnReceiver: true),
        Card(
            model: "Raspberry Pi 4 Model B Rev 1.4", boot: "dtoverlay=disable-bt", console: "serial0", port: "ttyAMA0", isOnReceiver: true),
        Card(
            model: "Raspberry Pi 4 Model B Rev 1.4", boot: "dtoverlay=miniuart-bt", console: "ttyS0", port: "serial0", isOnReceiver: false),
        Card(model: "Raspberry Pi 4 Model B Rev 1.4", boot: "enable_uart=1", console: "serial0", port: "ttyS0", isOnReceiver: true),
        Card(
            model: "Raspberry Pi 4 Model B Rev 1.4", boot: "[pi3]\ndtoverlay=disable-bt\n[all]\nenable_uart=1", console: "serial0",
            port: "ttyAMA0", isOnReceiver: true),
        Card(model: "Raspberry Pi 5 Model B Rev 1.0", boot: "dtparam=uart0=on", console: "serial0", port: "ttyAMA0", isOnReceiver: false),
        Card(model: "Raspberry Pi 5 Model B Rev 1.0", boot: "dtparam=uart0=on", console: "ttyAMA0", port: "ttyAMA0", isOnReceiver: true),
        Card(
            model: "Raspberry Pi 5 Model B Rev 1.0", boot: "dtparam=uart0_console", console: "serial0", port: "ttyAMA0", isOnReceiver: true),
        Card(model: nil, boot: "enable_uart=1", console: "serial0", port: "ttyS0", isOnReceiver: true),
        Card(model: nil, boot: "enable_uart=1", console: "serial0", port: "ttyAMA0", isOnReceiver: true),
        Card(model: nil, boot: "dtoverlay=disable-bt", console: "serial0", port: "ttyS0", isOnReceiver: false),
        Card(model: nil, boot: "enable_uart=1", console: "tty1", port: "serial0", isOnReceiver: false),
    ]

    /// A card with these files and nothing that only a running system has.
    private func system(_ card: Card) throws -> FakeSystem {
        let system = try FakeSystem()
        for name in ["proc", "sys", "commands"] { try system.remove("/" + name) }
        if let model = card.model { try system.write(model + "\u{0}", to: "/proc/device-tree/model") }
        try system.write(card.boot + "\n", to: "/boot/firmware/config.txt")
        try system.write("console=\(card.console),115200 console=tty1 rootwait\n", to: "/boot/firmware/cmdline.txt")
        try system.write("[[source]]\nurl = \"serial:///dev/\(card.port)\"\n", to: "/etc/waypost/waypost.toml")
        return system
    }

    @Test(arguments: cards) func findsTheConsoleOnTheReceiversLine(card: Card) throws {
        let system = try system(card)
        let findings = system.findings().filter { $0.check == "console" }.map(\.finding)
        #expect(findings.count == (card.isOnReceiver ? 1 : 0), "\(findings)")
        guard let finding = findings.first else { return }
        #expect(finding.evidence.first?.words == "/boot/firmware/cmdline.txt:1: console=\(card.console),115200")
        #expect(finding.commands.first == "sudo sed -i 's|console=\(card.console),115200 *||' /boot/firmware/cmdline.txt")
        #expect(finding.commands.last == "sudo reboot")
    }

    /// The header of a Pi 5, by its model and its settings alone.
    @Test(
        arguments: [
            ("dtparam=uart0=on", "ttyAMA0", nil, []), ("dtparam=uart0_console", "serial0", nil, []),
            ("dtparam=uart0=on", "serial0", "/dev/serial0 is the debug connector of this model; the pins are /dev/ttyAMA0", ["serial0"]),
            (
                "enable_uart=1", "ttyAMA0", "the UART of the pins is switched off: enable_uart=1 is for the debug connector of this model",
                ["uart0"]
            ),
            (
                "enable_uart=1", "serial0",
                "the UART of the pins is switched off: enable_uart=1 is for the debug connector of this model; /dev/serial0 is the debug connector",
                ["uart0", "serial0"]
            ),
            ("dtparam=audio=on", "ttyAMA0", "the UART of the pins is switched off", ["uart0"]),
        ] as [(String, String, String?, [String])])
    func knowsTheHeaderOfAPi5(boot: String, port: String, words: String?, commands: [String]) throws {
        let card = Card(model: "Raspberry Pi 5 Model B Rev 1.0", boot: boot, console: "tty1", port: port, isOnReceiver: false)
        let found = try system(card).findings().filter { $0.check == "uart" }.map(\.finding)
        #expect(found.map(\.what) == [words].compactMap { $0 })
        let changes = [
            "uart0": #"printf '\n[all]\ndtparam=uart0=on\n' | sudo tee -a /boot/firmware/config.txt"#,
            "serial0": "sudo sed -i 's|/dev/serial0|/dev/ttyAMA0|' /etc/waypost/waypost.toml",
        ]
        let all = found.flatMap(\.commands)
        for (name, change) in changes { #expect(all.contains(change) == commands.contains(name), "\(name): \(all)") }
        let isOff = commands.contains("uart0")
        #expect(found.flatMap(\.evidence).contains { $0.text == "no dtparam=uart0=on" } == isOff)
        #expect(!found.flatMap(\.evidence).contains { $0.text == "no enable_uart=1" })
    }

    @Test func readsABootPartitionAlone() throws {
        let system = try FakeSystem()
        for name in ["proc", "sys", "commands", "etc", "boot", "usr"] { try system.remove("/" + name) }
        try system.write("console=serial0,115200 console=tty1\n", to: "/cmdline.txt")
        try system.write("enable_uart=1\n", to: "/config.txt")
        #expect(system.findings().map(\.check) == ["console"])
    }

    @Test func seesTheConsoleOfTheRunningKernelThatTheBootFileDoesNotNameAnyMore() throws {
        let system = try FakeSystem()
        try system.moveToPins()
        try system.write("console=tty1 rootwait\n", to: "/boot/firmware/cmdline.txt")
        try system.write("coherent_pool=1M console=ttyAMA0,115200 console=tty1\n", to: "/proc/cmdline")
        let findings = system.findings()
        #expect(findings.map(\.check) == ["console"])
        #expect(findings.first?.finding.commands == ["sudo systemctl disable --now serial-getty@ttyAMA0.service", "sudo reboot"])
    }

    @Test func tellsBothFilesOfOneConsole() throws {
        let system = try FakeSystem()
        try system.moveToPins()
        try system.write("console=serial0,115200 console=tty1 rootwait\n", to: "/boot/firmware/cmdline.txt")
        try system.write("coherent_pool=1M console=ttyAMA0,115200 console=tty1\n", to: "/proc/cmdline")
        let finding = try #require(system.findings().first { $0.check == "console" }?.finding)
        #expect(system.findings().count == 1)
        #expect(finding.evidence.map(\.file) == ["/boot/firmware/cmdline.txt", "/proc/cmdline", "/etc/waypost/waypost.toml"])
    }

    @Test func callsNothingWellThatACardCannotShow() throws {
        let card = Card(model: nil, boot: "enable_uart=1", console: "tty1", port: "serial0", isOnReceiver: false)
        let reports = try system(card).examine()
        let well = reports.filter { $0.report == .well }.map(\.check)
        // A time service is enabled among the files of the card.
        #expect(
            well == [
                "configuration", "service", "console", "modemmanager", "gpsd", "permission", "owner", "clock", "policy", "sharing",
                "map page", "roads",
            ])
        let lines = DoctorReport(reports: reports).lines
        #expect(lines.contains("not checked: uart: no /proc/device-tree/model, so the model is not known"), "\(lines)")
    }

    /// What a package brings is not there to be changed: all that follows its installation is for the card's own system.
    @Test func changesNothingThatIsNotInstalledYet() throws {
        let system = try FakeSystem()
        for name in ["proc", "commands"] { try system.remove("/" + name) }
        try system.remove("/etc/systemd/system/sysinit.target.wants/systemd-timesyncd.service")
        func fix() throws -> Finding {
            let tree = SystemTree(root: system.path)
            let facts = SystemFacts(tree: tree, measurements: Measurements(saved: tree))
            let card = try #require(CardCommands(facts))
            return card.rewritten(try #require(system.findings().first { $0.check == "clock" }?.finding))
        }
        let missing = try fix()
        #expect(missing.commands.isEmpty && missing.commandsThere.first == "sudo apt-get install chrony", "\(missing)")
        #expect(missing.commandsThere.contains("sudo systemctl daemon-reload"), "\(missing)")
        try system.write("[Service]\n", to: "/usr/lib/systemd/system/chrony.service")
        let installed = try fix()
        #expect(installed.commands.contains { $0.hasSuffix("| sudo tee \(system.path)/etc/chrony/conf.d/waypost.conf") }, "\(installed)")
        #expect(installed.commandsThere.isEmpty, "\(installed)")
    }
}
