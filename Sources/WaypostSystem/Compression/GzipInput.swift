import CZlib

/// The bytes of a file, unpacked when it is gzip (RFC 1952), which its first bytes show, whatever its name.
///
/// ```swift
/// var input = GzipInput()
/// while case let count = try input.read(into: &buffer, from: { try file.read(into: &$0) }), count > 0 { use(buffer[..<count]) }
/// if let problem = input.problem { ... }     // everything before it is intact
/// ```
///
/// Several gzip files one after the other count as one, as in `gzip -d`; zeros after the last are skipped.
/// - Cost: gzip allocates with its first bytes: 64 KiB for them and about 40 KiB for zlib, however much they unpack to.
public struct GzipInput: ~Copyable {
    /// Why there is nothing more to read.
    public enum Problem: Error, Hashable, Sendable {
        /// The input ends within a gzip file.
        case cut
        /// The data is no longer gzip, or its checksum is wrong.
        case damaged
        /// Something else follows the gzip file; it is not read.
        case followed
        /// The library is missing, or there is no memory.
        case unreadable(reason: String)
    }

    private enum Kind {
        case unknown, plain, ended
        case gzip(Inflating)
    }

    /// The problem with the gzip data, once the end has been reached.
    public private(set) var problem: Problem?
    private var kind = Kind.unknown
    /// What has been read and not yet processed.
    private var packed: [UInt8] = []
    private var next = 0
    private var end = 0
    /// Whether zlib may have more output than fits, although it has used all its input.
    private var hasMore = false
    /// Whether a file has ended and no other has begun.
    private var isBetween = false

    /// An input of which nothing has been read yet.
    public init() {}

    /// Whether the input is gzip; known after the first read.
    public private(set) var isGzip = false

    /// Reads the next bytes; returns 0 at the end or at a ``problem``.
    ///
    /// - Parameters:
    ///   - buffer: filled from its start.
    ///   - source: fills the start of the array it receives; returns 0 at the end.
    public mutating func read<Failure: Error>(
        into buffer: inout [UInt8], from source: (inout [UInt8]) throws(Failure) -> Int
    ) throws(Failure) -> Int {
        switch kind {
        case .plain: break
        case .ended: return 0
        case .unknown: try begin(source, room: buffer.count)
        case .gzip: break
        }
        return isGzip ? try inflate(into: &buffer, from: source) : try pass(into: &buffer, from: source)
    }

    /// Reads the beginning, which shows the format: two bytes, which a pipe may deliver one by one.
    private mutating func begin<Failure: Error>(_ source: (inout [UInt8]) throws(Failure) -> Int, room: Int) throws(Failure) {
        packed = [UInt8](repeating: 0, count: max(2, room))
        end = try source(&packed)
        if end == 1, packed[0] == 0x1F {
            var second: [UInt8] = [0]
            if try source(&second) == 1 { (packed[1], end) = (second[0], 2) }
        }
        kind = .plain
        guard end > 1, packed[0] == 0x1F, packed[1] == 0x8B else { return }
        isGzip = true
        packed += [UInt8](repeating: 0, count: max(0, 65_536 - packed.count))
        do throws(Problem) { kind = .gzip(try Inflating()) } catch { _ = stop(error) }
    }

    /// Passes bytes through unchanged, those of the beginning first.
    private mutating func pass<Failure: Error>(
        into buffer: inout [UInt8], from source: (inout [UInt8]) throws(Failure) -> Int
    ) throws(Failure) -> Int {
        guard next < end else { return try source(&buffer) }
        let count = min(buffer.count, end - next)
        for index in 0..<count { buffer[index] = packed[next + index] }
        next += count
        if next == end { packed = [] }
        return count
    }

    private mutating func inflate<Failure: Error>(
        into buffer: inout [UInt8], from source: (inout [UInt8]) throws(Failure) -> Int
    ) throws(Failure) -> Int {
        while true {
            if next == end, !hasMore {
                (next, end) = (0, try source(&packed))
                if end == 0 { return stop(isBetween ? nil : .cut) }
            }
            if isBetween, passesOver() { continue }
            guard case .gzip(let inflating) = kind else { return 0 }
            if isBetween, packed[next] != 0x1F { return stop(.followed) }
            isBetween = false
            let step = inflating.step(packed.span.extracting(next..<end), into: &buffer)
            next += step.taken
            hasMore = step.written == buffer.count && step.state == CZLIB_GOES_ON
            switch step.state {
            case CZLIB_GOES_ON: break
            case CZLIB_ENDED: isBetween = true
            case CZLIB_NO_MEMORY: return stop(.unreadable(reason: "there is no memory to unpack it"))
            default:
                // What this step has unpacked is intact as far as can be known.
                _ = stop(.damaged)
                return step.written
            }
            if step.written > 0 { return step.written }
        }
    }

    /// Skips the zeros that fill a tape or block after a file; true when nothing else is left of what was read.
    private mutating func passesOver() -> Bool {
        while next < end, packed[next] == 0 { next += 1 }
        return next == end
    }

    private mutating func stop(_ problem: Problem?) -> Int {
        self.problem = problem
        kind = .ended
        return 0
    }
}

extension GzipInput.Problem: CustomStringConvertible {
    /// The problem in half a sentence, for people.
    public var description: String {
        switch self {
        case .cut: "the gzip file is cut"
        case .damaged: "the gzip file is damaged"
        case .followed: "behind the gzip file stands something else"
        case .unreadable(let reason): reason
        }
    }
}

/// zlib's state while gzip files are read.
private final class Inflating {
    private let state: UnsafeMutableRawPointer

    init() throws(GzipInput.Problem) {
        if let problem = czlib_load() { throw .unreadable(reason: String(cString: problem)) }
        guard let state = czlib_inflating() else { throw .unreadable(reason: "there is no memory to unpack it") }
        self.state = state
    }

    deinit {
        czlib_end_inflating(state)
    }

    func step(_ bytes: Span<UInt8>, into buffer: inout [UInt8]) -> czlib_step {
        bytes.withUnsafeBytes { bytes in
            buffer.withUnsafeMutableBytes { czlib_inflate(state, bytes.baseAddress, bytes.count, $0.baseAddress, $0.count) }
        }
    }
}
