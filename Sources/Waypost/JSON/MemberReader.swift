/// Reads the members of an object in a text.
struct MemberReader: MemberValues {
    private let line: Int
    private var scanner: JSONScanner
    /// Where the name of the current member is.
    private var member: JSONScanner.Text?

    /// Creates a reader at the start of the line with that number.
    init(line: Int) {
        self.line = line
        scanner = JSONScanner(firstLine: line)
    }

    /// Enters the object that the text must be.
    mutating func open(in bytes: Span<UInt8>) throws(TPVError) {
        guard try next(in: bytes) == .beginObject else { throw .notAnObject(line: line) }
    }

    /// The name of the next member of the current object, or nil after the last; the text ends with its outermost object.
    ///
    /// - Cost: no allocation for names without escapes.
    mutating func nextMember(in bytes: Span<UInt8>) throws(TPVError) -> MemberName? {
        switch try next(in: bytes) {
        case .key(let name):
            member = name
            return name.hasEscapes ? MemberName(scanner.string(name, in: bytes)) : MemberName(bytes.extracting(name.range))
        default:
            if scanner.depth == 0 { _ = try next(in: bytes) }
            return nil
        }
    }

    /// Skips the member's value.
    mutating func skip(in bytes: Span<UInt8>) throws(TPVError) {
        do { try scanner.skipValue(in: bytes) } catch { throw .json(error) }
    }

    /// Enters an array; false when the value is null.
    mutating func openArray(in bytes: Span<UInt8>) throws(TPVError) -> Bool {
        switch try next(in: bytes) {
        case .beginArray: return true
        case .null: return false
        default: throw wrongType(in: bytes)
        }
    }

    /// Enters the next element of an array of objects; false after the last.
    mutating func openElement(in bytes: Span<UInt8>) throws(TPVError) -> Bool {
        switch try next(in: bytes) {
        case .beginObject: return true
        case .endArray: return false
        default: throw wrongType(in: bytes)
        }
    }

    /// A number.
    mutating func number(in bytes: Span<UInt8>) throws(TPVError) -> Double? {
        switch try next(in: bytes) {
        case .integer(let value): return Double(value)
        case .number(let value): return value
        case .null: return nil
        default: throw wrongType(in: bytes)
        }
    }

    /// A text.
    mutating func string(in bytes: Span<UInt8>) throws(TPVError) -> String? {
        switch try next(in: bytes) {
        case .string(let text): return scanner.string(text, in: bytes)
        case .null: return nil
        default: throw wrongType(in: bytes)
        }
    }

    /// A truth value.
    mutating func bool(in bytes: Span<UInt8>) throws(TPVError) -> Bool? {
        switch try next(in: bytes) {
        case .bool(let value): return value
        case .null: return nil
        default: throw wrongType(in: bytes)
        }
    }

    /// A moment in RFC 3339.
    mutating func time(in bytes: Span<UInt8>) throws(TPVError) -> UTCTime? {
        switch try next(in: bytes) {
        case .string(let text):
            guard let time = UTCTime(rfc3339: bytes.extracting(text.range)) else { throw outOfRange(in: bytes) }
            return time
        case .null: return nil
        default: throw wrongType(in: bytes)
        }
    }

    // MARK: Parts

    private mutating func next(in bytes: Span<UInt8>) throws(TPVError) -> JSONScanner.Token {
        do { return try scanner.next(in: bytes) } catch { throw .json(error) }
    }

    func wrongType(in bytes: Span<UInt8>) -> TPVError {
        .wrongType(member: memberName(in: bytes), line: line, column: column(in: bytes))
    }

    func outOfRange(in bytes: Span<UInt8>) -> TPVError {
        .outOfRange(member: memberName(in: bytes), line: line, column: column(in: bytes))
    }

    private func memberName(in bytes: Span<UInt8>) -> String { member.map { scanner.string($0, in: bytes) } ?? "" }

    /// The column where the last token begins; the error type knows how to count it.
    private func column(in bytes: Span<UInt8>) -> Int {
        scanner.error(.unexpectedEnd, at: scanner.tokenStart, in: bytes).column
    }
}
