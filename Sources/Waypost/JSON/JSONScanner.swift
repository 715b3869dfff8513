/// Reads JSON one token at a time, and checks the grammar as it goes.
///
/// It keeps no reference to the text (a type that did could not be stored without an experimental feature), so every call takes the
/// same bytes again. What it has accepted up to ``Token/end`` is one RFC 8259 value in valid UTF-8; nothing else is accepted:
/// no comments, no trailing commas, no byte order mark, no lone surrogates, no number beyond the range of `Double`.
///
/// - Cost: one pass; no allocation, except for numbers of more digits than a `Double` holds.
struct JSONScanner {
    /// One step through a text.
    enum Token: Equatable {
        case beginObject
        case endObject
        case beginArray
        case endArray
        /// A member's name; its value follows.
        case key(Text)
        case string(Text)
        /// A number without fraction and exponent that fits 64 bits; `-0` is a ``number(_:)``.
        case integer(Int64)
        case number(Double)
        case bool(Bool)
        case null
        /// The value is complete and nothing follows.
        case end
    }

    /// A string inside the text, checked but not yet unescaped.
    struct Text: Equatable {
        /// The bytes between the quotes.
        var range: Range<Int>
        /// Whether it contains any backslash.
        var hasEscapes: Bool
    }

    /// The deepest nesting that any scanner allows, with one bit per container.
    static let deepest = 64

    private enum Expectation {
        case value, valueOrEnd, key, keyOrEnd, commaOrEnd, end
    }

    /// Bytes read so far.
    private(set) var offset = 0
    /// Where the last token begins.
    private(set) var tokenStart = 0
    /// How many objects and arrays are open.
    private(set) var depth = 0

    private let maximumDepth: Int
    private let firstLine: Int
    /// One bit per open container, the innermost lowest: set for an object.
    private var containers: UInt64 = 0
    private var expectation = Expectation.value

    /// Creates a scanner at the start of a text.
    ///
    /// - Parameter firstLine: the number of the text's first line in errors.
    init(maximumDepth: Int = JSONScanner.deepest, firstLine: Int = 1) {
        precondition((1...JSONScanner.deepest).contains(maximumDepth), "a depth of 1 to 64")
        self.maximumDepth = maximumDepth
        self.firstLine = firstLine
    }

    /// The next token; ``Token/end`` repeatedly after the end.
    mutating func next(in bytes: Span<UInt8>) throws(JSONError) -> Token {
        skipSpace(in: bytes)
        tokenStart = offset
        guard offset < bytes.count else {
            guard expectation == .end else { throw error(.unexpectedEnd, in: bytes) }
            return .end
        }
        var byte = bytes[offset]
        if expectation == .commaOrEnd, byte == UInt8(ascii: ",") {
            offset += 1
            expectation = isInObject ? .key : .value
            skipSpace(in: bytes)
            tokenStart = offset
            guard offset < bytes.count else { throw error(.unexpectedEnd, in: bytes) }
            byte = bytes[offset]
        }
        switch expectation {
        case .end: throw error(.trailingText, in: bytes)
        case .commaOrEnd: return try close(byte, in: bytes)
        case .valueOrEnd where byte == UInt8(ascii: "]"), .keyOrEnd where byte == UInt8(ascii: "}"): return try close(byte, in: bytes)
        case .key, .keyOrEnd: return try key(byte, in: bytes)
        case .value, .valueOrEnd: return try value(byte, in: bytes)
        }
    }

    /// Skips the next value, whatever it contains.
    mutating func skipValue(in bytes: Span<UInt8>) throws(JSONError) {
        let outside = depth
        repeat { _ = try next(in: bytes) } while depth > outside
    }

    /// Skips one byte.
    mutating func advance() {
        offset += 1
    }

    /// An error at the next byte, or at another place.
    func error(_ reason: JSONError.Reason, at place: Int? = nil, in bytes: Span<UInt8>) -> JSONError {
        JSONError(reason, at: place ?? offset, in: bytes, firstLine: firstLine)
    }

    // MARK: Structure

    private var isInObject: Bool { containers & 1 == 1 }

