import Waypost
import WaypostSystem

/// Turns reports into the text of one format.
protocol ReportEncoder {
    /// Appends what stands before the first report.
    mutating func begin(_ text: inout TextBuffer)
    /// Appends a report, if the format has a place for it.
    mutating func add(_ report: PositionReport, to text: inout TextBuffer)
    /// Appends what stands behind the last report.
    mutating func end(_ text: inout TextBuffer)
}

/// JSON lines: every report with a time or a fix, and sky views.
struct JSONLinesEncoder: ReportEncoder {
    func begin(_ text: inout TextBuffer) {}

    func add(_ report: PositionReport, to text: inout TextBuffer) {
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
    private var segments = SegmentCounter()

    mutating func begin(_ text: inout TextBuffer) { writer.begin(into: &text) }

    mutating func add(_ report: PositionReport, to text: inout TextBuffer) {
        if segments.isBreak(before: report) { writer.breakSegment(into: &text) }
        if case .position(let position) = report { writer.point(position, into: &text) }
    }

    mutating func end(_ text: inout TextBuffer) { writer.end(into: &text) }
}

/// GeoJSON (RFC 7946): a FeatureCollection with one Point per fix; its properties are the members of the TPV line and `segment`.
///
/// The third coordinate is the height above the ellipsoid, as the RFC wants it.
struct GeoJSONEncoder: ReportEncoder {
    private var segments = SegmentCounter()
    private var hasFeatures = false

    func begin(_ text: inout TextBuffer) { text.append("{\"type\":\"FeatureCollection\",\"features\":[\n") }

    mutating func add(_ report: PositionReport, to text: inout TextBuffer) {
        _ = segments.isBreak(before: report)
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
        let segment = segments.number
        TPVCodec.append(position, to: &text) { json in json.member("segment", segment) }
        text.append(byte: UInt8(ascii: "}"))
    }

    func end(_ text: inout TextBuffer) { text.append("\n]}\n") }
}

/// Counts the stretches between losses.
struct SegmentCounter {
    /// The number of the open segment, from 0.
    private(set) var number = 0
    private var losses = PositionLossRule()
    private var hasFix = false

    /// Takes the next report; true when a new segment begins with it or after it.
    mutating func isBreak(before report: PositionReport) -> Bool {
        switch report {
        case .position(let position):
            let isAfterLoss = losses.isLost
            let isBreak = (losses.addFix(at: position.time) || isAfterLoss) && hasFix
            hasFix = true
            if isBreak { number += 1 }
            return isBreak
        case .noFix(let report):
            _ = losses.addNoFix(at: report.time)
            return false
        case .sky: return false
        }
    }
}
