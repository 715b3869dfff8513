import ArgumentParser
import Waypost
import WaypostControl
import WaypostPositioning

/// `waypost playback`: controls the recording or simulated drive that the tracker plays.
struct PlaybackCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "playback",
        abstract: "Control the recording or simulated drive that the tracker plays.",
        discussion: """
            stationary: the device stands still, as at a red light. position-lost: there is no position while the drive goes on, as in a \
            tunnel. reset: the drive starts again, with both off. For the sources \(SourceRegistry.playedList).

            Example: waypost playback position-lost on
            """,
        subcommands: [Stationary.self, PositionLost.self, Reset.self, Status.self], defaultSubcommand: Status.self)

    /// What each can be.
    enum Choice: String, CaseIterable, ExpressibleByArgument {
        case on, off
    }

    struct Stationary: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Stop the drive where it is, or let it go on.",
            discussion: "Example: waypost playback stationary on")

        @Argument(help: "on or off.")
        var choice: Choice

        @OptionGroup var daemon: DaemonConnection

        func run() throws { try PlaybackCommand.ask(PlaybackRequest(isStationary: choice == .on), daemon) }
    }

    struct PositionLost: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Hide the position, or show it again, while the drive goes on.",
            discussion: "Example: waypost playback position-lost on")

        @Argument(help: "on or off.")
        var choice: Choice

        @OptionGroup var daemon: DaemonConnection

        func run() throws { try PlaybackCommand.ask(PlaybackRequest(isPositionLost: choice == .on), daemon) }
    }

    struct Reset: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Start the drive again, in motion and with its position.",
            discussion: "Example: waypost playback reset")

        @OptionGroup var daemon: DaemonConnection

        func run() throws {
            try PlaybackCommand.ask(PlaybackRequest(isStationary: false, isPositionLost: false, resets: true), daemon)
        }
    }

    struct Status: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show whether the device stands still, and whether its position is hidden.",
            discussion: "Example: waypost playback status")

        @OptionGroup var daemon: DaemonConnection

        func run() throws { try PlaybackCommand.ask(PlaybackRequest(), daemon) }
    }

    /// Sends the request, and shows what holds then.
    private static func ask(_ request: PlaybackRequest, _ daemon: DaemonConnection) throws {
        let answer = try daemon.ask(request)
        let output = try OutputStream(path: "-")
        for (name, isOn) in [("stationary", answer.isStationary), ("position-lost", answer.isPositionLost)] {
            try output.write(line: "\(name) \(isOn ? "on" : "off")")
        }
    }
}
