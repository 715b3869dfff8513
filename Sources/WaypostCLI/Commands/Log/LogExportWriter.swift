import Waypost
import WaypostRecording
import WaypostSystem

/// Writes records of a log to standard output in one of the formats.
struct LogExportWriter: ~Copyable {
    /// The number of the last record written, nil before the first.
    private(set) var lastSequence: UInt64?

    private let output: OutputStream
    /// Nil for JSON lines, which hold more than other formats.
    private var encoder: (any ReportEncoder)?
    private var text: TextBuffer
    /// The progress display; nil when the export has no end.
    private var progress: Progress?
    private var segmentBreak: SegmentBreak?

    /// - Parameter isEndless: whether the log is followed.
    init(format: ConversionFormat, output: consuming OutputStream, isEndless: Bool = false) {
        self.output = output
        progress = isEndless ? nil : Progress(name: "export", totalBytes: nil)
        var (encoder, text) = (format == .jsonl ? nil : format.makeEncoder(), TextBuffer(capacity: 1 << 16))
        encoder?.begin(&text)
        (self.encoder, self.text) = (encoder, text)
    }

    /// Adds a record; one that is not a position only notes a break.
    mutating func add(_ record: JournalRecord) throws(CommandFailure) {
        switch record.content {
        // That something is missing matters more than why there was a break anyway.
        case .segmentBreak(let reason): if segmentBreak != .gap { segmentBreak = reason }
        case .position(let position):
            if encoder == nil { addLine(position, record.sequence) }
            encoder?.add(position, after: segmentBreak != nil, to: &text)
            segmentBreak = nil
            lastSequence = record.sequence
            if text.count > 1 << 15 { try flush() }
        case .event, .lost, .other: break
        }
    }

    /// Ends the document.
    consuming func finish() throws(CommandFailure) {
        try end()
        progress?.add(bytes: 0)
        try output.finish()
    }

    private mutating func end() throws(CommandFailure) {
        encoder?.end(&text)
        try flush()
    }

    private mutating func addLine(_ position: Position, _ sequence: UInt64) {
        let reason = segmentBreak?.code
        TPVCodec.append(position, to: &text) { json in
            json.member("seq", Int(clamping: sequence))
            json.member("break", reason)
        }
        text.append(byte: UInt8(ascii: "\n"))
    }

    /// Writes what was added, so that a reader sees it.
    mutating func flush() throws(CommandFailure) {
        guard text.count > 0 else { return }
        try output.write(text)
        // When the export itself is shown on a terminal, there is no progress display.
        if !output.isInteractive { progress?.add(bytes: text.count) }
        text.removeAll()
    }
}
