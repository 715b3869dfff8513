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
            Those of the fence file come first, those added by waypost fences add and import behind them.

            Example: waypost fences list
            """)

    @Flag(help: "Print one JSON object per line.")
    var json = false

    @OptionGroup var daemon: DaemonConnection

    func run() throws {
        let output = try OutputStream(path: "-")
        var client = try daemon.connect()
        var start: Int? = 0
        while let from = start {
            let answer = try client.value(of: .listFences(from: from, withShapes: false))
            for fence in answer["fences"]?.array ?? [] { try output.write(line: FenceLine(fence).text(isJSON: json)) }
            start = answer["next"]?.int
        }
        try output.finish()
    }
}

/// `waypost fences active`: the nearest fences of the running tracker.
struct FencesActiveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "active",
        abstract: "List the fences nearest to where the device is.",
        discussion: """
            The nearest twenty by their borders, with how far that is, and whether the device counts as inside. Nothing before the first fix.

            Example: waypost fences active
            """)

    @Flag(help: "Print one JSON object per line.")
    var json = false

    @OptionGroup var daemon: DaemonConnection

    func run() throws {
        let answer = try daemon.ask(.activeFences)
        let output = try OutputStream(path: "-")
        for fence in answer["fences"]?.array ?? [] { try output.write(line: FenceLine(fence).text(isJSON: json)) }
        try output.finish()
    }
}

/// A fence of the running tracker in one line.
private struct FenceLine {
    private let fence: JSONValue

    init(_ fence: JSONValue) {
        self.fence = fence
    }

    func text(isJSON: Bool) -> String {
        if isJSON {
            var text = TextBuffer()
            text.appendJSON { json in json.element(fence) }
            return text.string
        }
        var words = [fence["name"]?.string ?? "?"]
        if let id = fence["id"]?.string, id != fence["name"]?.string { words.append("id \(id)") }
        words.append(shape)
        if let metres = fence["distance"]?.double { words.append(metres <= 0 ? "\(-metres) m inside its border" : "\(metres) m away") }
        if fence["inside"]?.bool == true { words.append("the device is inside") }
        if fence["added"]?.bool == true { words.append("added") }
        return words.joined(separator: ", ")
    }

    private var shape: String {
        switch fence["shape"]?.string {
        case "circle": "circle of \(fence["radius"]?.double ?? 0) m"
        case "corridor": "corridor \(fence["width"]?.double ?? 0) m wide"
        case let other?: other
        case nil: "?"
        }
    }
}

extension ControlClient {
    /// Asks, and waits for the answer as a value.
    mutating func value(of request: ControlRequest, timeoutMilliseconds: Int = 5_000) throws(CommandFailure) -> JSONValue {
        let line: [UInt8]
        do throws(ControlError) { line = try answer(to: request, timeoutMilliseconds: timeoutMilliseconds) } catch {
            throw CommandFailure(error)
        }
        return try CommandFailure.readable(line)
    }
}
