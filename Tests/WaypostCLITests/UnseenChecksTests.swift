import Testing
import WaypostSystem

@testable import WaypostCLI

/// What the doctor cannot look at.
@Suite struct UnseenChecksTests {
    /// A pseudo terminal that stands for a serial line is a port as any other; the terminals of shells are not.
    @Test func findsTheSecondReaderOfAPseudoTerminal() throws {
        let system = try FakeSystem()
        try system.write("[[source]]\nurl = \"serial:///dev/ttyV1\"\n", to: "/etc/waypost/waypost.toml")
        for name in ["/dev/pts/7", "/dev/pts/8"] { try system.write("", to: name) }
        try system.link("/dev/ttyV1", to: "pts/7")
        try system.remove("/proc/700")
        try system.addProcess(700, "waypostd", opens: "/dev/pts/7")
        try system.addProcess(930, "cat", opens: "/dev/pts/7")
        for number in [940, 941] { try system.addProcess(number, "bash", opens: "/dev/pts/8") }
        let findings = system.findings().filter { $0.check == "readers" }.map(\.finding)
        #expect(findings.map(\.commands) == [["sudo kill 930"]])
    }

    /// What was never looked at is not well.
    @Test func callsNothingWellThatItCannotSee() throws {
        let system = try FakeSystem()
        try system.writeStatus(#""state":"lost","reason":"device_gone","detail":"no receiver is plugged in""#)
        let unchecked = { (name: String) in system.examine().first { $0.check == name }?.report.notChecked }
        #expect(unchecked("antenna") == "no receiver sends anything" && unchecked("baud") == "no receiver sends anything")
        try system.writeStatus(#""state":"fix","satellites_seen":14,"satellites_used":9"#)
        #expect(unchecked("antenna") == nil && unchecked("baud") == nil)
    }

    /// What cannot be read is no silence, and shows neither speed nor satellites.
    @Test func doesNotCallSilentWhatSendsGarbage() throws {
        let system = try FakeSystem()
        let found = "connected (/dev/ttyACM0 at 9600 baud): data comes, but no positions can be read from it"
        try system.writeSearch([("gpsd://localhost:2947", "not connected: no gpsd answers"), ("serial:auto", found)])
        let unchecked = { (name: String) in system.examine().first { $0.check == name }?.report.notChecked }
        for name in ["antenna", "baud"] { #expect(unchecked(name) == "data comes, but no positions can be read from it") }
    }

    /// The tracker has asked gpsd: nothing else can be well with it.
    @Test func seesAGPSDWithoutReceiver() throws {
        let system = try FakeSystem()
        try system.write("DEVICES=\"\"\nUSBAUTO=\"true\"\n", to: "/etc/default/gpsd")
        try system.link("/etc/systemd/system/sockets.target.wants/gpsd.socket", to: "/lib/systemd/system/gpsd.socket")
        try system.write("[[source]]\nurl = \"gpsd://localhost\"\n", to: "/etc/waypost/waypost.toml")
        try system.remove("/proc/700/fd/5")
        try system.addProcess(500, "gpsd", unit: "gpsd.service")
        let change = #"sudo sed -i 's|^DEVICES=.*|DEVICES="/dev/ttyACM0"|' /etc/default/gpsd"#
        try system.writeSearch([("gpsd://localhost:2947", "gpsd runs, but has no receiver")], "tell gpsd the port", [change])
        #expect(system.findings().map(\.check) == ["gpsd"])
        #expect(system.findings().first?.finding.what == "gpsd has no receiver; tell gpsd the port")
        #expect(system.findings(.note).map(\.finding.what) == ["no position for 90 s: see gpsd"])
        // Where the tracker says nothing, the open files of gpsd show it.
        try system.remove("/commands/status.json")
        #expect(system.findings().map(\.finding.commands.first) == [change])
        try system.link("/proc/500/fd/5", to: "/dev/ttyACM0")
        #expect(system.findings().isEmpty)
        for name in ["/proc/500/fd/5", "/sys/class/tty/ttyACM0"] { try system.remove(name) }
        let words = "the tracker reads from gpsd, which has no receiver: none is configured, and none is plugged in; plug one in"
        #expect(system.findings().map(\.finding.what) == [words])
    }

    /// What keeps positions from coming is told before what does not; a consequence points to its cause.
    @Test func beginsWithWhatKeepsPositionsFromComing() throws {
        let system = try FakeSystem()
        try system.write("cpu  1 2 3\nbtime 34\n", to: "/proc/stat")
        try system.writeStatus(#""state":"searching","satellites_seen":4"#, uptime: 400)
        #expect(system.findings().map(\.check) == ["position", "clock"])
        try system.writeStatus(#""state":"searching""#, uptime: 0)
        let what = system.findings(.note).first?.finding.what
        #expect(what?.hasPrefix("no satellite in view yet; a cold start") == true, "\(what ?? "")")
    }

    @Test func saysTheMistakeOnceThatKeepsTheServiceFromStarting() throws {
        let system = try FakeSystem()
        for name in ["/proc/700", "/commands/status.json"] { try system.remove(name) }
        try system.write("[log]\nsync_intervall = 5\n", to: "/etc/waypost/waypost.toml")
        let findings = system.findings()
        #expect(findings.map(\.check) == ["configuration"])
        #expect(findings.first?.finding.commands.last == "sudo systemctl restart waypostd.service")
        #expect(system.findings(.note).map(\.finding.what) == ["the tracker is not running: see configuration"])
    }

    /// A recording that cannot be played ends the service: to start it again helps nobody.
    @Test func saysWhyASourcesFileKeepsTheServiceFromRunning() throws {
        let system = try FakeSystem()
        for name in ["/proc/700", "/commands/status.json"] { try system.remove(name) }
        try system.write("[[source]]\nurl = \"route:/var/lib/waypost/long.gpx\"\n", to: "/etc/waypost/waypost.toml")
        try system.write("", to: "/var/lib/waypost/long.gpx")
        let findings = system.findings()
        #expect(findings.map(\.finding.what) == ["[[source]] url: /var/lib/waypost/long.gpx: there is no XML in it"])
        #expect(findings.first?.finding.commands.last == "sudo systemctl restart waypostd.service")
        #expect(system.findings(.note).map(\.finding.what) == ["the tracker is not running: see configuration"])
    }

    /// Why it has ended is in its state folder, also on a card in a reader and where nobody keeps the journal.
    @Test func saysWhyTheTrackerHasEnded() throws {
        let system = try FakeSystem()
        try LastFailure(stateFolder: system.path + "/var/lib/waypost").note(["/data/log: cannot be used: No space left on device"])
        #expect(system.findings().isEmpty, "one that runs again has nothing to say")
        for name in ["/proc/700", "/commands/status.json"] { try system.remove(name) }
        let finding = try #require(system.findings().first { $0.check == "service" }?.finding)
        #expect(
            finding.what
                == "the tracker is not running: it ended by itself: /data/log: cannot be used: No space left on device; when that is mended, start it"
        )
        #expect(finding.evidence.map(\.file).contains("/var/lib/waypost/kept/state/last-failure"))
        #expect(finding.commands == ["sudo systemctl restart waypostd.service"])
    }

    @Test(arguments: [
        ("", "/commands/status.json is empty: the tracker did not answer when it was saved"),
        (#"{"class":"STATUS","version":"0.1"#, "/commands/status.json is damaged: it is not a whole answer of waypost status --json"),
        (#"{"class":"STATUS"}"#, "/commands/status.json is damaged: it is not a whole answer of waypost status --json"),
    ]) func saysThatASavedStatusIsDamaged(text: String, reason: String) throws {
        let system = try FakeSystem()
        try system.write(text, to: "/commands/status.json")
        #expect(system.examine().first { $0.check == "position" }?.report.notChecked == reason)
        #expect(system.examine().first { $0.check == "antenna" }?.report.notChecked == reason)
    }
}
