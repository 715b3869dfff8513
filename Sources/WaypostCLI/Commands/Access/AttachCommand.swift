import ArgumentParser
import Waypost
import WaypostControl
import WaypostSystem

/// `waypost attach`: the events of a registration.
struct AttachCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attach",
        abstract: "Print the events of a registration as they come: first those that wait.",
        discussion: """
            One line of JSON per event, the newest last. While this command runs the program is not started. An event comes again with the next attach \
            until it is acknowledged: waypost ack NAME ID.

            Example: waypost attach photo --timeout 10
            """)

    @Argument(help: "The name of the registration.", completion: .registration, transform: NameValue.parse)
    var name: String

    @Option(
        help: ArgumentHelp("End after this many events.", valueName: "n"), transform: NumberValue.parse("how many, such as 10"))
    var count: Int?

    @Option(
        help: ArgumentHelp("End with 75 when this long passes without an event: \(SpanValue.forms).", valueName: "span"),
        transform: SpanValue.parse)
    var timeout: Duration?

    @OptionGroup var daemon: DaemonConnection

    func validate() throws {
        try RegisterCommand.checkName(name)
        if let count, count < 1 { throw ValidationError("--count must be at least 1") }
    }

    func run() throws {
        var client = try daemon.connect()
        _ = try client.askPatiently(AttachRequest(registration: name))
        let output = try OutputStream(path: "-", endsWithReader: true)
        var shown = 0
        while shown < count ?? .max {
            let line: [UInt8]?
            do throws(ControlError) { line = try client.nextLine(within: timeout) } catch { throw CommandFailure(error) }
            guard let line else { throw CommandFailure(.timedOut, what: "attach", why: "no event came in time") }
            guard let event = try? WakeLine(line: line) else { continue }  // What this client may know has changed.
            try output.write(line: String(decoding: event.event.bytes, as: UTF8.self))
            shown += 1
        }
    }
}

/// `waypost ack`: an event has done its work.
struct AcknowledgeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ack",
        abstract: "Acknowledge an event of a registration: it is never told again.",
        discussion: """
            Example: waypost ack photo s-12-1781000000
            """)

    @Argument(help: "The name of the registration.", completion: .registration, transform: NameValue.parse)
    var name: String

    @Argument(help: "The id of the event.", transform: NameValue.parse)
    var id: String

    @OptionGroup var daemon: DaemonConnection

    func validate() throws { try RegisterCommand.checkName(name) }

    func run() throws {
        let answer = try daemon.ask(AcknowledgeEventRequest(registration: name, id: id))
        if !answer.wasWaiting {
            SystemProcess.printError("waypost: ack: no such event waits: it was acknowledged before, or never was there")
        }
    }
}
