/// Parses a JSON text (RFC 8259, UTF-8) into a ``JSONValue``, strictly: anything else is an error with its place.
///
/// Of several members with the same name, the last counts. There are no leniencies; the caller sets the limits.
public struct JSONParser: Sendable {
    /// The deepest nesting of objects and arrays, 1...64.
    public var maximumDepth: Int
    /// The longest text in bytes.
    public var maximumBytes: Int
    /// The number of the text's first line in errors, for a text that is part of a file.
    public var firstLine: Int

    /// Creates a parser with these limits.
    public init(maximumDepth: Int = 64, maximumBytes: Int = 64 << 20, firstLine: Int = 1) {
        self.maximumDepth = maximumDepth
        self.maximumBytes = maximumBytes
        self.firstLine = firstLine
    }

    /// The value of a whole text.
    public func parse(_ bytes: Span<UInt8>) throws(JSONError) -> JSONValue {
        guard bytes.count <= maximumBytes else {
            throw JSONError(.tooLong(limit: maximumBytes), at: maximumBytes, in: bytes, firstLine: firstLine)
        }
        var scanner = JSONScanner(maximumDepth: maximumDepth, firstLine: firstLine)
        let value = try JSONParser.value(try scanner.next(in: bytes), &scanner, bytes)
        _ = try scanner.next(in: bytes)
        return value
    }

    /// The value of a whole text.
    public func parse(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
        try parse(bytes.span)
    }

    /// The value of a whole text.
    public func parse(_ text: String) throws(JSONError) -> JSONValue {
        try parse([UInt8](text.utf8))
    }

    /// The value that begins with a token already read.
    ///
    /// The recursion is only as deep as the scanner allows.
    static func value(
        _ token: JSONScanner.Token, _ scanner: inout JSONScanner, _ bytes: Span<UInt8>
    ) throws(JSONError) -> JSONValue {
        switch token {
        case .null: return .null
        case .bool(let value): return .bool(value)
        case .integer(let value): return .integer(value)
        case .number(let value): return .number(value)
        case .string(let text): return .string(scanner.string(text, in: bytes))
        case .beginArray:
            var elements: [JSONValue] = []
            while case let token = try scanner.next(in: bytes), token != .endArray {
                elements.append(try value(token, &scanner, bytes))
            }
            return .array(elements)
        case .beginObject:
            var members: [String: JSONValue] = [:]
            while case .key(let name) = try scanner.next(in: bytes) {
                members[scanner.string(name, in: bytes)] = try value(try scanner.next(in: bytes), &scanner, bytes)
            }
            return .object(members)
        case .key, .endObject, .endArray, .end: preconditionFailure("the scanner gives no value of this kind")
        }
    }
}
