/// Writes waypoints, routes and tracks as GPX 1.1, piece by piece into a buffer that the caller empties whenever it likes.
///
/// ```swift
/// var writer = GPXWriter(creator: "waypost 1.0")
/// writer.begin(name: "Morning", time: first.time, into: &text)
/// writer.point(first, into: &text)      // opens the track and its first segment
/// writer.breakSegment(into: &text)      // the next point opens another one
/// writer.point(second, into: &text)
/// writer.end(into: &text)
/// ```
///
/// - The schema has all waypoints before all routes before all tracks: ``waypoint(_:into:)`` and ``routePoint(_:into:)`` write nothing and
///   return false once something that must follow them is written. Within a point its elements stand in the schema's order; `ele` is the height above mean sea level and `geoidheight` the geoid above the ellipsoid, so the
///   height above the ellipsoid is their sum. Speed and course are in Garmin's TrackPointExtension v2, the 68 % accuracy in
///   `waypost:accuracy` (metres, namespace `urn:waypost:gpx:1`).
/// - Values that the schema forbids are left out (a negative satellite count, infinities) or written as it wants them (longitude 180 as -180).
///   A segment without points is never written; nor is a track or a route.
/// - Source: GPX 1.1 schema, https://www.topografix.com/GPX/1/1/; TrackPointExtension v2, https://www8.garmin.com/xmlschemas/.
/// - Cost: no allocation per point once the buffer has grown.
public struct GPXWriter: Sendable {
    /// The program named in the file, `waypost VERSION`.
    public let creator: String
    /// How many decimals are written.
    public let precision: GPXPrecision
    /// Whether points without a time are refused; many readers drop a track with a single one.
    public let requiresTime: Bool
    /// How many points were written.
    public private(set) var pointCount = 0
    /// How many segments were begun.
    public private(set) var segmentCount = 0

    /// What was written last; what comes before it in the schema cannot be written any more.
    private enum Stage: Int {
        case waypoints, routes, tracks
    }

    private var stage = Stage.waypoints
    /// The head of the route or track whose points come next.
    private var path = GPXPath(number: 0)
    private var isPathOpen = false
    private var isSegmentOpen = false

    /// A writer at the start of a document.
    public init(creator: String, precision: GPXPrecision = .log, requiresTime: Bool = true) {
        self.creator = creator
        self.precision = precision
        self.requiresTime = requiresTime
    }

