/// Writes positions as a GPX 1.1 track, piece by piece into a buffer that the caller empties whenever it likes.
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
/// - Elements stand in the schema's order; `ele` is the height above mean sea level and `geoidheight` the geoid above the ellipsoid, so the
///   height above the ellipsoid is their sum. Speed and course are in Garmin's TrackPointExtension v2, the 68 % accuracy in
///   `waypost:accuracy` (metres, namespace `urn:waypost:gpx:1`).
/// - Values that the schema forbids are left out (a negative satellite count, infinities) or written as it wants them (longitude 180 as -180).
///   A segment without points is never written; nor is a track.
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

    private var trackName: String?
    private var isTrackOpen = false
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
        trackName = name
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
        let time = position.time.flatMap { $0.hasFourDigitYear ? $0 : nil }
        if time == nil, requiresTime { return false }
        openSegment(into: &text)
        text.append("<trkpt lat=\"")
        append(degrees: position.coordinate.latitudeDegrees, into: &text)
        text.append("\" lon=\"")
        append(longitudeDegrees: position.coordinate.longitudeDegrees, into: &text)
        text.append("\">")
        if let elevation = position.elevationMetres {
            append("<ele>", elevation, decimals: precision.altitudeDecimals, "</ele>", into: &text)
        }
        if let time {
            text.append("<time>")
            text.append(time, trimsMilliseconds: true)
            text.append("</time>")
        }
        if let separation = position.geoidSeparationMetres {
            append("<geoidheight>", separation, decimals: precision.altitudeDecimals, "</geoidheight>", into: &text)
        }
        appendFix(of: position, into: &text)
        appendExtensions(of: position, into: &text)
        text.append("</trkpt>\n")
        pointCount += 1
        return true
    }

    /// Closes what is open and ends the document; nothing may follow.
    public mutating func end(into text: inout TextBuffer) {
        breakSegment(into: &text)
        if isTrackOpen { text.append("</trk>\n") }
        isTrackOpen = false
        text.append("</gpx>\n")
    }

    private mutating func openSegment(into text: inout TextBuffer) {
        guard !isSegmentOpen else { return }
        if !isTrackOpen {
            text.append("<trk>")
            if let trackName {
                text.append("<name>")
                text.append(xmlEscaped: trackName)
                text.append("</name>")
            }
            isTrackOpen = true
        }
        text.append("<trkseg>\n")
        isSegmentOpen = true
        segmentCount += 1
    }
}

// MARK: - One point

extension GPXWriter {
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
        append(figure: position.quality.pdop, "<pdop>", "</pdop>", into: &text)
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
