import Waypost

/// A recording that is read piece by piece, unpacked where it is gzip.
///
/// - Cost: memory for a piece and for what the format's decoder holds, however much a gzip file unpacks to.
public struct RecordingFile: ~Copyable {
    /// Decodes the file and counts what was damaged in it.
    public private(set) var decoder: any RecordingDecoder
    private var file: UnpackedFile
    private var buffer: [UInt8]
    private var isAtEnd = false

    /// Opens the recording; `-` is standard input.
    public init(path: String, decoder: any RecordingDecoder) throws(SystemError) {
        file = try UnpackedFile(path: path)
        self.decoder = decoder
        buffer = [UInt8](repeating: 0, count: 65_536)
    }

    /// How many bytes the file itself has; nil for anything but an ordinary file.
    public var byteCount: Int64? { file.byteCount }

    /// How many bytes of the file itself were read.
    public var readCount: Int64 { file.readCount }

    /// The problem with a gzip input, once the end has been reached; everything before it has been read.
    public var gzipProblem: GzipInput.Problem? { file.gzipProblem }

    /// Delivers the next items, perhaps none; returns false at the end.
    public mutating func read<Sink: RecordingSink & ~Copyable>(into sink: inout Sink) throws(SystemError) -> Bool {
        if isAtEnd || decoder.refusal != nil { return false }
        // Moved out of self while the decoder, which is also in self, reads from it.
        var buffer: [UInt8] = []
        swap(&buffer, &self.buffer)
        defer { swap(&buffer, &self.buffer) }
        let count = try file.read(into: &buffer)
        isAtEnd = count == 0
        if isAtEnd { decoder.finish(into: &sink) } else { decoder.decode(buffer.span.extracting(0..<count), into: &sink) }
        return true
    }
}
