import Testing

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

    @Test(arguments: [
        ("", "/commands/status.json is empty: the tracker did not answer when it was saved"),
        (#"{"class":"STATUS","version":"0.1"#, "/commands/status.json is damaged: it is not a whole answer of waypost status --json"),
        (#"{"class":"STATUS"}"#, "/commands/status.json is damaged: it is not a whole answer of waypost status --json"),
    ]) func saysThatASavedStatusIsDamaged(text: String, reason: String) throws {
        let system = try FakeSystem()
        try system.write(text, to: "/commands/status.json")
        #expect(system.examine().first { $0.check == "fix" }?.report.notChecked == reason)
        #expect(system.examine().first { $0.check == "antenna" }?.report.notChecked == reason)
    }
}
