import Waypost
import WaypostSystem

/// Turns a program's error output into warnings: line by line, short, printable, and few.
///
/// - Concurrency: a value; times are milliseconds of one monotonic clock, given by the caller.
struct ErrorLines {
    /// The rest of a longer line is dropped.
    static let longestLine = 200

    private var line: [UInt8] = []
    private var isTooLong = false
    // A traceback at once, then one line every ten seconds.
    private var limit = RateLimit(burst: 20, perSecond: 0.1)

    /// Processes the next bytes; returns the lines that they complete.
    mutating func process(_ bytes: Span<UInt8>, at now: Int64) -> [String] {
        var lines: [String] = []
        for offset in 0..<bytes.count {
            switch bytes[offset] {
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"): if let text = takeLine(at: now) { lines.append(text) }
            case _ where line.count == ErrorLines.longestLine: isTooLong = true
            case let byte: line.append(byte)
            }
        }
        return lines
    }

    /// The program has ended: its last line needs no line end.
    mutating func finish(at now: Int64) -> [String] { takeLine(at: now).map { [$0] } ?? [] }

    private mutating func takeLine(at now: Int64) -> String? {
        defer {
            line.removeAll(keepingCapacity: true)
            isTooLong = false
        }
        // Terminal control characters, and bytes that are not text, become harmless.
        let scalars = String(decoding: line, as: UTF8.self).unicodeScalars.map { scalar in
            scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value) ? " " : scalar
        }
        guard scalars.contains(where: { $0 != " " }), limit.passes(at: now) else { return nil }
        let text = String(String.UnicodeScalarView(scalars)) + (isTooLong ? "..." : "")
        let heldBack = limit.takeHeldBack()
        return heldBack > 0 ? "\(text) (and \(counted(heldBack, "line")) before it)" : text
    }
}
