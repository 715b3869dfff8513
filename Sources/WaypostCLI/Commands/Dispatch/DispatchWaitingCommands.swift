import ArgumentParser
import Waypost
import WaypostControl
import WaypostSystem

/// `waypost dispatch export`: what waits, for a person or a file.
struct DispatchExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Print what waits for a destination, a JSON object a line; it goes on waiting.",
        discussion: """
            Events first, then positions, as servers get them; seq of a position is its number in the log. A destination that is not in the
            configuration any more can be named, too.

            Example: waypost dispatch export old-server > waiting.jsonl
            """)

    @Argument(help: "The destination's name.", completion: .destination)
    var destination: String

    @OptionGroup var daemon: DaemonConnection

    func run() throws {
        let output = try OutputStream(path: "-")
        var page: ControlRequest.WaitingPage?
        repeat {
            let answer = try daemon.ask(.waiting(.export(destination: destination, after: page)), timeoutMilliseconds: 60_000)
            for record in answer["records"]?.array ?? [] { try output.write(value: record) }
            page = answer["next"]?.string.flatMap(ControlRequest.WaitingPage.init(text:))
        } while page != nil
    }
}

/// `waypost dispatch move`: a destination got another name, or another one takes its place.
struct DispatchMoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move",
        abstract: "Let what waits for one destination, and its dead letters, wait for another.",
        discussion: """
            The first may be gone from the configuration, the second must be in it. What the second has of it already is sent to it again
            under the same ids.

            Example: waypost dispatch move old-server new-server
            """)

    @Argument(help: "The destination for which it waits.", completion: .destination)
    var from: String

    @Argument(help: "The destination that is to get it.", completion: .destination)
    var to: String

    @OptionGroup var daemon: DaemonConnection

    func validate() throws {
        if from == to { throw ValidationError("name two destinations") }
    }

    func run() throws { _ = try daemon.ask(.waiting(.move(destination: from, target: to)), timeoutMilliseconds: 60_000) }
}

/// `waypost dispatch discard`: what waits is not wanted.
struct DispatchDiscardCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "discard",
        abstract: "Drop for good what waits for a destination.",
        discussion: """
            What is logged stays in the log. A destination that is not in the configuration any more is forgotten with its dead letters.

            Example: waypost dispatch discard old-server
            """)

    @Argument(help: "The destination's name.", completion: .destination)
    var destination: String

    @OptionGroup var daemon: DaemonConnection

    func run() throws { _ = try daemon.ask(.waiting(.discard(destination: destination)), timeoutMilliseconds: 60_000) }
}
