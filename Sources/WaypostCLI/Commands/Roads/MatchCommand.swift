import ArgumentParser
import Waypost
import WaypostSystem

/// `waypost match ROADS TRACK`: the roads on which a track was made.
struct MatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "match",
        abstract: "Find the roads on which a recording was made.",
        discussion: """
            By default the whole track decides on every fix. With --online it is as on the device: each fix is matched when it comes, or \
            --lag seconds later, when more is known. The receiver's speed, course and accuracy are used where the recording has them. Fixes off the \
            roads, or outside of the map, are matched to none.

            --json prints a line for each fix: its time and place, matched_lat, matched_lon, way_id, offset_m, confidence; off the roads way_id \
            is null and there is no place.

            Example: waypost match berlin.roads monday.gpx --json
            Example: waypost match berlin.roads walk.nmea --mode foot --online --lag 5
            """)

    @Argument(help: "The road file.", completion: .file())
    var roads: String

    @Argument(
        help:
            "The recording: \(ConversionFormat.list(ConversionFormat.readable)), given by the extension, also before .gz; - is standard input.",
        completion: .file())
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

    func run() throws {
        if lag != nil, !online { throw ValidationError("--lag needs --online") }
        guard let kind = from?.format ?? ConversionFormat(extensionOf: track), ConversionFormat.readable.contains(kind) else {
            throw CommandFailure.withoutFormat(track, next: "use --from \(ConversionFormat.list(ConversionFormat.readable))")
        }
        let input = try ConversionInput(path: track, named: kind)
        let file = try RoadFileInput.open(roads)
        var reader = try input.reader()
        let output = try OutputStream(path: "-")
        var matching = MatchedTrack(matcher: MapMatcher(roads: file, mode: mode, lag: online ? lag ?? .zero : nil), isJSON: json)
        while try reader.read(into: &matching) {
            try output.write(matching.text)
            matching.text.removeAll()
        }
        matching.finish()
        try output.write(matching.text)
        let incomplete = try input.check(reader)
        try output.finish()
        if let incomplete { throw incomplete }
        if matching.fixCount > 0, matching.matchCount == 0 {
            SystemProcess.printError("waypost: \(track): no fix is near a road for \(mode.word) of \(roads)")
        }
    }
}

/// A lag: a span, or none.
private enum LagValue {
    static func parse(_ text: String) throws -> Duration { Double(text) == 0 ? .zero : try SpanValue.parse(text) }
}

/// Matches the fixes of a recording, and writes a line for each.
private struct MatchedTrack: RecordingSink {
    private var matcher: MapMatcher
    private let isJSON: Bool
    /// What is to be printed.
    var text = TextBuffer()
    private(set) var fixCount = 0
    private(set) var matchCount = 0
    private var segment = 0

    init(matcher: MapMatcher, isJSON: Bool) {
        self.matcher = matcher
        self.isJSON = isJSON
    }

    mutating func add(_ position: Position) { append(matcher.process(position)) }

    mutating func add(_ item: RecordingItem) {
        switch item {
        case .report(.position(let position)): add(position)
        case .item(let item):
            guard case .trackPoint(_, let place) = item, case .position(let position) = item.report else { return }
            if place != segment { finish() }
            segment = place
            add(position)
        case .report: break
        }
    }

    /// Decides what still waits: the recording, or a part of it, has ended.
    mutating func finish() { append(matcher.finish()) }

    private mutating func append(_ matches: [MapMatcher.FixMatch]) {
        for match in matches {
            fixCount += 1
            if match.match != nil { matchCount += 1 }
            if isJSON { appendJSON(match) } else { appendLine(match) }
            text.append(byte: UInt8(ascii: "\n"))
        }
    }

    private mutating func appendJSON(_ fix: MapMatcher.FixMatch) {
        text.appendJSON { json in
            json.object { json in
                json.member("time", fix.position.time)
                json.member("lat", fix.position.coordinate.latitudeDegrees)
                json.member("lon", fix.position.coordinate.longitudeDegrees)
                if let match = fix.match {
                    json.member("matched_lat", rounded(match.position.coordinate.latitudeDegrees, 1e7))
                    json.member("matched_lon", rounded(match.position.coordinate.longitudeDegrees, 1e7))
                    json.member("way_id", Int(match.wayID))
                    json.member("offset_m", rounded(match.offsetMetres, 10))
                    json.member("confidence", rounded(match.confidence, 1_000))
                } else {
                    json.member("way_id", JSONValue.null)
                }
            }
        }
    }

    private mutating func appendLine(_ fix: MapMatcher.FixMatch) {
        let place = fix.position.coordinate
        var line = fix.position.time.map { ScreenFormat().moment($0) + "  " } ?? ""
        line += "\(rounded(place.latitudeDegrees, 1e6)),\(rounded(place.longitudeDegrees, 1e6))  "
        if let match = fix.match, let road = matcher.road(of: fix) {
            line += "\(road.name ?? road.roadClass.text) (way \(match.wayID)), \(Int(match.offsetMetres.rounded())) m, "
            line += "\(Int((match.confidence * 100).rounded())) %"
        } else {
            line += "off the roads"
        }
        text.append(string: printable(line))
    }
}
