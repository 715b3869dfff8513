import Testing
import Waypost
import WaypostConfiguration
import WaypostSystem

@testable import WaypostCLI

/// Which configuration a command reads when none is named.
@Suite struct ConfigurationInUseTests {
    private let ben = DefaultPaths(environment: ["HOME": "/home/ben"], userID: 1_000, userName: "ben")

    @Test func isTheServicesForWhoHasNoneOfHisOwn() {
        #expect(DefaultPaths.inUse(own: ben) { $0 == "/etc/waypost" }.configurationFile == "/etc/waypost/waypost.toml")
        #expect(DefaultPaths.inUse(own: ben) { $0 == "/etc/waypost" }.logDirectory == "/var/log/waypost")
    }

    @Test(arguments: ["/home/ben/.config/waypost/waypost.toml", "/home/ben/.config/waypost/conf.d"])
    func isTheUsersOwnWhereThereIsOne(file: String) {
        #expect(DefaultPaths.inUse(own: ben) { [file, "/etc/waypost"].contains($0) } == ben)
    }

    @Test func isTheUsersOwnWhereNoServiceIsInstalled() {
        #expect(DefaultPaths.inUse(own: ben) { _ in false } == ben)
    }

    @Test func namesTheGroupThatMayReadTheServices() {
        let hidden = ConfigurationError(file: "/etc/waypost/waypost.toml", place: nil, kind: .notPermitted)
        #expect(
            hidden.line.hasPrefix("waypost: /etc/waypost/waypost.toml: this user may not read it; use sudo, or join the group that may: "))
        #expect(hidden.line.contains("usermod -aG waypost "))
        let other = ConfigurationError(file: "/srv/w.toml", place: nil, kind: .notPermitted)
        #expect(other.line == "waypost: /srv/w.toml: this user may not read it; use sudo, or be in its group")
    }

    @Test(arguments: [("UTC0", "UTC"), ("JST-9", "UTC+9"), ("NST3:30", "UTC-3:30"), ("NPT-5:45", "UTC+5:45")])
    func namesTheClocksOfAQuestion(zone: String, name: String) throws {
        let format = ScreenFormat(zone: try #require(TimeZoneRules(posix: zone)))
        #expect(format.zoneName(at: UTCTime(millisecondsSince1970: 0)) == name)
    }
}
