import ArgumentParser
import Waypost
import WaypostConfiguration
import WaypostControl
import WaypostSystem

/// The units and clocks of the output: the option of every command that prints quantities for people.
///
/// Units are those of `--units`, else those of the running tracker, else those of the configuration. The clocks are those of `TZ`, else
/// of the time zone of the tracker or the configuration, else of this system.
struct ScreenOptions: ParsableArguments {
    @Option(help: "Units on the screen: \(UnitSystem.allCases.map(\.rawValue).joined(separator: ", ")); default: [display] units.")
    var units: UnitSystem?

    /// The tracker's format, from its STATUS.
    func format(of status: StatusReport?) -> ScreenFormat { format(Configuration.Display(of: status)) }

    /// The tracker's format, which this requests from it.
    ///
    /// - Parameter limit: how long it may take to say so.
    func format(askedOf client: inout ControlClient, within limit: Duration = .seconds(5)) -> ScreenFormat {
        format(Configuration.Display(askedOf: &client, within: limit))
    }

    /// The running tracker's format, else the configuration's.
    func format(by daemon: DaemonConnection) -> ScreenFormat { format(Configuration.Display(by: daemon)) }

    /// The format of this user's configuration.
    var format: ScreenFormat { format(.configured) }

    private func format(_ display: Configuration.Display) -> ScreenFormat {
        ScreenFormat(units: units ?? display.units, zone: display.clocks)
    }
}

extension Configuration.Display {
    /// A tracker's display settings, from its STATUS; where it reports none, those of this user's configuration.
    init(of status: StatusReport?) {
        guard let display = status?.display else {
            self = .configured
            return
        }
        self.init(units: display.units, timeZone: display.timeZone ?? "")
    }

    /// The tracker's display settings, which this requests from it.
    ///
    /// Whether the tracker answers this user shows in the request that follows.
    init(askedOf client: inout ControlClient, within limit: Duration = .seconds(5)) {
        self.init(of: try? client.ask(StatusRequest(), timeout: limit))  // See above.
    }

    /// The running tracker's display settings, else the configuration's.
    init(by daemon: DaemonConnection) {
        do {
            var client = try daemon.connectIfRunning()
            self.init(askedOf: &client)
        } catch {
            self = .configured
        }
    }

    /// The configured display settings: this user's own, else the service's.
    static let configured: Configuration.Display = {
        // Mistakes in a configuration are reported by waypost config check, and by the tracker.
        return (try? Configuration.load(path: nil, paths: .inUse).configuration.display) ?? Configuration.Display()  // See above.
    }()

    /// Reports a `TZ` that names no time zone, once.
    private static let unknownZone: Void = {
        guard let setting = ProcessIdentity.current().environment["TZ"], TimeZoneFolder.rules(ofSetting: setting) == nil else { return }
        SystemProcess.printError("waypost: TZ: \(quoted(setting)) is not a time zone of this system, so times are in UTC")
    }()

    /// The clocks by which this user reads and writes times.
    var clocks: TimeZoneRules {
        let environment = ProcessIdentity.current().environment
        _ = Configuration.Display.unknownZone
        if environment["TZ"] == nil, !timeZone.isEmpty, let zone = TimeZoneFolder.rules(named: timeZone) { return zone }
        return TimeZoneFolder.local(environment: environment)
    }
}

extension DaemonConnection {
    /// The clocks for times in output, and in input without a zone: the running tracker's, else the configuration's.
    var format: ScreenFormat { ScreenFormat(zone: Configuration.Display(by: self).clocks) }
}

extension UnitSystem: ExpressibleByArgument {}
