import ArgumentParser
import Waypost
import WaypostControl
import WaypostSystem

/// `waypost hold`: keep positioning on.
struct HoldCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hold",
        abstract: "Keep the receiver on, for every fix, until this ends.",
        discussion: """
            For a tracker that follows significant changes alone, or sleeps at rest. The reason is shown by status; the hold ends with this \
            command (Ctrl-C, kill, or --seconds), however it ends.

            Example: waypost hold --reason "photo walk" --seconds 3600
            """)

    @Option(help: ArgumentHelp("What it is for.", valueName: "text"))
    var reason: String

    @Option(help: ArgumentHelp("End by itself after so long: \(SpanValue.forms).", valueName: "span"), transform: SpanValue.parse)
    var seconds: Duration?

    @OptionGroup var daemon: DaemonConnection

    func validate() throws {
        if reason.isEmpty { throw ValidationError("--reason must not be empty") }
    }

    func run() throws {
        var client = try daemon.connect()
        do throws(ControlError) {
            _ = try client.answer(to: .hold(reason: reason))
        } catch {
            throw CommandFailure(error)
        }
        if seconds == nil { SystemProcess.printError("waypost: positioning is held on; end it with Ctrl-C") }
        do throws(ControlError) {
            // Nothing more comes but the connection's end.
            while true { _ = try client.nextLine(timeoutMilliseconds: seconds.map { Int($0 / .milliseconds(1)) }) }
        } catch .timedOut {
            return
        } catch {
            throw CommandFailure(error)
        }
    }
}
