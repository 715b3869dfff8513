import Waypost
import WaypostSystem

/// Matches the fixes of a recording, and writes what is found.
struct MatchedTrack: RecordingSink {
    private var matcher: MapMatcher
    private var encoder: any MatchEncoder
    /// What is to be printed.
    var text = TextBuffer()
    private(set) var fixCount = 0
    private(set) var matchCount = 0
    private var segment = 0

    init(matcher: MapMatcher, encoder: any MatchEncoder) {
        self.matcher = matcher
        self.encoder = encoder
        self.encoder.begin(&text)
    }

    mutating func add(_ position: Position) { append(matcher.process(position.sound)) }

    mutating func add(_ item: RecordingItem) {
        switch item {
        case .report(.position(let position)): add(position)
        case .item(let item):
            guard case .trackPoint(_, let place) = item, case .position(let position) = item.report else { return }
            if place != segment {
                append(matcher.finish())
                encoder.interrupt(&text)
            }
            segment = place
            add(position)
        case .report: break
        }
    }

    /// Decides what still waits: the recording has ended.
    mutating func end() {
        append(matcher.finish())
        encoder.end(&text)
    }

    private mutating func append(_ matches: [MapMatcher.FixMatch]) {
        for match in matches {
            fixCount += 1
            if match.match != nil { matchCount += 1 }
            encoder.add(match, matcher.road(of: match), to: &text)
        }
    }
}

/// A format of matched tracks.
protocol MatchEncoder {
    /// Writes what comes before the first fix.
    mutating func begin(_ text: inout TextBuffer)
    /// Writes a fix, or keeps it for later.
    mutating func add(_ fix: MapMatcher.FixMatch, _ road: Road?, to text: inout TextBuffer)
    /// The next fix does not follow from the one before.
    mutating func interrupt(_ text: inout TextBuffer)
    /// Writes the rest.
    mutating func end(_ text: inout TextBuffer)
}

extension MatchEncoder {
    mutating func begin(_ text: inout TextBuffer) {}
    mutating func interrupt(_ text: inout TextBuffer) {}
    mutating func end(_ text: inout TextBuffer) {}
}

/// A line for each fix, for people.
struct MatchedLines: MatchEncoder {
    let format: ScreenFormat

    func add(_ fix: MapMatcher.FixMatch, _ road: Road?, to text: inout TextBuffer) {
        let place = fix.position.coordinate
        var line = fix.position.time.map { format.moment($0) + "  " } ?? ""
        line += "\(rounded(place.latitudeDegrees, 1e6)),\(rounded(place.longitudeDegrees, 1e6))  "
        if let match = fix.match, let road {
            line += "\(road.name ?? road.roadClass.text) (way \(match.wayID)), \(format.units.distance(match.offsetMetres.rounded())), "
            line += "\(Int((match.confidence * 100).rounded())) %"
        } else {
            line += "off the roads"
        }
        text.append(string: printable(line))
        text.append(byte: UInt8(ascii: "\n"))
    }
}

/// A JSON object for each fix.
struct MatchedJSONLines: MatchEncoder {
    func add(_ fix: MapMatcher.FixMatch, _ road: Road?, to text: inout TextBuffer) {
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
        text.append(byte: UInt8(ascii: "\n"))
    }
}

/// The track on the roads in GPX: a point has the name of the road where one begins.
struct MatchedGPX: MatchEncoder {
    private var writer = GPXWriter(creator: "waypost \(WaypostVersion.text)", precision: .exchange, requiresTime: false)
    private var wayID: Int64?
    /// The name of the road of the last point: a street of several ways has one.
    private var name: String?
    private var hasPoint = false

    mutating func begin(_ text: inout TextBuffer) { writer.begin(into: &text) }

    mutating func add(_ fix: MapMatcher.FixMatch, _ road: Road?, to text: inout TextBuffer) {
        guard let match = fix.match else { return interrupt(&text) }
        var point = GPXPoint(match.position)
        if wayID != match.wayID, road?.name != name { point.name = road?.name }
        (wayID, name) = (match.wayID, road?.name)
        hasPoint = true
        writer.point(point, into: &text)
    }

    mutating func interrupt(_ text: inout TextBuffer) {
        if hasPoint { writer.breakSegment(into: &text) }
        (wayID, name, hasPoint) = (nil, nil, false)
    }

    mutating func end(_ text: inout TextBuffer) { writer.end(into: &text) }
}

/// GeoJSON: a feature for each stretch of a road.
struct MatchedGeoJSON: MatchEncoder {
    private var stretch: [MapMatcher.FixMatch] = []
    private var road: Road?
    private var count = 0

    mutating func begin(_ text: inout TextBuffer) { text.append(string: #"{"type":"FeatureCollection","features":["#) }

    mutating func add(_ fix: MapMatcher.FixMatch, _ road: Road?, to text: inout TextBuffer) {
        guard let match = fix.match else { return interrupt(&text) }
        if stretch.last?.match?.wayID != match.wayID { interrupt(&text) }
        self.road = road
        stretch.append(fix)
    }

    mutating func interrupt(_ text: inout TextBuffer) {
        let matches = stretch.compactMap(\.match)
        guard let first = matches.first else { return }
        if count > 0 { text.append(byte: UInt8(ascii: ",")) }
        count += 1
        text.append(byte: UInt8(ascii: "\n"))
        text.appendJSON { json in
            json.object { json in
                json.member("type", "Feature")
                json.object("geometry") { json in
                    json.member("type", matches.count > 1 ? "LineString" : "Point")
                    if matches.count > 1 {
                        json.array("coordinates") { json in
                            for match in matches { json.array { MatchedGeoJSON.write(match.position.coordinate, to: &$0) } }
                        }
                    } else {
                        json.array("coordinates") { MatchedGeoJSON.write(first.position.coordinate, to: &$0) }
                    }
                }
                json.object("properties") { json in
                    json.member("way_id", Int(first.wayID))
                    json.member("name", road?.name)
                    json.member("class", road?.roadClass.text)
                    json.member("speed_kmh", (road?.kilometresPerHour).map(Int.init))
                    json.member("begin", first.position.time)
                    json.member("end", matches.last?.position.time)
                    json.member("fixes", matches.count)
                    json.member("confidence", rounded(matches.reduce(0) { $0 + $1.confidence } / Double(matches.count), 1_000))
                }
            }
        }
        stretch.removeAll(keepingCapacity: true)
    }

    private static func write(_ place: Coordinate, to json: inout JSONWriter) {
        json.element(rounded(place.longitudeDegrees, 1e7))
        json.element(rounded(place.latitudeDegrees, 1e7))
    }

    mutating func end(_ text: inout TextBuffer) {
        interrupt(&text)
        text.append(string: "\n]}\n")
    }
}