    /// Writes the head of the document; call it once, first.
    ///
    /// - Parameters:
    ///   - name: the name of the file and its track, when it has one.
    ///   - time: when the document was made; for a log, the moment of its first fix.
    public mutating func begin(name: String? = nil, time: UTCTime? = nil, into text: inout TextBuffer) {
        text.append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<gpx version=\"1.1\" creator=\"")
        text.append(xmlEscaped: creator)
        text.append(
            """
            " xmlns="http://www.topografix.com/GPX/1/1" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
            xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2" xmlns:waypost="urn:waypost:gpx:1" \
            xsi:schemaLocation="http://www.topografix.com/GPX/1/1 https://www.topografix.com/GPX/1/1/gpx.xsd \
            http://www.garmin.com/xmlschemas/TrackPointExtension/v2 https://www8.garmin.com/xmlschemas/TrackPointExtensionv2.xsd">\n
            """)
        let documentTime = time.flatMap { $0.hasFourDigitYear ? $0 : nil }
        if name != nil || documentTime != nil {
            text.append("<metadata>")
            if let name {
                text.append("<name>")
                text.append(xmlEscaped: name)
                text.append("</name>")
            }
            if let documentTime {
                text.append("<time>")
                text.append(documentTime, trimsMilliseconds: true)
                text.append("</time>")
            }
            text.append("</metadata>\n")
        }
        path.name = name
    }

    /// Writes a waypoint; false when a route or track is written already.
    @discardableResult
    public mutating func waypoint(_ point: GPXPoint, into text: inout TextBuffer) -> Bool {
        guard stage == .waypoints else { return false }
        append(point, "wpt", into: &text)
        return true
    }

    /// Begins a route with its next point; false when a track is written already.
    @discardableResult
    public mutating func beginRoute(name: String? = nil, description: String? = nil, into text: inout TextBuffer) -> Bool {
        guard stage != .tracks else { return false }
        closePath(into: &text)
        path = GPXPath(number: 0, name: name, description: description)
        return true
    }

    /// Writes a point of a route; false when a track is written already.
    @discardableResult
    public mutating func routePoint(_ point: GPXPoint, into text: inout TextBuffer) -> Bool {
        guard stage != .tracks else { return false }
        openPath(.routes, into: &text)
        append(point, "rtept", into: &text)
        return true
    }

    /// Begins a track with its next point.
    public mutating func beginTrack(name: String? = nil, description: String? = nil, into text: inout TextBuffer) {
        closePath(into: &text)
        path = GPXPath(number: 0, name: name, description: description)
    }

    /// Ends the segment, when one is open: the next point begins a new one.
    public mutating func breakSegment(into text: inout TextBuffer) {
        guard isSegmentOpen else { return }
        text.append("</trkseg>\n")
        isSegmentOpen = false
    }

    /// Writes a track point; false when it has no time that can be written and the writer requires one.
    @discardableResult
    public mutating func point(_ position: Position, into text: inout TextBuffer) -> Bool {
        point(GPXPoint(position), into: &text)
    }

    /// Writes a track point with its name; false when it has no time that can be written and the writer requires one.
    @discardableResult
    public mutating func point(_ point: GPXPoint, into text: inout TextBuffer) -> Bool {
        if requiresTime, point.position.time?.hasFourDigitYear != true { return false }
        openPath(.tracks, into: &text)
        if !isSegmentOpen {
            text.append("<trkseg>\n")
            isSegmentOpen = true
            segmentCount += 1
        }
        append(point, "trkpt", into: &text)
        pointCount += 1
        return true
    }

    /// Closes what is open and ends the document; nothing may follow.
    public mutating func end(into text: inout TextBuffer) {
        closePath(into: &text)
        text.append("</gpx>\n")
    }

    private mutating func openPath(_ kind: Stage, into text: inout TextBuffer) {
        if stage != kind {
            // A name that was meant for what comes next is not for what is open.
            let next = path
            closePath(into: &text)
            path = next
            stage = kind
        }
        guard !isPathOpen else { return }
        isPathOpen = true
        text.append(kind == .tracks ? "<trk>" : "<rte>")
        append(string: path.name, "<name>", "</name>", into: &text)
        append(string: path.description, "<desc>", "</desc>", into: &text)
    }

    private mutating func closePath(into text: inout TextBuffer) {
        breakSegment(into: &text)
        if isPathOpen { text.append(stage == .tracks ? "</trk>\n" : "</rte>\n") }
        isPathOpen = false
        path = GPXPath(number: 0)
    }
}

// MARK: - One point

extension GPXWriter {
    /// A point of any kind.
    @inline(__always)
    private func append(_ point: GPXPoint, _ element: StaticString, into text: inout TextBuffer) {
        text.append("<")
        text.append(element)
        text.append(" lat=\"")
        append(degrees: point.position.coordinate.latitudeDegrees, into: &text)
        text.append("\" lon=\"")
        append(longitudeDegrees: point.position.coordinate.longitudeDegrees, into: &text)
        text.append("\">")
        if let elevation = point.position.elevationMetres {
            append("<ele>", elevation, decimals: precision.altitudeDecimals, "</ele>", into: &text)
        }
        if let time = point.position.time, time.hasFourDigitYear {
            text.append("<time>")
            text.append(time, trimsMilliseconds: true)
            text.append("</time>")
        }
        if let separation = point.position.geoidSeparationMetres {
            append("<geoidheight>", separation, decimals: precision.altitudeDecimals, "</geoidheight>", into: &text)
        }
        append(string: point.name, "<name>", "</name>", into: &text)
        append(string: point.description, "<desc>", "</desc>", into: &text)
        appendFix(of: point.position, into: &text)
        appendExtensions(of: point.position, into: &text)
        text.append("</")
        text.append(element)
        text.append(">\n")
    }

    @inline(__always)
    private func append(string: String?, _ open: StaticString, _ close: StaticString, into text: inout TextBuffer) {
        guard let string else { return }
        text.append(open)
        text.append(xmlEscaped: string)
        text.append(close)
    }

