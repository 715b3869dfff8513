import Testing

@testable import WaypostCLI

/// What the doctor cannot look at.
@Suite struct UnseenChecksTests {
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
