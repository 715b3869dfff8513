import ArgumentParser
import Waypost
import WaypostConfiguration
import WaypostControl
import WaypostSystem

/// How quantities and times are written: the option of every command that prints them for people.
///
/// Units are those of `--units`, else those of the tracker that is asked, else those of the configuration. The clocks are those of `TZ`, else
/// of the time zone of the tracker or the configuration, else of this system.
struct ScreenOptions: ParsableArguments {
    @Option(help: "Units on the screen: \(UnitSystem.allCases.map(\.rawValue).joined(separator: ", ")); default: [display] units.")
    var units: UnitSystem?

    /// What a tracker shows with, from its STATUS.
    func format(of status: JSONValue?) -> ScreenFormat {
        guard let display = status?["display"] else { return format }
        return format(
            Configuration.Display(
                units: display["units"]?.string.flatMap(UnitSystem.init) ?? .metric, timeZone: display["time_zone"]?.string ?? ""))
    }

    /// What the tracker shows with, which is asked for it.
    ///
    /// Whether it may be asked for more is found out by the request that follows.
    func format(askedOf client: inout ControlClient) -> ScreenFormat {
        let status = try? JSONParser().parse(try client.answer(to: .status))  // See above.
        return format(of: status)
    }

    /// What the running tracker shows with, else the configuration.
    func format(by daemon: DaemonConnection) -> ScreenFormat {
        do {
            var client = try daemon.connectIfRunning()
            return format(askedOf: &client)
        } catch {
            return format
        }
    }

    /// What the configuration of this user shows with.
    var format: ScreenFormat { format(ScreenOptions.configured) }

    private func format(_ display: Configuration.Display) -> ScreenFormat {
        ScreenFormat(units: units ?? display.units, zone: ScreenOptions.zone(display))
    }

    private static func zone(_ display: Configuration.Display) -> TimeZoneRules {
        let environment = ProcessIdentity.current().environment
        if environment["TZ"] == nil, !display.timeZone.isEmpty, let zone = TimeZoneFolder.rules(named: display.timeZone) { return zone }
        return TimeZoneFolder.local(environment: environment)
    }

    private static let configured: Configuration.Display = {
        let identity = ProcessIdentity.current()
        let paths = DefaultPaths(environment: identity.environment, userID: identity.userID, userName: identity.userName)
        // What is wrong with a configuration is said by waypost config check, and by the tracker.
        return (try? Configuration.load(path: nil, paths: paths).configuration.display) ?? Configuration.Display()  // See above.
    }()

    /// The clocks by which this user reads and writes times.
    static let zone = zone(configured)
}

extension UnitSystem: ExpressibleByArgument {}
