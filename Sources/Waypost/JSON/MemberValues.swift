/// Provides the members of an object one by one, from a text (``MemberReader``) or a value in memory (``ValueReader``); `null` reads as nil.
///
/// After ``nextMember(in:)``, exactly one of the reading methods or ``skip(in:)`` reads the member's value. Every call gets the text, because
/// a `Span` cannot be stored; a reader of a value ignores it.
protocol MemberValues {
    /// Enters the object.
    mutating func open(in bytes: Span<UInt8>) throws(TPVError)
    /// The name of the next member; nil after the last.
    mutating func nextMember(in bytes: Span<UInt8>) throws(TPVError) -> MemberName?
    /// Skips the member's value.
    mutating func skip(in bytes: Span<UInt8>) throws(TPVError)
    /// A number.
    mutating func number(in bytes: Span<UInt8>) throws(TPVError) -> Double?
    /// A text.
    mutating func string(in bytes: Span<UInt8>) throws(TPVError) -> String?
    /// A truth value.
    mutating func bool(in bytes: Span<UInt8>) throws(TPVError) -> Bool?
    /// A moment in RFC 3339.
    mutating func time(in bytes: Span<UInt8>) throws(TPVError) -> UTCTime?
    /// The error for a value of another type in the member just read.
    func wrongType(in bytes: Span<UInt8>) -> TPVError
    /// The error for an impossible value in the member just read.
    func outOfRange(in bytes: Span<UInt8>) -> TPVError
}

extension MemberValues {
    /// A number within a range.
    mutating func number(in range: ClosedRange<Double>, in bytes: Span<UInt8>) throws(TPVError) -> Double? {
        guard let value = try number(in: bytes) else { return nil }
        guard range.contains(value) else { throw outOfRange(in: bytes) }
        return value
    }

    /// A whole number, written with or without decimals.
    mutating func integer(in bytes: Span<UInt8>) throws(TPVError) -> Int? {
        guard let value = try number(in: bytes) else { return nil }
        guard let integer = Int(exactly: value) else { throw wrongType(in: bytes) }
        return integer
    }

    /// A whole number within a range.
    mutating func integer(in range: ClosedRange<Int>, in bytes: Span<UInt8>) throws(TPVError) -> Int? {
        guard let value = try integer(in: bytes) else { return nil }
        guard range.contains(value) else { throw outOfRange(in: bytes) }
        return value
    }
}

/// Reads the members of an object in memory; errors are at line 1, column 1.
struct ValueReader: MemberValues {
    private let value: JSONValue
    private var rest: [(name: String, value: JSONValue)] = []
    private var member: (name: String, value: JSONValue) = ("", .null)

    init(_ value: JSONValue) {
        self.value = value
    }

    mutating func open(in bytes: Span<UInt8>) throws(TPVError) {
        guard let members = value.object else { throw .notAnObject(line: 1) }
        rest = members.map { ($0.key, $0.value) }
    }

    mutating func nextMember(in bytes: Span<UInt8>) -> MemberName? {
        guard let next = rest.popLast() else { return nil }
        member = next
        return MemberName(next.name)
    }

    func skip(in bytes: Span<UInt8>) {}

    func number(in bytes: Span<UInt8>) throws(TPVError) -> Double? { try read(\.double) }

    func string(in bytes: Span<UInt8>) throws(TPVError) -> String? { try read(\.string) }

    func bool(in bytes: Span<UInt8>) throws(TPVError) -> Bool? { try read(\.bool) }

    func time(in bytes: Span<UInt8>) throws(TPVError) -> UTCTime? {
        guard let text = try read(\.string) else { return nil }
        guard let time = UTCTime(rfc3339: text) else { throw outOfRange(in: bytes) }
        return time
    }

    func wrongType(in bytes: Span<UInt8>) -> TPVError { .wrongType(member: member.name, line: 1, column: 1) }

    func outOfRange(in bytes: Span<UInt8>) -> TPVError { .outOfRange(member: member.name, line: 1, column: 1) }

    private func read<Value>(_ form: (JSONValue) -> Value?) throws(TPVError) -> Value? {
        if member.value == .null { return nil }
        guard let value = form(member.value) else { throw .wrongType(member: member.name, line: 1, column: 1) }
        return value
    }
}
