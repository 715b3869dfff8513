import Waypost
import WaypostSystem

/// Turns reports into the text of one format.
protocol ReportEncoder {
    /// Appends the text before the first report.
    mutating func begin(_ text: inout TextBuffer)
    /// Appends a fix.
    ///
    /// - Parameter isBreak: whether the track is interrupted before it.
    mutating func add(_ position: Position, after isBreak: Bool, to text: inout TextBuffer)
    /// Appends a report without a fix, if the format has a place for it.
    mutating func add(_ report: NoFix, to text: inout TextBuffer)
    /// Appends a sky view, if the format has a place for it.
    mutating func add(_ view: SkyView, to text: inout TextBuffer)
    /// Appends a part of a track or route, or a waypoint; a format that has only reports gets the points of tracks as reports.
    ///
    /// - Parameter isBreak: whether another segment begins with it.
    mutating func add(_ item: GPXItem, after isBreak: Bool, to text: inout TextBuffer)
    /// Notes that what follows comes from another input.
    mutating func beginInput(_ text: inout TextBuffer)
    /// Appends the text after the last report.
    mutating func end(_ text: inout TextBuffer)
    /// Whether the format has a place for waypoints.
    var takesWaypoints: Bool { get }
    /// Whether the format has a place for routes.
    var takesRoutes: Bool { get }
    /// How much could not be written because it came too late for its place in the format.
    var lateItems: Int { get }
}

extension ReportEncoder {
    var takesWaypoints: Bool { false }
    var takesRoutes: Bool { false }
    var lateItems: Int { 0 }

    func beginInput(_ text: inout TextBuffer) {}
    func add(_ report: NoFix, to text: inout TextBuffer) {}
    func add(_ view: SkyView, to text: inout TextBuffer) {}

    mutating func add(_ item: GPXItem, after isBreak: Bool, to text: inout TextBuffer) {
        addPoint(item, after: isBreak, to: &text)
    }

    /// Appends a track point as the report that a receiver would have made of it.
    mutating func addPoint(_ item: GPXItem, after isBreak: Bool, to text: inout TextBuffer) {
        switch item.report {
        case .position(let position): add(position, after: isBreak, to: &text)
        case .noFix(let report): add(report, to: &text)
        case .sky, nil: break
        }
    }
}

/// JSON lines: every report with a time or a fix, and sky views.
struct JSONLinesEncoder: ReportEncoder {
    let takesWaypoints = true
    let takesRoutes = true

    func begin(_ text: inout TextBuffer) {}

    func add(_ item: GPXItem, after isBreak: Bool, to text: inout TextBuffer) {
        if TPVCodec.append(item, to: &text) { text.append(byte: UInt8(ascii: "\n")) }
    }

    func add(_ position: Position, after isBreak: Bool, to text: inout TextBuffer) {
        TPVCodec.append(position, to: &text)
        text.append(byte: UInt8(ascii: "\n"))
    }

    func add(_ report: NoFix, to text: inout TextBuffer) {
        guard report.time != nil else { return }
        TPVCodec.append(report, to: &text)
        text.append(byte: UInt8(ascii: "\n"))
    }

    func add(_ view: SkyView, to text: inout TextBuffer) {
        TPVCodec.append(view, to: &text)
        text.append(byte: UInt8(ascii: "\n"))
    }

    func end(_ text: inout TextBuffer) {}
}

/// GeoJSON (RFC 7946): a FeatureCollection with one Point per fix; its properties are the members of its JSON line and `segment`.
///
/// The third coordinate is the height above the ellipsoid, as the RFC requires.
struct GeoJSONEncoder: ReportEncoder {
    let takesWaypoints = true
    let takesRoutes = true
    private var segment = 0
    private var hasFeatures = false

    func begin(_ text: inout TextBuffer) { text.append("{\"type\":\"FeatureCollection\",\"features\":[\n") }

    mutating func add(_ position: Position, after isBreak: Bool, to text: inout TextBuffer) {
        if isBreak, hasFeatures { segment += 1 }
        beginFeature(position, &text)
        let segment = segment
        TPVCodec.append(position, to: &text) { json in json.member("segment", segment) }
        text.append(byte: UInt8(ascii: "}"))
    }

    mutating func add(_ item: GPXItem, after isBreak: Bool, to text: inout TextBuffer) {
        guard let point = item.point else { return }
        if case .noFix = item.report { return }
        beginFeature(point.position, &text)
        TPVCodec.append(item, to: &text)
        text.append(byte: UInt8(ascii: "}"))
    }

    private mutating func beginFeature(_ position: Position, _ text: inout TextBuffer) {
        if hasFeatures { text.append(",\n") }
        hasFeatures = true
        text.append("{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[")
        text.append(shortest: position.coordinate.longitudeDegrees)
        text.append(byte: UInt8(ascii: ","))
        text.append(shortest: position.coordinate.latitudeDegrees)
        if let altitude = position.altitudeHAEMetres {
            text.append(byte: UInt8(ascii: ","))
            text.append(measured: altitude)
        }
        text.append("]},\"properties\":")
    }

    func end(_ text: inout TextBuffer) { text.append("\n]}\n") }
}

/// KML 2.2: a placemark for each stretch without a loss.
struct KMLEncoder: ReportEncoder {
    let takesWaypoints = true
    private var writer = KMLWriter()

    func begin(_ text: inout TextBuffer) { writer.begin(into: &text) }

    mutating func add(_ position: Position, after isBreak: Bool, to text: inout TextBuffer) {
        if isBreak { writer.breakSegment(into: &text) }
        writer.point(position, into: &text)
    }

    mutating func add(_ item: GPXItem, after isBreak: Bool, to text: inout TextBuffer) {
        switch item {
        case .waypoint(let point):
            writer.waypoint(
                name: point.name, description: point.description, coordinate: point.position.coordinate,
                altitudeMSLMetres: point.position.altitudeMSLMetres, time: point.position.time, into: &text)
        default: addPoint(item, after: isBreak, to: &text)
        }
    }

    mutating func end(_ text: inout TextBuffer) { writer.end(into: &text) }
}

/// NMEA 0183: the sentences of each fix, and of each report without one.
struct NMEAEncoder: ReportEncoder {
    private let writer = NMEAWriter()

    func begin(_ text: inout TextBuffer) {}

    func add(_ position: Position, after isBreak: Bool, to text: inout TextBuffer) { writer.position(position, into: &text) }

    func add(_ report: NoFix, to text: inout TextBuffer) { writer.noFix(report, into: &text) }

    func end(_ text: inout TextBuffer) {}
}
