import Testing
import WaypostSystem

@testable import WaypostCLI

/// What the doctor finds out about the doors of `[share]`.
@Suite struct SharingCheckTests {
    private func system(_ share: String) throws -> FakeSystem {
        let system = try FakeSystem()
        try system.write("[share]\n\(share)\n", to: "/etc/waypost/conf.d/share.toml")
        return system
    }

    @Test func findsADoorThatGPSDHas() throws {
        let system = try system("gpsd = \"127.0.0.1:2947\"")
        #expect(system.findings().isEmpty && system.findings(.note).isEmpty)
        try system.link("/etc/systemd/system/sockets.target.wants/gpsd.socket", to: "/lib/systemd/system/gpsd.socket")
        let finding = try #require(system.findings().first { $0.check == "sharing" }).finding
        #expect(finding.evidence.map(\.file).contains("/etc/systemd/system/sockets.target.wants/gpsd.socket"))
        #expect(finding.commands.first == "sudo systemctl disable --now gpsd.socket gpsd.service")
        // Another port is free.
        try system.write("[share]\ngpsd = \"127.0.0.1:2948\"\n", to: "/etc/waypost/conf.d/share.toml")
        #expect(system.findings().filter { $0.check == "sharing" }.isEmpty)
    }

    /// Whoever is in the network may read at such a door: it may be meant so.
    @Test func notesADoorThatTheNetworkReaches() throws {
        let system = try system("nmea = \"0.0.0.0:10110\"\ngpsd = \"127.0.0.1:2948\"")
        #expect(system.findings().isEmpty)
        let notes = system.findings(.note)
        let words = "[share] nmea: everybody in every network of this machine"
        #expect(notes.map(\.check) == ["sharing"] && notes[0].finding.what.hasPrefix(words))
    }

    /// What mends a door that another program has is another port, in the file that says which one.
    @Test func saysWhereTheDoorStandsThatIsShut() throws {
        let system = try system("nmea = \"127.0.0.1:10110\"")
        let problem = "127.0.0.1:10110: another program has this port; stop it, or choose another port"
        try system.writeStatus(
            #""state":"fix""#, more: #","share":[{"name":"nmea","place":"127.0.0.1:10110","problem":"\#(problem)"}]"#)
        let finding = try #require(system.findings().first { $0.check == "sharing" }).finding
        #expect(finding.what == "[share] nmea: \(problem)")
        #expect(finding.evidence.contains { $0.file == "/etc/waypost/conf.d/share.toml" && $0.line == 2 })
        #expect(finding.commands.first == "sudoedit /etc/waypost/conf.d/share.toml", "\(finding.commands)")
    }
}
