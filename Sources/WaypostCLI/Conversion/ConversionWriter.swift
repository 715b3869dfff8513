import Waypost

/// Writes a recording piece by piece.
struct ConversionWriter: ~Copyable {
    private let output: OutputStream
    private var text = TextBuffer(capacity: 1 << 16)
    private var encoder: any ReportEncoder
    private var breaks = TrackBreaks()
    /// The segment that the last point was in, where the input says it.
    private var segment: Int?

    /// Opens the output; `-` is standard output.
    init(path: String, encoder: any ReportEncoder) throws(CommandFailure) {
        output = try OutputStream(path: path)
        self.encoder = encoder
        self.encoder.begin(&text)
    }

    /// How much could not be written because it came too late for its place in the format.
    var lateItems: Int { encoder.lateItems }

    /// Adds an item to what is to be written; ``flush()`` writes it.
    mutating func add(_ item: RecordingItem) {
        switch item {
        case .report(let report): encoder.add(report, after: breaks.isBreak(before: report), to: &text)
        case .item(let item):
            var isBreak = false
            if case .trackPoint(_, let segment) = item {
                isBreak = self.segment != nil && self.segment != segment
                self.segment = segment
            }
            encoder.add(item, after: isBreak, to: &text)
        }
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
