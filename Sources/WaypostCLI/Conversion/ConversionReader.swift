import Waypost
import WaypostSystem

/// Reads a recording piece by piece, and shows the progress on a terminal.
struct ConversionReader: ~Copyable {
    private let path: String
    private var file: RecordingFile
    private var progress: Progress

    /// Opens the recording; `-` is standard input.
    init(path: String, decoder: any RecordingDecoder) throws(CommandFailure) {
        do throws(SystemError) {
            file = try RecordingFile(path: path, decoder: decoder)
        } catch {
            throw CommandFailure(reading: path, error)
        }
        self.path = path
        progress = Progress(name: path, totalBytes: file.byteCount)
    }

    /// What was damaged, one line per kind.
    var warnings: [String] { file.decoder.warnings }

    /// Whether anything of the format was found.
    var hasContent: Bool { file.decoder.hasContent }

    /// Why the input is not of the format at all.
    var refusal: String? { file.decoder.refusal }

    /// The problem with a gzip input; everything before it has been read.
    var gzipProblem: GzipInput.Problem? { file.gzipProblem }

    /// Delivers the next items, perhaps none; returns false at the end.
    mutating func read<Sink: RecordingSink & ~Copyable>(into sink: inout Sink) throws(CommandFailure) -> Bool {
        let before = file.readCount
        let hasMore: Bool
        do throws(SystemError) {
            hasMore = try file.read(into: &sink)
        } catch {
            throw CommandFailure(.inputOutput, what: path, why: "cannot be read: \(error.reason)")
        }
        // Of a compressed input, the compressed bytes; none read is not its end.
        let count = Int(file.readCount - before)
        if !hasMore || count > 0 { progress.add(bytes: hasMore ? count : 0) }
        return hasMore
    }
}
