/// Walks through the JSON of a fence file and keeps only what is asked for.
///
/// Unknown members of an entry are skipped: they cost no memory, however large they are.
struct FenceScanner {
    private var scanner = JSONScanner()

    /// The next token.
    mutating func next(in bytes: Span<UInt8>) throws(FenceFileError) -> JSONScanner.Token {
        do { return try scanner.next(in: bytes) } catch { throw .json(error) }
    }

    /// The name of the object's next member, whose value is read next; nil at its end.
    mutating func nextKey(in bytes: Span<UInt8>) throws(FenceFileError) -> String? {
        guard case .key(let name) = try next(in: bytes) else { return nil }
        return scanner.string(name, in: bytes)
    }

    /// Skips the next value.
    mutating func skip(in bytes: Span<UInt8>) throws(FenceFileError) {
        do { try scanner.skipValue(in: bytes) } catch { throw .json(error) }
    }

    /// Skips the rest of the value that began with this token.
    mutating func skip(_ token: JSONScanner.Token, in bytes: Span<UInt8>) throws(FenceFileError) {
        guard token == .beginObject || token == .beginArray else { return }
        try skip(toDepth: scanner.depth - 1, in: bytes)
    }

    /// How many objects and lists are open.
    var depth: Int { scanner.depth }

    /// Skips everything until no more than that many objects and lists are open.
    mutating func skip(toDepth depth: Int, in bytes: Span<UInt8>) throws(FenceFileError) {
        while scanner.depth > depth { _ = try next(in: bytes) }
    }

    /// The next value; for an object or a list, only its type.
    ///
    /// Nil for null, which counts as absent.
    mutating func scalar(in bytes: Span<UInt8>) throws(FenceFileError) -> JSONValue? {
        try scalar(try next(in: bytes), in: bytes)
    }

    /// The value that began with this token; for an object or a list, only its type.
    ///
    /// Nil for null, which counts as absent.
    mutating func scalar(_ token: JSONScanner.Token, in bytes: Span<UInt8>) throws(FenceFileError) -> JSONValue? {
        switch token {
        case .beginObject, .beginArray:
            try skip(token, in: bytes)
            return token == .beginObject ? .object([:]) : .array([])
        case .null: return nil
        case .bool(let value): return .bool(value)
        case .integer(let value): return .integer(value)
        case .number(let value): return .number(value)
        case .string(let text): return .string(scanner.string(text, in: bytes))
        case .key, .endObject, .endArray, .end: preconditionFailure("no value begins with this token")
        }
    }

    /// The known members of the object that began with this token, and those of its member `nested`; nil when it is not an object.
    mutating func members(
        _ token: JSONScanner.Token, _ known: Set<String>, nested: String? = nil, in bytes: Span<UInt8>
    ) throws(FenceFileError) -> JSONValue? {
        guard token == .beginObject else {
            try skip(token, in: bytes)
            return nil
        }
        var members: [String: JSONValue] = [:]
        while let key = try nextKey(in: bytes) {
            if key == nested {
                let inner = try next(in: bytes)
                members[key] = inner == .null ? nil : try self.members(inner, known, in: bytes) ?? .array([])
            } else if known.contains(key) {
                members[key] = try scalar(in: bytes)
            } else {
                try skip(in: bytes)
            }
        }
        return .object(members)
    }
}
