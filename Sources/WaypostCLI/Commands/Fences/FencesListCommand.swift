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
        var next: UInt64? = 0
        var isEmpty = true
        while let start = next {
            let answer = try client.askPatiently(ListFencesRequest(start: start, hasShapes: false))
            let fences = answer.fences ?? []
            isEmpty = isEmpty && fences.isEmpty
            for line in table.lines(fences) { try output.write(line: line) }
            next = answer.next
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
            The twenty with the nearest borders, their distance, and whether the device is inside. Empty before the first fix, in private mode and inside a privacy zone.

            Example: waypost fences active
            """)

    @Flag(help: "Print one JSON object per line.")
    var json = false

    @OptionGroup var daemon: DaemonConnection
    @OptionGroup var screen: ScreenOptions

    func run() throws {
        let answer = try daemon.ask(ActiveFencesRequest())
        let output = try OutputStream(path: "-")
        var table = FenceTable(json ? nil : screen.format(by: daemon), screenColumns: output.screenColumns)
        let fences = answer.fences ?? []
        for line in table.lines(fences) { try output.write(line: line) }
        if fences.isEmpty, !json {
            let status = try daemon.ask(StatusRequest())
            let why =
                if status.privacy?.isPrivate == true {
                    "private mode hides which are near; end it with waypost private off"
                } else if status.privacy?.isWithheld == true {
                    "a privacy zone hides which are near"
                } else if (status.fences?.count ?? 0) == 0 {
                    "there are no fences; add one with waypost fences add"
                } else {
                    "none is known to be near; this needs a fix since the fences were added"
                }
            SystemProcess.printError("waypost: fences active: \(why)")
        }
        try output.finish()
    }
}
