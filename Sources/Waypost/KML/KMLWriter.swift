/// Writes positions as KML 2.2, piece by piece into a buffer that the caller may empty at any time.
///
/// ```
/// <kml><Document>
///   <name>                             when there is one
///   <Style id="track">  <Schema id="fix">    what the tracks look like; what is known of each fix besides: speed, track, accuracy
///   <Placemark>                        one for each segment
///     <gx:MultiTrack>                  fixes with times: gx:Track of at most 1 000 fixes each, joined by gx:interpolate
///     <LineString> or <Point>          fixes without times
///   <Placemark>                        one for each waypoint: name, description, TimeStamp, Point
/// ```
///
/// - Coordinates are longitude, latitude and, when known, the height above mean sea level in metres, which is what KML means by
///   altitude. Tracks lie on the ground (`clampToGround`, KML's default): a receiver's height error exceeds the height of a car.
/// - KML lists all times of a track before all its places, so a track is written only when it is complete: hence the pieces of 1 000. Waypoints
///   within a segment are held back until it ends, or until they fill 64 KiB: then the segment's placemark ends and another one continues.
/// - Speeds are in m/s, tracks in degrees from true north, accuracies the 68 % radius in metres; unknown values are empty.
/// - Source: OGC 07-147r2 (KML 2.2); Google's extensions `gx` (https://developers.google.com/kml/schema/kml22gx.xsd).
/// - Cost: memory for one piece of a track and the waypoints held back; no allocation per point once the buffers have grown.
public struct KMLWriter: Sendable {
    /// The most fixes in one `gx:Track`.
    public static let fixesPerTrack = 1_000
    /// The size of held waypoints, in bytes, that ends the placemark they wait for.
    static let heldWaypointByteCount = 64 << 10

    /// How many fixes were written.
    public private(set) var pointCount = 0
    /// How many segments were begun.
    public private(set) var segmentCount = 0

    private enum Open {
        case nothing
        /// Fixes with times; the lists of the current piece are in `track`.
        case timed
        /// Fixes without times: the first one is held back, because a single one is a point and not a line.
        case untimed(first: Coordinates, isLine: Bool)
    }

    private struct Coordinates {
        var longitudeDegrees: Double
        var latitudeDegrees: Double
        var altitudeMetres: Double?
    }

    private var open = Open.nothing
    private var isSegmentOpen = false
    private var track = TrackLists()
    private var waypoints = TextBuffer(capacity: 0)

    /// Creates a writer at the start of a document.
    public init() {}

