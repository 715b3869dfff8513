import ArgumentParser
import Waypost
import WaypostControl
import WaypostSystem

/// `waypost private on|off`: nobody is told anything for a while.
struct PrivateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "private",
        abstract: "Stop telling positions to anybody, and start again.",
        discussion: """
            While it is on, nothing is logged, sent or shared, not even shown by watch and status; the receiver goes on. It stays on over restarts. \
            Without on or off it says how it is.

            Example: waypost private on
            """)

    /// What can be said.
    enum Choice: String, CaseIterable, ExpressibleByArgument {
        case on, off
    }

    @Argument(help: "on or off; how it is when left out.")
    var choice: Choice?

    @OptionGroup var daemon: DaemonConnection

    func run() throws {
        let answer = try daemon.ask(.privateMode(on: choice.map { $0 == .on }))
        guard let isOn = answer["on"]?.bool else {
            throw CommandFailure.strangeAnswer("does not say whether private mode is on")
        }
        if choice == nil { try OutputStream(path: "-").write(line: isOn ? "on" : "off") }
    }
}
