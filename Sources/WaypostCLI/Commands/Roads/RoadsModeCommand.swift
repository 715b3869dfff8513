import ArgumentParser
import Waypost
import WaypostControl
import WaypostSystem

/// `waypost roads mode`: how the device travels on the roads on which the tracker puts positions.
struct RoadsModeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mode",
        abstract: "Show or change how the device travels on the roads: by car, on foot or by bicycle.",
        discussion: """
            From the next fix on, until the tracker ends; then it is again what [matching] mode says. Whoever gets off the bicycle and walks on \
            need not restart the tracker.

            Example: waypost roads mode foot
            """)

    @Argument(help: "How the device travels: car, foot or bicycle; if omitted, it is shown.")
    var mode: TravelMode?

    @OptionGroup var daemon: DaemonConnection

    func run() throws {
        try OutputStream(path: "-").write(line: daemon.ask(MatchingRequest(mode: mode)).mode.rawValue)
    }
}
