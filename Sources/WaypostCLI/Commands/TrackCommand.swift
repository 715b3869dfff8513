import ArgumentParser
import Waypost
import WaypostControl
import WaypostSystem

/// `waypost track`: an application's own event.
struct TrackCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "track",
        abstract: "Send your own event, with the position, to every destination.",
        discussion: """
            The event is on the disk when this returns, and is sent when the destination is due. Values that are JSON numbers, true, false or null are \
            sent as such, everything else as text. A warning names destinations that cannot accept it, and why: OwnTracks accepts no event without a position.

            Example: waypost track delivered parcel=7 signed_by="A. Smith"
            """)

    @Argument(help: "The name of the event.", transform: NameValue.parse)
    var name: String

    @Argument(help: ArgumentHelp("A value to send with it.", valueName: "key=value"), transform: NameValue.parse)
    var values: [String] = []

    @OptionGroup var daemon: DaemonConnection

    func validate() throws {
        if name.isEmpty { throw ValidationError("NAME must not be empty") }
        if name.contains("=") { throw ValidationError("the event's name comes first: waypost track NAME KEY=VALUE") }
        _ = try members()
    }

    func run() throws {
        let answer = try daemon.ask(TrackRequest(event: name, values: try members()))
        var reasons = answer.reasons.makeIterator()
        for destination in answer.excluded {
            let reason = reasons.next().map { ": \($0)" } ?? ""
            SystemProcess.printError("waypost: track: \(destination) will not get it\(reason)")
        }
    }

    private func members() throws -> [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        for pair in values {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty else { throw ValidationError("\(pair): must be KEY=VALUE") }
            let key = String(parts[0])
            guard members.updateValue(TrackCommand.value(String(parts[1])), forKey: key) == nil else {
                throw ValidationError("\(key): is given twice")
            }
        }
        return members
    }

    private static func value(_ text: String) -> JSONValue {
        // Anything that is not JSON is text.
        switch try? JSONParser().parse(text) {  // See above.
        case .some(let value) where value.array == nil && value.object == nil && value.string == nil: return value
        default: return .string(text)
        }
    }
}
