import ArgumentParser
import Waypost
import WaypostControl
import WaypostRecording
import WaypostSystem

/// `waypost log ack CURSOR --puller NAME`: confirms that what was exported has arrived.
struct LogAckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ack",
        abstract: "Record how much of the log a puller has.",
        usage: """
            waypost log ack <cursor> --puller <name> [--log <dir>] [--socket <path>]
            waypost log ack --puller <name> --forget [--log <dir>] [--socket <path>]
            """,
        discussion: """
            CURSOR is the "seq" of the last line that has arrived, or the number of "cursor N". With keep_unpulled nothing is deleted until every \
            puller has it. A cursor before the known one changes nothing.

            Example: waypost log ack 4711 --puller home
            """)

    @Argument(
        help: "The last record that the puller has.", transform: NumberValue.parse("the number of \"cursor N\", such as 4711"))
    var cursor: UInt64?

    @Option(help: ArgumentHelp("The puller; a new name adds one.", valueName: "name"), completion: .puller, transform: NameValue.parse)
    var puller: String

    @Flag(help: "Remove the puller instead: nothing is kept for it any more.")
    var forget = false

    @OptionGroup var location: LogLocation

    /// Stores the cursor; where this user may read the log but not write it, the tracker does it.
    private func acknowledge(_ cursor: UInt64, in folder: LogFolder) throws(CommandFailure) -> UInt64 {
        let refused: CommandFailure
        do throws(RecordingError) {
            return try Pullers(folder: folder).acknowledge(cursor, puller: puller).cursor
        } catch {
            guard case .cannotAcknowledge(_, let cause) = error, cause.meansNoPermission else { throw CommandFailure(error) }
            refused = CommandFailure(error)
        }
        return try location.ask(AcknowledgeLogRequest(cursor: cursor, puller: puller), about: folder, or: refused).cursor
    }

    func validate() throws {
        if forget == (cursor != nil) {
            throw ValidationError(forget ? "--forget takes no cursor" : "name the cursor: waypost log ack 4711 --puller home")
        }
    }

    func run() throws {
        let folder = try location.folder(isWritten: true)
        if let cursor {
            let known = try acknowledge(cursor, in: folder)
            if known > cursor { SystemProcess.printError("waypost: \(puller) has more already: up to \(known)") }
        } else if try !attempt({ () throws(RecordingError) in try Pullers(folder: folder).forget(puller) }) {
            throw CommandFailure(
                .inputMissing, what: "--puller \(puller)", why: "is not known", next: "waypost log list shows who has fetched what")
        }
    }
}
