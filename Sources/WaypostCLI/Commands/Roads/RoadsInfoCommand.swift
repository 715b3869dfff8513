import ArgumentParser
import Waypost
import WaypostSystem

/// `waypost roads info FILE`: what a road file holds.
struct RoadsInfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Show what a road file holds.",
        discussion: """
            Checks the whole file, too: exit code 65 when it is damaged or of another version.

            Example: waypost roads info berlin.roads
            """)

    @Argument(help: "The road file.", completion: .file(), transform: PathValue.parse)
    var roads: String

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var screen: ScreenOptions

    func run() throws {
        let summary = try RoadFileInput.open(roads).summary
        let output = try OutputStream(path: "-")
        if json {
            try output.writeObject { json in
                json.member("file", roads)
                json.member("map_time", summary.dataTime)
                json.member("south", summary.box.southDegrees)
                json.member("west", summary.box.westDegrees)
                json.member("north", summary.box.northDegrees)
                json.member("east", summary.box.eastDegrees)
                json.member("road_km", (summary.roadMetres / 100).rounded() / 10)
                json.member("ways", summary.wayCount)
                json.member("edges", summary.edgeCount)
                json.member("nodes", summary.nodeCount)
                json.member("forbidden_turns", summary.turnCount)
                json.member("bytes", summary.byteCount)
                json.member("notice", summary.notice)
            }
        } else {
            try output.write(line: "\(roads): \(summary.words(screen.format.units))")
            let box = summary.box
            try output.write(
                line: "area: \(box.southDegrees),\(box.westDegrees) to \(box.northDegrees),\(box.eastDegrees) (latitude, longitude)")
            try output.write(line: "map: \(summary.dataTime.map { "of \(screen.format.day($0))" } ?? "of unknown time")")
        }
        try output.finish()
    }
}
