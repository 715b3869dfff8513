import Waypost

/// Writes a recording piece by piece.
struct ConversionWriter: ~Copyable {
    private let output: OutputStream
    private var text = TextBuffer(capacity: 1 << 16)
    private var encoder: any ReportEncoder
    private var breaks = TrackBreaks()

    /// Opens the output; `-` is standard output.
    init(path: String, encoder: any ReportEncoder) throws(CommandFailure) {
        output = try OutputStream(path: path)
        self.encoder = encoder
        self.encoder.begin(&text)
    }

    /// Adds a report to what is to be written.
    mutating func add(_ report: PositionReport) throws(CommandFailure) {
        encoder.add(report, after: breaks.isBreak(before: report), to: &text)
        if text.count > 1 << 15 { try flush() }
    }

    /// Ends the document and puts the file in its place.
    consuming func finish() throws(CommandFailure) {
        encoder.end(&text)
        try flush()
        try output.finish()
    }

    /// Writes what has been added, so that a reader sees it.
    mutating func flush() throws(CommandFailure) {
        guard text.count > 0 else { return }
        try output.write(text)
        text.removeAll()
    }
}
