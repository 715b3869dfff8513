import CZlib

/// One gzip file (RFC 1952) of bytes that arrive piece by piece, made with the system's zlib.
///
/// ```swift
/// let packer = try GzipOutput()
/// try file.write(try packer.add(bytes))
/// try file.write(try packer.finish())     // the file is whole only with this
/// ```
/// - Cost: 300 kB of memory, however long the file is.
/// - Concurrency: one caller at a time.
public final class GzipOutput {
    private let state: UnsafeMutableRawPointer
    private var room = [UInt8](repeating: 0, count: 65_536)

    /// An empty file.
    ///
    /// - Errors: zlib is missing, or there is no memory.
    public init() throws(LibraryError) {
        if let problem = czlib_load() { throw LibraryError(reason: String(cString: problem)) }
        guard let state = czlib_deflating() else { throw LibraryError(reason: "there is no memory to compress") }
        self.state = state
    }

    deinit {
        czlib_end_deflating(state)
    }

    /// Adds bytes and returns the finished part of the file; often nothing, as zlib collects input.
    public func add(_ bytes: RawSpan) throws(LibraryError) -> [UInt8] { try deflate(bytes, isEnd: false) }

    /// Returns the rest of the file; nothing can be added after it.
    public func finish() throws(LibraryError) -> [UInt8] { try deflate(RawSpan(), isEnd: true) }

    private func deflate(_ bytes: RawSpan, isEnd: Bool) throws(LibraryError) -> [UInt8] {
        var packed: [UInt8] = []
        var next = 0
        while true {
            let step = bytes.withUnsafeBytes { bytes in
                let rest = UnsafeRawBufferPointer(rebasing: bytes[next...])
                return room.withUnsafeMutableBytes {
                    czlib_deflate(state, rest.baseAddress, rest.count, isEnd ? 1 : 0, $0.baseAddress, $0.count)
                }
            }
            next += step.taken
            packed += room[..<step.written]
            switch step.state {
            case CZLIB_ENDED: return packed
            case CZLIB_GOES_ON:
                // When no space is left in the buffer, there may be more output.
                if !isEnd, next == bytes.byteCount, step.written < room.count { return packed }
            default: throw LibraryError(reason: "zlib refuses to compress")
            }
        }
    }
}
