import ArgumentParser
import Waypost
import WaypostControl
import WaypostSystem

/// `waypost log rotate`: ends the current track.
struct LogRotateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "End the current track and make its GPX file.",
        discussion: """
            The next fix starts a new track. Prints the path of the file; nothing when nothing was recorded.

            Example: waypost log rotate
            """)

    @OptionGroup var daemon: DaemonConnection

    func run() throws {
        // A day of fixes takes seconds on a small board.
        let answer = try daemon.ask(RotateLogRequest(), timeout: .seconds(300))
        guard let track = answer.track else {
            SystemProcess.printError("waypost: log rotate: nothing was recorded since the last track; there is no file to make")
            return
        }
        try OutputStream(path: "-").write(path: track)
    }
}