    private mutating func skipSpace(in bytes: Span<UInt8>) {
        while offset < bytes.count {
            switch bytes[offset] {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): offset += 1
            default: return
            }
        }
    }

    private mutating func open(object: Bool, in bytes: Span<UInt8>) throws(JSONError) {
        guard depth < maximumDepth else { throw error(.tooDeep(limit: maximumDepth), in: bytes) }
        containers = containers << 1 | (object ? 1 : 0)
        depth += 1
        offset += 1
        expectation = object ? .keyOrEnd : .valueOrEnd
    }

    private mutating func close(_ byte: UInt8, in bytes: Span<UInt8>) throws(JSONError) -> Token {
        let closesObject = isInObject
        guard byte == (closesObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else { throw error(.unexpectedByte(byte), in: bytes) }
        containers >>= 1
        depth -= 1
        offset += 1
        expectValueEnd()
        return closesObject ? .endObject : .endArray
    }

    private mutating func expectValueEnd() {
        expectation = depth == 0 ? .end : .commaOrEnd
    }

    private mutating func key(_ byte: UInt8, in bytes: Span<UInt8>) throws(JSONError) -> Token {
        guard byte == UInt8(ascii: "\"") else { throw error(.unexpectedByte(byte), in: bytes) }
        let name = try text(in: bytes)
        skipSpace(in: bytes)
        guard offset < bytes.count else { throw error(.unexpectedEnd, in: bytes) }
        guard bytes[offset] == UInt8(ascii: ":") else { throw error(.unexpectedByte(bytes[offset]), in: bytes) }
        offset += 1
        expectation = .value
        return .key(name)
    }

    private mutating func value(_ byte: UInt8, in bytes: Span<UInt8>) throws(JSONError) -> Token {
        let token: Token
        switch byte {
        case UInt8(ascii: "{"):
            try open(object: true, in: bytes)
            return .beginObject
        case UInt8(ascii: "["):
            try open(object: false, in: bytes)
            return .beginArray
        case UInt8(ascii: "\""): token = .string(try text(in: bytes))
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): token = try number(in: bytes)
        case UInt8(ascii: "t"): token = try word("true", .bool(true), in: bytes)
        case UInt8(ascii: "f"): token = try word("false", .bool(false), in: bytes)
        case UInt8(ascii: "n"): token = try word("null", .null, in: bytes)
        default: throw error(.unexpectedByte(byte), in: bytes)
        }
        expectValueEnd()
        return token
    }

    private mutating func word(_ word: StaticString, _ token: Token, in bytes: Span<UInt8>) throws(JSONError) -> Token {
        for index in 0..<word.utf8CodeUnitCount {
            guard offset < bytes.count else { throw error(.unexpectedEnd, in: bytes) }
            guard bytes[offset] == word.utf8Start[index] else { throw error(.unexpectedByte(bytes[offset]), in: bytes) }
            offset += 1
        }
        return token
    }

    // MARK: Strings

    private mutating func text(in bytes: Span<UInt8>) throws(JSONError) -> Text {
        offset += 1
        let start = offset
        var hasEscapes = false
        while offset < bytes.count {
            switch bytes[offset] {
            case UInt8(ascii: "\""):
                defer { offset += 1 }
                return Text(range: start..<offset, hasEscapes: hasEscapes)
            case UInt8(ascii: "\\"):
                hasEscapes = true
                try checkEscape(in: bytes)
            case 0..<0x20: throw error(.controlCharacter(bytes[offset]), in: bytes)
            case 0x80...: try checkCharacter(in: bytes)
            default: offset += 1
            }
        }
        throw error(.unexpectedEnd, in: bytes)
    }

    private mutating func checkEscape(in bytes: Span<UInt8>) throws(JSONError) {
        guard offset + 1 < bytes.count else { throw error(.unexpectedEnd, at: bytes.count, in: bytes) }
        switch bytes[offset + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"),
            UInt8(ascii: "r"), UInt8(ascii: "t"):
            offset += 2
        case UInt8(ascii: "u"):
            switch try codeUnit(at: offset, in: bytes) {
            case 0xD800...0xDBFF:
                let second = offset + 6
                guard second + 1 < bytes.count, bytes[second] == UInt8(ascii: "\\"), bytes[second + 1] == UInt8(ascii: "u"),
                    case 0xDC00...0xDFFF = try codeUnit(at: second, in: bytes)
                else { throw error(.loneSurrogate, in: bytes) }
                offset += 12
            case 0xDC00...0xDFFF: throw error(.loneSurrogate, in: bytes)
            default: offset += 6
            }
        default: throw error(.invalidEscape, in: bytes)
        }
    }

    /// The number in the `\uXXXX` at that place.
    private func codeUnit(at place: Int, in bytes: Span<UInt8>) throws(JSONError) -> UInt32 {
        var unit: UInt32 = 0
        for index in place + 2..<place + 6 {
            guard index < bytes.count else { throw error(.unexpectedEnd, at: bytes.count, in: bytes) }
            guard let digit = JSONScanner.hexadecimal(bytes[index]) else { throw error(.invalidEscape, at: place, in: bytes) }
            unit = unit << 4 | digit
        }
        return unit
    }

    private static func hexadecimal(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }

    /// Skips one character of two to four bytes.
    ///
    /// - Source: The Unicode Standard, table 3-7 (well-formed UTF-8 byte sequences).
    private mutating func checkCharacter(in bytes: Span<UInt8>) throws(JSONError) {
        let count: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch bytes[offset] {
        case 0xC2...0xDF: count = 2
        case 0xE0: (count, second) = (3, 0xA0...0xBF)
        case 0xED: (count, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: count = 3
        case 0xF0: (count, second) = (4, 0x90...0xBF)
        case 0xF4: (count, second) = (4, 0x80...0x8F)
        case 0xF1...0xF3: count = 4
        default: throw error(.invalidUTF8, in: bytes)
        }
        guard offset + count <= bytes.count, second.contains(bytes[offset + 1]) else { throw error(.invalidUTF8, in: bytes) }
        for index in offset + 2..<max(offset + count, offset + 2) where bytes[index] & 0xC0 != 0x80 {
            throw error(.invalidUTF8, in: bytes)
        }
        offset += count
    }

    /// A key or string as a `String`.
    ///
    /// - Cost: no allocation up to 15 bytes.
    func string(_ text: Text, in bytes: Span<UInt8>) -> String {
        guard text.hasEscapes else {
            return bytes.extracting(text.range).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        }
        var unescaped: [UInt8] = []
        unescaped.reserveCapacity(text.range.count)
        var index = text.range.lowerBound
        while index < text.range.upperBound {
            guard bytes[index] == UInt8(ascii: "\\") else {
                unescaped.append(bytes[index])
                index += 1
                continue
            }
            switch bytes[index + 1] {
            case UInt8(ascii: "b"): unescaped.append(0x08)
            case UInt8(ascii: "f"): unescaped.append(0x0C)
            case UInt8(ascii: "n"): unescaped.append(UInt8(ascii: "\n"))
            case UInt8(ascii: "r"): unescaped.append(UInt8(ascii: "\r"))
            case UInt8(ascii: "t"): unescaped.append(UInt8(ascii: "\t"))
            case UInt8(ascii: "u"):
                var value = JSONScanner.checkedCodeUnit(at: index, in: bytes)
                if value & 0xFC00 == 0xD800 {
                    index += 6
                    value = 0x1_0000 + (value & 0x3FF) << 10 + (JSONScanner.checkedCodeUnit(at: index, in: bytes) & 0x3FF)
                }
                index += 4
                // The scanner has checked the pair, so this scalar exists.
                unescaped.append(contentsOf: UTF8.encode(Unicode.Scalar(value) ?? "\u{FFFD}") ?? UTF8.encodedReplacementCharacter)
            case let itself: unescaped.append(itself)
            }
            index += 2
        }
        return String(decoding: unescaped, as: UTF8.self)
    }

    /// The number in a `\uXXXX` that was checked before.
    private static func checkedCodeUnit(at place: Int, in bytes: Span<UInt8>) -> UInt32 {
        (place + 2..<place + 6).reduce(0) { $0 << 4 | (hexadecimal(bytes[$1]) ?? 0) }
    }
}
