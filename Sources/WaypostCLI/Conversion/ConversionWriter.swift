import Waypost
import WaypostSystem

/// Writes a recording piece by piece.
struct ConversionWriter: ~Copyable {
    private let output: OutputStream
    private var text = TextBuffer(capacity: 1 << 18)
    private var gpx: GPXWriter?
    private var losses = PositionLossRule()

    /// Opens the output; `-` is standard output.
    init(path: String, format: ConversionFormat) throws(CommandFailure) {
        output = try OutputStream(path: path)
        guard format == .gpx else { return }
        // A conversion keeps points without time; only the log insists on it.
        var writer = GPXWriter(creator: "waypost \(WaypostVersion.text)", precision: .exchange, requiresTime: false)
        writer.begin(into: &text)
        gpx = writer
    }

    /// Adds a report to what is to be written.
    mutating func add(_ report: PositionReport) {
        if gpx == nil { addLine(report) } else { addPoint(report) }
    }

    /// Writes what has been added.
    mutating func flush() throws(CommandFailure) {
        guard text.count > 0 else { return }
        try output.write(text)
        text.removeAll()
    }

    /// Ends the document and puts the file in its place.
    consuming func finish() throws(CommandFailure) {
        gpx?.end(into: &text)
        try flush()
        try output.finish()
    }

    private mutating func addLine(_ report: PositionReport) {
        switch report {
        case .position(let position): TPVCodec.append(position, to: &text)
        case .noFix(let report):
            guard report.time != nil else { return }
            TPVCodec.append(report, to: &text)
        case .sky(let view): TPVCodec.append(view, to: &text)
        }
        text.append(byte: UInt8(ascii: "\n"))
    }

    private mutating func addPoint(_ report: PositionReport) {
        switch report {
        case .position(let position):
            let wasLost = losses.isLost
            if losses.addFix(at: position.time) || wasLost { gpx?.breakSegment(into: &text) }
            gpx?.point(position, into: &text)
        case .noFix(let report):
            if losses.addNoFix(at: report.time) { gpx?.breakSegment(into: &text) }
        case .sky: break
        }
    }
}
