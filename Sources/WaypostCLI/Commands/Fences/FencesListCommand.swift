import ArgumentParser
import Waypost
import WaypostControl
import WaypostSystem

/// `waypost fences list`: the running tracker's fences.
struct FencesListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the fences that the running tracker watches.",
        discussion: """
            The fences of the fence file come first, then those added with waypost fences add and import. The place is the centre; the distance is \
            from the device to the border. Distance and side are not shown before the first fix, in private mode or inside a privacy zone.

            Example: waypost fences list
            """)

    @Flag(help: "Print one JSON object per line.")
    var json = false

    @OptionGroup var daemon: DaemonConnection
    @OptionGroup var screen: ScreenOptions

    func run() throws {
        let output = try OutputStream(path: "-")
        var client = try daemon.connect()
        var table = FenceTable(json ? nil : screen.format(askedOf: &client), screenColumns: output.screenColumns)
        var start: Int? = 0
        var isEmpty = true
        while let from = start {
            let answer = try client.value(of: .listFences(from: from, withShapes: false))
            let fences = answer["fences"]?.array ?? []
            isEmpty = isEmpty && fences.isEmpty
            for line in table.lines(fences) { try output.write(line: line) }
            start = answer["next"]?.int
        }
        if isEmpty, !json { SystemProcess.printError("waypost: fences list: there are no fences") }
        try output.finish()
    }
}

/// `waypost fences active`: the nearest fences of the running tracker.
struct FencesActiveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "active",
        abstract: "List the fences nearest to where the device is.",
        discussion: """
            The twenty with the nearest borders, their distance, and whether the device is inside. Empty before the first fix.

            Example: waypost fences active
            """)

    @Flag(help: "Print one JSON object per line.")
    var json = false

    @OptionGroup var daemon: DaemonConnection
    @OptionGroup var screen: ScreenOptions

    func run() throws {
        let answer = try daemon.ask(.activeFences)
        let output = try OutputStream(path: "-")
        var table = FenceTable(json ? nil : screen.format(by: daemon), screenColumns: output.screenColumns)
        for line in table.lines(answer["fences"]?.array ?? []) { try output.write(line: line) }
        try output.finish()
    }
}

extension ControlClient {
    /// Sends a request and returns the answer as a value.
    mutating func value(of request: ControlRequest, timeoutMilliseconds: Int = 5_000) throws(CommandFailure) -> JSONValue {
        let line: [UInt8]
        do throws(ControlError) {
            line = try Patience.during("waiting for the tracker") { () throws(ControlError) in
                try answer(to: request, timeoutMilliseconds: timeoutMilliseconds)
            }
        } catch {
            throw CommandFailure(error)
        }
        return try CommandFailure.readable(line)
    }
}
