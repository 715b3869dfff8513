import Testing
import Waypost

@testable import WaypostConfiguration

/// `[display]`: units and time zone of the screen.
@Suite struct DisplayConfigurationTests {
    @Test func readsUnitsAndZone() throws {
        let display = try readConfiguration("[display]\nunits = \"nautical\"\ntime_zone = \"Europe/Zurich\"\n").configuration.display
        #expect(display == .init(units: .nautical, timeZone: "Europe/Zurich"))
        #expect(try readConfiguration("").configuration.display == .init(units: .metric, timeZone: ""))
    }

    @Test(arguments: [
        "units = \"furlongs\"", "units = 1", "time_zone = \"Europe/Atlantis\"", "time_zone = \"../etc/passwd\"", "time_zone = 1",
    ])
    func refusesWhatIsNeither(line: String) {
        #expect(throws: ConfigurationErrors.self) { try readConfiguration("[display]\n\(line)\n") }
    }
}
