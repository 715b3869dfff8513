import Testing
import WaypostPositioning

@testable import WaypostConfiguration

/// `[[source]] baud`, beside the `?baud=` of the URL.
@Suite struct BaudSettingTests {
    private func urls(_ text: String) throws -> [String] {
        try readConfiguration(text).configuration.sources.map(\.url.description)
    }

    @Test func fixesTheSpeedOfASerialLine() throws {
        #expect(try urls("[[source]]\nurl = \"serial:///dev/ttyAMA0\"\nbaud = 9600\n") == ["serial:///dev/ttyAMA0?baud=9600"])
        #expect(try urls("[[source]]\nbaud = 115200\nurl = \"serial:auto\"\n") == ["serial:auto?baud=115200"])
        #expect(try urls("[[source]]\nurl = \"serial:auto\"\nbaud = \"auto\"\n") == ["serial:auto"])
        #expect(try urls("[[source]]\nurl = \"serial:auto?baud=4800\"\nbaud = 4800\n") == ["serial:auto?baud=4800"])
    }

    @Test func showsTheSpeedInForceWhereverItIsSaid() throws {
        for text in ["url = \"serial:auto\"\nbaud = 9600\n", "url = \"serial:auto?baud=9600\"\n"] {
            let entries = try readConfiguration("[[source]]\n" + text).entries
            #expect(entries.first { $0.key == "baud" }?.value == "9600")
        }
        #expect(try readConfiguration("").entries.filter { $0.key == "baud" }.map(\.value) == ["\"auto\"", "\"auto\""])
    }

    @Test(arguments: [
        (
            "url = \"gpsd://localhost\"\nbaud = 9600",
            "waypost.toml:3:8: [[source]] baud: is for serial sources, and url is 'gpsd://localhost:2947'; remove it"
        ),
        (
            "url = \"serial:auto?baud=4800\"\nbaud = 9600",
            "waypost.toml:3:8: [[source]] baud: is 9600, and url has ?baud=4800; remove one of them"
        ),
        (
            "url = \"serial:auto\"\nbaud = 9601",
            """
            waypost.toml:3:8: [[source]] baud: 9601 is not a supported speed; write "auto" or one of \
            4800, 9600, 19200, 38400, 57600, 115200, 230400, 460800, 921600
            """
        ),
        (
            "url = \"serial:auto\"\nbaud = \"9600\"",
            """
            waypost.toml:3:8: [[source]] baud: '9600' is not a speed; write "auto" or one of \
            4800, 9600, 19200, 38400, 57600, 115200, 230400, 460800, 921600, without quotes
            """
        ),
        (
            "url = \"serial:auto\"\nbaud = true",
            "waypost.toml:3:8: [[source]] baud must be \"auto\" or a number of bits per second such as 9600, not true or false"
        ),
    ]) func refusesWhatMakesNoSense(text: String, line: String) {
        #expect(mistakes(in: "[[source]]\n\(text)\n") == [line])
    }

    /// What `config show --all` prints of another source can be read again.
    @Test func acceptsThatTheSpeedOfAnotherSourceIsFound() {
        #expect(mistakes(in: "[[source]]\nurl = \"sim:walk\"\nbaud = \"auto\"\n").isEmpty)
    }
}
