import ArgumentParser
import Waypost
import WaypostControl
import WaypostSystem

/// `waypost private on|off`: no positions for anybody for a while.
struct PrivateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "private",
        abstract: "Turn private mode on or off: no position leaves the tracker.",
        discussion: """
            While it is on, nothing is logged, sent or shared, and watch and status show no position; the receiver goes on. It stays on over restarts. \
            Without on or off, shows which it is.

            Example: waypost private on
            """)

    /// The choices.
    enum Choice: String, CaseIterable, ExpressibleByArgument {
        case on, off
    }

    @Argument(help: "on or off; if omitted, the setting is shown.")
    var choice: Choice?

    @OptionGroup var daemon: DaemonConnection

    func run() throws {
        let answer = try daemon.ask(PrivateModeRequest(isOn: choice.map { $0 == .on }))
        let words = answer.isOn ? "private mode is on: nothing is logged, sent or shown until waypost private off" : "private mode is off"
        try OutputStream(path: "-").write(line: choice == nil ? answer.isOn ? "on" : "off" : words)
    }
}
