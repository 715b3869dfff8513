import ArgumentParser
import Waypost
import WaypostControl
import WaypostSystem

/// `waypost hold`: keep positioning on.
struct HoldCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hold",
        abstract: "Keep the receiver on, for every fix, until this command ends.",
        discussion: """
            For a tracker that follows only significant changes, or sleeps at rest. status shows the reason. The hold ends with this command, \
            however that ends (Ctrl-C, kill or --for).

            Example: waypost hold --reason "photo walk" --for 1h
            """)

    @Option(help: ArgumentHelp("The reason, shown by status.", valueName: "text"), transform: NameValue.parse)
    var reason: String

    @Option(
        name: .customLong("for"), help: ArgumentHelp("End after this long: \(SpanValue.forms).", valueName: "span"),
        transform: SpanValue.parse)
    var span: Duration?

    @Option(help: .otherName(of: "for"), transform: SpanValue.parse)
    var seconds: Duration?

    @OptionGroup var daemon: DaemonConnection

    func validate() throws {
        if reason.isEmpty { throw ValidationError("--reason must not be empty") }
        _ = try OptionNames.optional(span, "--for", seconds, "--seconds")
    }

    func run() throws {
        var client = try daemon.connect()
        do throws(ControlError) {
            _ = try client.ask(HoldRequest(reason: reason))
        } catch {
            throw CommandFailure(error)
        }
        let span = span ?? seconds
        if span == nil { SystemProcess.printError("waypost: the receiver is kept on; press Ctrl-C to end this") }
        do throws(ControlError) {
            // Nothing more arrives until the connection ends.
            while try client.nextLine(within: span) != nil {}
        } catch {
            throw CommandFailure(error)
        }
    }
}
