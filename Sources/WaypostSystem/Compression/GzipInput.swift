import CZlib

/// The bytes of a file as they are, or, where the file is gzip (RFC 1952), as they were before: told by its first bytes, whatever its name.
///
/// ```swift
/// var input = GzipInput()
/// while case let count = try input.read(into: &buffer, from: { try file.read(into: &$0) }), count > 0 { use(buffer[..<count]) }
/// if let problem = input.problem { ... }     // what came before it is whole
/// ```
///
/// Several gzip files one behind the other are one, as `gzip -d` has it; zeros behind the last are passed over.
/// - Cost: what a gzip needs comes with its first bytes: 64 KiB for them and some 40 KiB of zlib's, however much they make.
public struct GzipInput: ~Copyable {
    /// Why there is no more.
    public enum Problem: Error, Hashable, Sendable {
        /// The input ends within a gzip file.
        case cut
        /// It is no gzip any more, or its check sum is wrong.
        case damaged
        /// Behind the gzip file stands something else, which is not read.
        case followed
        /// The library is missing, or there is no memory.
        case unreadable(reason: String)
    }

    private enum Kind {
        case unknown, plain, ended
        case gzip(Inflating)
    }

    /// What is wrong with the gzip, once the end has come.
    public private(set) var problem: Problem?
    private var kind = Kind.unknown
    /// What has been read and not been taken yet.
    private var packed: [UInt8] = []
    private var next = 0
    private var end = 0
    /// Whether zlib may have more than there was room for, all taken as it is.
    private var hasMore = false
    /// Whether a file has ended, and none begun since.
    private var isBetween = false

    /// Nothing read yet.
    public init() {}

    /// Whether the input is gzip; known after the first reading.
    public private(set) var isGzip = false

    /// Reads the next bytes; 0 is the end, or where a ``problem`` is.
    ///
    /// - Parameters:
    ///   - buffer: is filled from its start.
    ///   - source: fills the start of an array of its own size; 0 is the end.
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

    /// Reads the beginning, which tells what it is: two bytes, which a pipe may give one by one.
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

    /// Gives bytes as they are: first those of the beginning.
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
                // What this step has made is whole as far as anybody can tell.
                _ = stop(.damaged)
                return step.written
            }
            if step.written > 0 { return step.written }
        }
    }

    /// Steps over the zeros that fill a tape or block behind a file; true when nothing else is left of what was read.
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
    /// What it is, in half a sentence for people.
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
