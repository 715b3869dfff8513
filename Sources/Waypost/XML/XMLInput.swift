/// Converts the bytes of an XML file for a tokenizer: without byte order mark, UTF-16 as UTF-8.
///
/// Single-byte encodings pass unchanged: markup is ASCII in all of them, and texts are decoded where they are needed
/// (``XMLText``).
///
/// - Source: XML 1.0, appendix F (the first bytes show the kind of encoding).
struct XMLInput {
    private enum Kind {
        case unknown, bytes
        case utf16(isLittleEndian: Bool)
    }

    private var kind = Kind.unknown
    /// The first bytes, before the kind is known; four at most.
    private var head: [UInt8] = []
    private var oddByte: UInt8?
    private var highSurrogate: UInt16?
    private var decoded: [UInt8] = []

    /// Receives decoded bytes, and whether they were UTF-16: then a single-byte encoding declared by the file is wrong.
    typealias Take = (_ bytes: Span<UInt8>, _ isUTF16: Bool) -> Void

    /// Passes on what the next bytes decode to.
    mutating func decode(_ bytes: Span<UInt8>, _ take: Take) {
        if case .unknown = kind {
            var start = 0
            while start < bytes.count, head.count < 4 {
                head.append(bytes[start])
                start += 1
            }
            if head.count == 4 {
                decideKind(take)
                pass(bytes.extracting(start..<bytes.count), take)
            }
        } else {
            pass(bytes, take)
        }
    }

    /// Ends the input and passes on what is left.
    mutating func finish(_ take: Take) {
        if case .unknown = kind { decideKind(take) }
        if oddByte != nil || highSurrogate != nil {
            decoded = Array("\u{FFFD}".utf8)
            take(decoded.span, true)
        }
    }

    private mutating func decideKind(_ take: Take) {
        var markCount = 0
        switch (head.first, head.dropFirst().first) {
        case (0xFF, 0xFE): (kind, markCount) = (.utf16(isLittleEndian: true), 2)
        case (0xFE, 0xFF): (kind, markCount) = (.utf16(isLittleEndian: false), 2)
        case (0xEF, 0xBB) where head.count > 2 && head[2] == 0xBF: (kind, markCount) = (.bytes, 3)
        case (let first?, 0) where first > 0: kind = .utf16(isLittleEndian: true)
        case (0, let second?) where second > 0: kind = .utf16(isLittleEndian: false)
        default: kind = .bytes
        }
        let rest = Array(head.dropFirst(markCount))
        pass(rest.span, take)
    }

    @inline(__always)
    private mutating func pass(_ bytes: Span<UInt8>, _ take: Take) {
        if case .utf16(let isLittleEndian) = kind { decodeUTF16(bytes, isLittleEndian, take) } else { take(bytes, false) }
    }

    private mutating func decodeUTF16(_ bytes: Span<UInt8>, _ isLittleEndian: Bool, _ take: Take) {
        decoded.removeAll(keepingCapacity: true)
        for index in bytes.indices {
            guard let first = oddByte else {
                oddByte = bytes[index]
                continue
            }
            oddByte = nil
            let (low, high) = isLittleEndian ? (first, bytes[index]) : (bytes[index], first)
            append(unit: UInt16(high) << 8 | UInt16(low))
        }
        take(decoded.span, true)
    }

    private mutating func append(unit: UInt16) {
        if let high = highSurrogate {
            highSurrogate = nil
            if unit & 0xFC00 == 0xDC00 {
                append(scalar: 0x1_0000 + (UInt32(high) & 0x3FF) << 10 + UInt32(unit) & 0x3FF)
                return
            }
            append(scalar: 0xFFFD)
        }
        if unit & 0xFC00 == 0xD800 { highSurrogate = unit } else { append(scalar: UInt32(unit)) }
    }

    private mutating func append(scalar value: UInt32) {
        decoded.append(contentsOf: String(Unicode.Scalar(value) ?? "\u{FFFD}").utf8)
    }
}