    /// Writes the head of the document; call it once, before anything else.
    ///
    /// - Parameters:
    ///   - name: the name of the document, when it has one.
    ///   - text: the buffer to append to.
    public func begin(name: String? = nil, into text: inout TextBuffer) {
        text.append(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2">
            <Document>\n
            """)
        if let name { element("<name>", name, "</name>\n", into: &text) }
        text.append(
            """
            <Style id="track"><LineStyle><color>ff2f50e6</color><width>4</width></LineStyle></Style>
            <Schema id="fix">
            <gx:SimpleArrayField name="speed" type="float"><displayName>Speed (m/s)</displayName></gx:SimpleArrayField>
            <gx:SimpleArrayField name="track" type="float"><displayName>Course (degrees)</displayName></gx:SimpleArrayField>
            <gx:SimpleArrayField name="accuracy" type="float"><displayName>Accuracy (m, 68 %)</displayName></gx:SimpleArrayField>
            </Schema>\n
            """)
    }

    /// Writes a fix, in the open segment or in a new one.
    public mutating func point(_ position: Position, into text: inout TextBuffer) {
        if !isSegmentOpen {
            isSegmentOpen = true
            segmentCount += 1
        }
        pointCount += 1
        let place = Coordinates(
            longitudeDegrees: position.coordinate.longitudeDegrees, latitudeDegrees: position.coordinate.latitudeDegrees,
            altitudeMetres: position.elevationMetres.flatMap { abs($0) < 1e9 ? $0 : nil })
        guard let time = position.time, time.hasFourDigitYear else { return addUntimed(place, into: &text) }
        if case .timed = open {
        } else {
            closePlacemark(into: &text)
            openPlacemark(into: &text)
            text.append("<gx:MultiTrack><gx:interpolate>1</gx:interpolate>\n")
            open = .timed
        }
        track.times.append("<when>")
        track.times.append(time, trimsMilliseconds: true)
        track.times.append("</when>\n")
        track.places.append("<gx:coord>")
        append(place, separator: " ", to: &track.places)
        track.places.append("</gx:coord>\n")
        track.add(position)
        if track.count == KMLWriter.fixesPerTrack { track.flush(into: &text) }
    }

    /// Ends the segment, when one is open: the next fix begins a new one.
    public mutating func breakSegment(into text: inout TextBuffer) {
        closePlacemark(into: &text)
        isSegmentOpen = false
    }

    /// Writes a waypoint, at the latest when the open segment ends.
    ///
    /// - Parameters:
    ///   - name: the label on the map.
    ///   - description: shown on request, plain text.
    ///   - coordinate: the place.
    ///   - altitudeMSLMetres: the height above mean sea level, if known.
    ///   - time: when the place was passed, if known.
    ///   - text: the buffer to append to.
    public mutating func waypoint(
        name: String?, description: String? = nil, coordinate: Coordinate, altitudeMSLMetres: Double? = nil, time: UTCTime? = nil,
        into text: inout TextBuffer
    ) {
        waypoints.append("<Placemark>")
        if let name { element("<name>", name, "</name>", into: &waypoints) }
        if let description { element("<description>", description, "</description>", into: &waypoints) }
        if let time, time.hasFourDigitYear {
            waypoints.append("<TimeStamp><when>")
            waypoints.append(time, trimsMilliseconds: true)
            waypoints.append("</when></TimeStamp>")
        }
        let place = Coordinates(
            longitudeDegrees: coordinate.longitudeDegrees, latitudeDegrees: coordinate.latitudeDegrees,
            altitudeMetres: altitudeMSLMetres.flatMap { abs($0) < 1e9 ? $0 : nil })
        waypoints.append("<Point><coordinates>")
        append(place, separator: ",", to: &waypoints)
        waypoints.append("</coordinates></Point></Placemark>\n")
        if case .nothing = open { flushWaypoints(into: &text) }
        if waypoints.count > KMLWriter.heldWaypointByteCount { closePlacemark(into: &text) }
    }

    /// Closes what is open and ends the document; nothing may follow.
    public mutating func end(into text: inout TextBuffer) {
        closePlacemark(into: &text)
        text.append("</Document>\n</kml>\n")
    }
}

// MARK: - Placemarks

extension KMLWriter {
    private func openPlacemark(into text: inout TextBuffer) {
        text.append("<Placemark><name>Segment ")
        text.append(integer: segmentCount)
        text.append("</name><styleUrl>#track</styleUrl>\n")
    }

    private mutating func closePlacemark(into text: inout TextBuffer) {
        switch open {
        case .nothing: break
        case .timed:
            track.flush(into: &text)
            text.append("</gx:MultiTrack>\n</Placemark>\n")
        case .untimed(let first, let isLine):
            if isLine {
                text.append("</coordinates></LineString>\n</Placemark>\n")
            } else {
                openPlacemark(into: &text)
                text.append("<Point><coordinates>")
                append(first, separator: ",", to: &text)
                text.append("</coordinates></Point>\n</Placemark>\n")
            }
        }
        open = .nothing
        flushWaypoints(into: &text)
    }

    private mutating func addUntimed(_ place: Coordinates, into text: inout TextBuffer) {
        guard case .untimed(let first, let isLine) = open else {
            closePlacemark(into: &text)
            open = .untimed(first: place, isLine: false)
            return
        }
        if !isLine {
            openPlacemark(into: &text)
            text.append("<LineString><tessellate>1</tessellate><coordinates>\n")
            append(first, separator: ",", to: &text)
            text.append("\n")
            open = .untimed(first: first, isLine: true)
        }
        append(place, separator: ",", to: &text)
        text.append("\n")
    }

    private mutating func flushWaypoints(into text: inout TextBuffer) {
        text.append(contentsOf: waypoints.bytes)
        waypoints.removeAll()
    }

    private func append(_ place: Coordinates, separator: StaticString, to text: inout TextBuffer) {
        text.append(shortest: place.longitudeDegrees)
        text.append(separator)
        text.append(shortest: place.latitudeDegrees)
        guard let altitude = place.altitudeMetres else { return }
        text.append(separator)
        text.append(altitude, decimals: 3, trimsZeros: true)
    }

    private func element(_ open: StaticString, _ content: String, _ close: StaticString, into text: inout TextBuffer) {
        text.append(open)
        text.append(xmlEscaped: content)
        text.append(close)
    }
}

/// The lists of one `gx:Track`: times, places, and what else is known of each fix.
private struct TrackLists: Sendable {
    var times = TextBuffer(capacity: 0)
    var places = TextBuffer(capacity: 0)
    private(set) var count = 0

    private var speeds = Values(name: "speed")
    private var courses = Values(name: "track")
    private var accuracies = Values(name: "accuracy")

    /// One `gx:SimpleArrayData`: one value per fix.
    private struct Values: Sendable {
        let name: StaticString
        var text = TextBuffer(capacity: 0)
        var isAnyKnown = false

        mutating func add(_ value: Double?) {
            text.append("<gx:value>")
            if let value, abs(value) < 1e9 {
                isAnyKnown = true
                text.append(value, decimals: 3, trimsZeros: true)
            }
            text.append("</gx:value>\n")
        }

        mutating func flush(into output: inout TextBuffer) {
            if isAnyKnown {
                output.append("<gx:SimpleArrayData name=\"")
                output.append(name)
                output.append("\">\n")
                output.append(contentsOf: text.bytes)
                output.append("</gx:SimpleArrayData>\n")
            }
            text.removeAll()
            isAnyKnown = false
        }
    }

    mutating func add(_ position: Position) {
        count += 1
        speeds.add(position.speedMetresPerSecond)
        courses.add(position.courseDegrees)
        accuracies.add(position.accuracy?.radiusMetres)
    }

    /// Writes the track, when there is one, and empties the lists.
    mutating func flush(into text: inout TextBuffer) {
        guard count > 0 else { return }
        text.append("<gx:Track>\n")
        text.append(contentsOf: times.bytes)
        text.append(contentsOf: places.bytes)
        let hasValues = speeds.isAnyKnown || courses.isAnyKnown || accuracies.isAnyKnown
        if hasValues { text.append("<ExtendedData><SchemaData schemaUrl=\"#fix\">\n") }
        speeds.flush(into: &text)
        courses.flush(into: &text)
        accuracies.flush(into: &text)
        if hasValues { text.append("</SchemaData></ExtendedData>\n") }
        text.append("</gx:Track>\n")
        times.removeAll()
        places.removeAll()
        count = 0
    }
}
