import ArgumentParser
import Waypost
import WaypostConfiguration
import WaypostControl
import WaypostSystem

/// How quantities and times are written: the option of every command that prints quantities for people.
///
/// Units are those of `--units`, else those of the tracker that is asked, else those of the configuration. The clocks are those of `TZ`, else
/// of the time zone of the tracker or the configuration, else of this system.
struct ScreenOptions: ParsableArguments {
    @Option(help: "Units on the screen: \(UnitSystem.allCases.map(\.rawValue).joined(separator: ", ")); default: [display] units.")
    var units: UnitSystem?

    /// What a tracker shows with, from its STATUS.
    func format(of status: JSONValue?) -> ScreenFormat { format(Configuration.Display(of: status)) }

    /// What the tracker shows with, which is asked for it.
    func format(askedOf client: inout ControlClient) -> ScreenFormat { format(Configuration.Display(askedOf: &client)) }

    /// What the running tracker shows with, else the configuration.
    func format(by daemon: DaemonConnection) -> ScreenFormat { format(Configuration.Display(by: daemon)) }

    /// What the configuration of this user shows with.
    var format: ScreenFormat { format(.configured) }

    private func format(_ display: Configuration.Display) -> ScreenFormat {
        ScreenFormat(units: units ?? display.units, zone: display.clocks)
    }
}

extension Configuration.Display {
    /// What a tracker shows with, from its STATUS; what this user's configuration says where it does not tell.
    init(of status: JSONValue?) {
        guard let display = status?["display"] else {
            self = .configured
            return
        }
        self.init(
            units: display["units"]?.string.flatMap(UnitSystem.init) ?? .metric, timeZone: display["time_zone"]?.string ?? "")
    }

    /// What the tracker shows with, which is asked for it.
    ///
    /// Whether it may be asked for more is found out by the request that follows.
    init(askedOf client: inout ControlClient) {
        self.init(of: try? JSONParser().parse(try client.answer(to: .status)))  // See above.
    }

    /// What the running tracker shows with, else the configuration.
    init(by daemon: DaemonConnection) {
        do {
            var client = try daemon.connectIfRunning()
            self.init(askedOf: &client)
        } catch {
            self = .configured
        }
    }

    /// What the configuration shows with: this user's own, else the service's.
    static let configured: Configuration.Display = {
        // What is wrong with a configuration is said by waypost config check, and by the tracker.
        return (try? Configuration.load(path: nil, paths: .inUse).configuration.display) ?? Configuration.Display()  // See above.
    }()

    /// The clocks by which this user reads and writes times.
    var clocks: TimeZoneRules {
        let environment = ProcessIdentity.current().environment
        if environment["TZ"] == nil, !timeZone.isEmpty, let zone = TimeZoneFolder.rules(named: timeZone) { return zone }
        return TimeZoneFolder.local(environment: environment)
    }
}

extension DaemonConnection {
    /// How times are written, and read where they have no zone of their own: as the running tracker does, else the configuration.
    var format: ScreenFormat { ScreenFormat(zone: Configuration.Display(by: self).clocks) }
}

extension ScreenFormat {
    /// How far the clocks are from UTC at a moment: `UTC`, `UTC+9`, `UTC-3:30`.
    func zoneName(at time: UTCTime) -> String {
        let minutes = zone.offsetSeconds(at: time) / 60
        guard minutes != 0 else { return "UTC" }
        let (hour, minute) = abs(minutes).quotientAndRemainder(dividingBy: 60)
        return "UTC\(minutes < 0 ? "-" : "+")\(hour)" + (minute == 0 ? "" : ":\(minute < 10 ? "0" : "")\(minute)")
    }
}

extension UnitSystem: ExpressibleByArgument {}
