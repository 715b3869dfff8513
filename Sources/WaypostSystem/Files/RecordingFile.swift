import Waypost

/// A recording that is read piece by piece, unpacked where it is gzip.
///
/// - Cost: memory for a piece and for what the format's decoder holds, however much a gzip makes.
public struct RecordingFile: ~Copyable {
    /// What the file holds, and what was damaged of it.
    public private(set) var decoder: any RecordingDecoder
    private var file: UnpackedFile
    private var buffer = [UInt8](repeating: 0, count: 65_536)
    private var isAtEnd = false

    /// Opens the recording; `-` is standard input.
    public init(path: String, decoder: any RecordingDecoder) throws(SystemError) {
        file = try UnpackedFile(path: path)
        self.decoder = decoder
    }

    /// How many bytes the file itself has; nil for what is no ordinary file.
    public var byteCount: Int64? { file.byteCount }

    /// How many bytes of the file itself were read.
    public var readCount: Int64 { file.readCount }

    /// What is wrong with an input that is gzip, once the end has come; what came before it has been read.
    public var gzipProblem: GzipInput.Problem? { file.gzipProblem }

    /// Gives the next items, perhaps none; false at the end.
    public mutating func read<Sink: RecordingSink & ~Copyable>(into sink: inout Sink) throws(SystemError) -> Bool {
        if isAtEnd || decoder.refusal != nil { return false }
        // Out of self while the decoder, which is in self too, reads from it.
        var buffer: [UInt8] = []
        swap(&buffer, &self.buffer)
        defer { swap(&buffer, &self.buffer) }
        let count = try file.read(into: &buffer)
        isAtEnd = count == 0
        if isAtEnd { decoder.finish(into: &sink) } else { decoder.decode(buffer.span.extracting(0..<count), into: &sink) }
        return true
    }
}