    /// The kind of fix, satellites and dilutions, in the schema's order.
    private func appendFix(of position: Position, into text: inout TextBuffer) {
        switch position.status {
        case .differential, .rtkFixed, .rtkFloat: text.append("<fix>dgps</fix>")
        case .precise: text.append("<fix>pps</fix>")
        // The schema: leave `fix` out when it is not known what it rests on.
        case .deadReckoning, .simulated: break
        case .unknown, .gps, .gnssDeadReckoning, .timeOnly:
            if position.mode == .threeDimensional { text.append("<fix>3d</fix>") } else { text.append("<fix>2d</fix>") }
        }
        if let satellites = position.quality.satellitesUsed, satellites >= 0 {
            text.append("<sat>")
            text.append(integer: satellites)
            text.append("</sat>")
        }
        append(figure: position.quality.hdop, "<hdop>", "</hdop>", into: &text)
        append(figure: position.quality.vdop, "<vdop>", "</vdop>", into: &text)
        if !precision.leavesOutImpliedPDOP || !position.quality.isPDOPImplied {
            append(figure: position.quality.pdop, "<pdop>", "</pdop>", into: &text)
        }
    }

    private func appendExtensions(of position: Position, into text: inout TextBuffer) {
        let speed = position.speedMetresPerSecond.flatMap { $0 >= 0 ? $0 : nil }
        let course = position.courseDegrees.flatMap { (0...360).contains($0) ? $0 : nil }
        let accuracy = position.accuracy?.radiusMetres
        guard speed != nil || course != nil || accuracy != nil else { return }
        text.append("<extensions>")
        if speed != nil || course != nil {
            text.append("<gpxtpx:TrackPointExtension>")
            append(figure: speed, "<gpxtpx:speed>", "</gpxtpx:speed>", into: &text)
            append(figure: course, "<gpxtpx:course>", "</gpxtpx:course>", into: &text)
            text.append("</gpxtpx:TrackPointExtension>")
        }
        append(figure: accuracy, "<waypost:accuracy>", "</waypost:accuracy>", into: &text)
        text.append("</extensions>")
    }

    private func append(figure: Double?, _ open: StaticString, _ close: StaticString, into text: inout TextBuffer) {
        guard let figure else { return }
        append(open, figure, decimals: precision.figureDecimals, trimsZeros: true, close, into: &text)
    }

    private func append(
        _ open: StaticString, _ value: Double, decimals: Int, trimsZeros: Bool = false, _ close: StaticString, into text: inout TextBuffer
    ) {
        // Beyond that it is no measurement, and it would not fit the decimal form. NaN fails the comparison as well.
        guard abs(value) < 1e9 else { return }
        text.append(open)
        text.append(value, decimals: decimals, trimsZeros: trimsZeros)
        text.append(close)
    }

    private func append(longitudeDegrees: Double, into text: inout TextBuffer) {
        // The schema excludes 180; what rounds to it is that meridian, too.
        let scale = precision.coordinateDecimals == 7 ? 1e7 : precision.coordinateDecimals == 8 ? 1e8 : 1e9
        let isDateLine = (longitudeDegrees * scale).rounded() >= 180 * scale
        append(degrees: isDateLine ? -180 : longitudeDegrees, into: &text)
    }

    private func append(degrees: Double, into text: inout TextBuffer) {
        var decimals = precision.coordinateDecimals
        if decimals > 7 {
            let finest = (abs(degrees) * (decimals == 8 ? 1e8 : 1e9)).rounded()
            let perSeventhDecimal: UInt64 = decimals == 8 ? 10 : 100
            if UInt64(finest) % perSeventhDecimal == 0 { decimals = 7 }
        }
        text.append(degrees, decimals: decimals)
    }
}

extension Position {
    /// Height above mean sea level: as given, or from the ellipsoid's when the geoid separation is known; else nil.
    var elevationMetres: Double? {
        if let altitudeMSLMetres { return altitudeMSLMetres }
        guard let altitudeHAEMetres, let geoidSeparationMetres else { return nil }
        return altitudeHAEMetres - geoidSeparationMetres
    }
}

extension TextBuffer {
    /// Appends text as XML content or attribute value; characters that XML 1.0 cannot hold become U+FFFD.
    public mutating func append(xmlEscaped text: String) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": append("&amp;")
            case "<": append("&lt;")
            case ">": append("&gt;")
            case "\"": append("&quot;")
            // As references: an attribute's plain line break would be read as a space.
            case "\t": append("&#9;")
            case "\n": append("&#10;")
            case "\r": append("&#13;")
            case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": append("\u{FFFD}")
            default: append(contentsOf: scalar.utf8)
            }
        }
    }
}
