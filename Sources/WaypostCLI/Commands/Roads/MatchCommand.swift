import ArgumentParser
import Waypost
import WaypostSystem

/// `waypost match ROADS TRACK`: the roads on which a track was made.
struct MatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "match",
        abstract: "Find the roads on which a recording was made.",
        usage: """
            waypost match <roads> <track> [--from <from>] [--mode <mode>] [--online [--lag <span>]] \
            [--json | --format <format>] [--units <units>]
            """,
        discussion: """
            By default the whole track decides on every fix. With --online it is as on the device: each fix is matched when it comes, or \
            --lag seconds later, when more is known. The receiver's speed, course and accuracy are used where the recording has them. Fixes off the \
            roads, or outside of the map, are matched to none.

            --json prints a line for each fix: its time and place, matched_lat, matched_lon, way_id, offset_m, confidence; off the roads way_id \
            is null and there is no place. GPX has the track on the roads, with the name of the road where one begins, and a new segment after \
            fixes that are on none; GeoJSON has a feature for each stretch of a road.

            Example: waypost match berlin.roads monday.gpx --json
            Example: waypost match berlin.roads monday.gpx --format gpx > on-roads.gpx
            Example: waypost match berlin.roads walk.nmea --mode foot --online --lag 5
            """)

    @Argument(help: "The road file.", completion: .file(), transform: PathValue.parse)
    var roads: String

    @Argument(
        help:
            "The recording: \(ConversionFormat.list(ConversionFormat.readable)), given by the extension, also before .gz; - is standard input.",
        completion: .file(), transform: PathValue.parse)
    var track: String

    @Option(help: "Format of the recording: \(ConversionFormat.list(ConversionFormat.readable)).")
    var from: InputFormat?

    @Option(help: "How the device travelled: car, foot or bicycle.")
    var mode: TravelMode = .car

    @Flag(help: "Match each fix when it comes, as the device does.")
    var online = false

    @Option(
        help: ArgumentHelp("With --online: decide so much later; \(SpanValue.forms), or 0.", valueName: "span"), transform: LagValue.parse)
    var lag: Duration?

    @Flag(help: "Print one JSON object per fix.")
    var json = false

    @Option(help: "What to print instead: gpx or geojson.")
    var format: Format?

    @OptionGroup var screen: ScreenOptions

    /// A format of matched tracks, besides lines.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case gpx, geojson
    }

    func run() throws {
        if json, format != nil { throw ValidationError("--json and --format exclude each other") }
        if lag != nil, !online { throw ValidationError("--lag needs --online") }
        guard let kind = from?.format ?? ConversionFormat(extensionOf: track), ConversionFormat.readable.contains(kind) else {
            throw CommandFailure.withoutFormat(track, next: "use --from \(ConversionFormat.list(ConversionFormat.readable))")
        }
        let input = try ConversionInput(path: track, named: kind)
        let file = try RoadFileInput.open(roads)
        var reader = try input.reader()
        let output = try OutputStream(path: "-", endsWithReader: true)
        let matcher = MapMatcher(roads: file, mode: mode, lag: online ? lag ?? .zero : nil)
        var matching = MatchedTrack(matcher: matcher, encoder: encoder)
        while try reader.read(into: &matching) {
            try output.write(matching.text)
            matching.text.removeAll()
        }
        matching.end()
        try output.write(matching.text)
        let incomplete = try input.check(reader)
        try output.finish()
        if let incomplete { throw incomplete }
        if matching.fixCount > 0, matching.matchCount == 0 {
            SystemProcess.printError("waypost: \(track): no fix is near a road for \(mode.word) of \(roads)")
        }
        if matching.fixCount == 0 {
            throw CommandFailure(.badData, what: track, why: "has no fix", next: "a route or waypoints are no recording")
        }
    }

    private var encoder: any MatchEncoder {
        switch format {
        case .gpx: MatchedGPX()
        case .geojson: MatchedGeoJSON()
        case nil: if json { MatchedJSONLines() } else { MatchedLines(format: screen.format) }
        }
    }
}

/// A lag: a span, or none.
private enum LagValue {
    static func parse(_ text: String) throws -> Duration { Double(text) == 0 ? .zero : try SpanValue.parse(text) }
}
