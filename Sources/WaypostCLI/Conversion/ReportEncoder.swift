import Waypost
import WaypostSystem

/// Turns reports into the text of one format.
protocol ReportEncoder {
    /// Appends what stands before the first report.
    mutating func begin(_ text: inout TextBuffer)
    /// Appends a report, if the format has a place for it.
    ///
    /// - Parameter isBreak: whether the track is interrupted before it.
    mutating func add(_ report: PositionReport, after isBreak: Bool, to text: inout TextBuffer)
    /// Appends what stands behind the last report.
    mutating func end(_ text: inout TextBuffer)
}

/// JSON lines: every report with a time or a fix, and sky views.
struct JSONLinesEncoder: ReportEncoder {
    func begin(_ text: inout TextBuffer) {}

    func add(_ report: PositionReport, after isBreak: Bool, to text: inout TextBuffer) {
        switch report {
        case .position(let position): TPVCodec.append(position, to: &text)
        case .noFix(let report):
            guard report.time != nil else { return }
            TPVCodec.append(report, to: &text)
        case .sky(let view): TPVCodec.append(view, to: &text)
        }
        text.append(byte: UInt8(ascii: "\n"))
    }

    func end(_ text: inout TextBuffer) {}
}

/// GPX 1.1: one track, a segment for each stretch without a loss.
struct GPXEncoder: ReportEncoder {
    // A conversion keeps points without time; only the log insists on it.
    private var writer = GPXWriter(creator: "waypost \(WaypostVersion.text)", precision: .exchange, requiresTime: false)

    mutating func begin(_ text: inout TextBuffer) { writer.begin(into: &text) }

    mutating func add(_ report: PositionReport, after isBreak: Bool, to text: inout TextBuffer) {
        if isBreak { writer.breakSegment(into: &text) }
        if case .position(let position) = report { writer.point(position, into: &text) }
    }

    mutating func end(_ text: inout TextBuffer) { writer.end(into: &text) }
}

/// GeoJSON (RFC 7946): a FeatureCollection with one Point per fix; its properties are the members of the TPV line and `segment`.
///
/// The third coordinate is the height above the ellipsoid, as the RFC wants it.
struct GeoJSONEncoder: ReportEncoder {
    private var segment = 0
    private var hasFeatures = false

    func begin(_ text: inout TextBuffer) { text.append("{\"type\":\"FeatureCollection\",\"features\":[\n") }

    mutating func add(_ report: PositionReport, after isBreak: Bool, to text: inout TextBuffer) {
        if isBreak, hasFeatures { segment += 1 }
        guard case .position(let position) = report else { return }
        if hasFeatures { text.append(",\n") }
        hasFeatures = true
        text.append("{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[")
        text.append(shortest: position.coordinate.longitudeDegrees)
        text.append(byte: UInt8(ascii: ","))
        text.append(shortest: position.coordinate.latitudeDegrees)
        if let altitude = position.altitudeHAEMetres {
            text.append(byte: UInt8(ascii: ","))
            text.append(shortest: altitude)
        }
        text.append("]},\"properties\":")
        let segment = segment
        TPVCodec.append(position, to: &text) { json in json.member("segment", segment) }
        text.append(byte: UInt8(ascii: "}"))
    }

    func end(_ text: inout TextBuffer) { text.append("\n]}\n") }
}

/// KML 2.2: a placemark for each stretch without a loss.
struct KMLEncoder: ReportEncoder {
    private var writer = KMLWriter()

    func begin(_ text: inout TextBuffer) { writer.begin(into: &text) }

    mutating func add(_ report: PositionReport, after isBreak: Bool, to text: inout TextBuffer) {
        if isBreak { writer.breakSegment(into: &text) }
        if case .position(let position) = report { writer.point(position, into: &text) }
    }

    mutating func end(_ text: inout TextBuffer) { writer.end(into: &text) }
}

/// NMEA 0183: the sentences of each fix, and of each report without one.
struct NMEAEncoder: ReportEncoder {
    private let writer = NMEAWriter()

    func begin(_ text: inout TextBuffer) {}

    func add(_ report: PositionReport, after isBreak: Bool, to text: inout TextBuffer) {
        switch report {
        case .position(let position): writer.position(position, into: &text)
        case .noFix(let report): writer.noFix(report, into: &text)
        case .sky: break
        }
    }

    func end(_ text: inout TextBuffer) {}
}

/// Finds where a recording is interrupted that does not say so itself: where the position was lost.
struct TrackBreaks {
    private var losses = PositionLossRule()
    private var hasFix = false

    /// Takes the next report; true when it is a fix that begins a new stretch.
    mutating func isBreak(before report: PositionReport) -> Bool {
        switch report {
        case .position(let position):
            let isAfterLoss = losses.isLost
            let isBreak = (losses.addFix(at: position.time) || isAfterLoss) && hasFix
            hasFix = true
            return isBreak
        case .noFix(let report):
            _ = losses.addNoFix(at: report.time)
            return false
        case .sky: return false
        }
    }
}
