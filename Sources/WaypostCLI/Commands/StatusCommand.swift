import ArgumentParser
import Waypost
import WaypostControl
import WaypostSystem

/// `waypost status`: one screen about the running tracker.
struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show what the tracker does.",
        discussion: """
            Exit code 0 when all is well, 1 when something is not, 69 when the tracker does not run.

            Example: waypost status --json
            """)

    @OptionGroup var daemon: DaemonConnection

    @Flag(help: "Print one JSON object.")
    var json = false

    func run() throws {
        var client = try daemon.connect()
        let line: [UInt8]
        let status: JSONValue
        do throws(ControlError) {
            line = try client.answer(to: .status)
        } catch {
            throw CommandFailure(error)
        }
        do throws(JSONError) {
            status = try JSONParser().parse(line)
        } catch {
            throw CommandFailure(.unavailable, what: "waypostd", why: "answers something that is no JSON: \(error)")
        }
        let output = try OutputStream(path: "-")
        for line in json ? [String(decoding: line, as: UTF8.self)] : StatusScreen(status).lines { try output.write(line: line) }
        if status["health"]?.string != "healthy" { throw ExitCode(ExitStatus.failed.rawValue) }
    }
}
