/// The place and the reason why a text is not valid JSON.
public struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong there.
    public var reason: Reason
    /// The number of bytes before the place.
    public var offset: Int
    /// The line, counted from 1 (or from the reader's first line number).
    public var line: Int
    /// The column, counted from 1 in characters.
    public var column: Int

    /// What can be wrong with a JSON text.
    public enum Reason: Sendable, Hashable {
        /// The text ends inside a value.
        case unexpectedEnd
        /// A byte that is not allowed here.
        case unexpectedByte(UInt8)
        /// A second value after the first.
        case trailingText
        /// A number that JSON's grammar does not allow, such as `01`, `1.`, `+1`.
        case invalidNumber
        /// A number too large for a `Double`.
        case numberOutOfRange
        /// A control character inside a string that should have been escaped.
        case controlCharacter(UInt8)
        /// A backslash followed by something unknown to JSON.
        case invalidEscape
        /// Half of a `\u` surrogate pair without the other half.
        case loneSurrogate
        /// Bytes that are not UTF-8.
        case invalidUTF8
        /// More nested objects and arrays than the limit.
        case tooDeep(limit: Int)
        /// More bytes than the limit.
        case tooLong(limit: Int)
    }

    /// Creates the error at an offset of a text; line and column are counted from the bytes before it.
    init(_ reason: Reason, at offset: Int, in bytes: Span<UInt8>, firstLine: Int) {
        self.reason = reason
        self.offset = offset
        var line = firstLine
        var column = 1
        for index in 0..<min(offset, bytes.count) {
            switch bytes[index] {
            case UInt8(ascii: "\n"):
                line += 1
                column = 1
            case 0x80...0xBF: break  // the rest of a character
            default: column += 1
            }
        }
        self.line = line
        self.column = column
    }

    /// One line for people: `line 3, column 14: unexpected "}"`.
    public var description: String { "line \(line), column \(column): \(reason)" }
}

extension JSONError.Reason: CustomStringConvertible {
    /// The reason in words.
    public var description: String {
        switch self {
        case .unexpectedEnd: "the text ends too early"
        case .unexpectedByte(let byte): "unexpected \(JSONError.Reason.shown(byte))"
        case .trailingText: "more text after the end of the value"
        case .invalidNumber: "not a number as JSON writes it"
        case .numberOutOfRange: "a number too large"
        case .controlCharacter(let byte): "unescaped control character \(JSONError.Reason.shown(byte)) in a string"
        case .invalidEscape: "unknown escape in a string"
        case .loneSurrogate: "half a surrogate pair"
        case .invalidUTF8: "not UTF-8"
        case .tooDeep(let limit): "more than \(limit) levels deep"
        case .tooLong(let limit): "longer than \(limit) bytes"
        }
    }

    private static func shown(_ byte: UInt8) -> String {
        (0x21...0x7E).contains(byte) ? "\"\(Character(Unicode.Scalar(byte)))\"" : "byte 0x" + String(byte, radix: 16, uppercase: true)
    }
}
