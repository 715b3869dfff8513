/// What takes the members of an object one by one: a ``JSONWriter`` as text, a ``JSONObject`` as values.
///
/// So a codec has its list of members once, whichever is wanted. A member without a value is not written.
public protocol JSONMembers {
    /// Takes a text.
    mutating func member(_ name: StaticString, _ value: String?)
    /// Takes a number; one that is not finite counts as not known.
    mutating func member(_ name: StaticString, _ value: Double?)
    /// Takes a measured number, to a millionth of its unit; one that is not finite counts as not known.
    mutating func member(_ name: StaticString, measured value: Double?)
    /// Takes a whole number.
    mutating func member(_ name: StaticString, _ value: Int?)
    /// Takes a truth value.
    mutating func member(_ name: StaticString, _ value: Bool?)
    /// Takes a moment, as RFC 3339 UTC with milliseconds.
    mutating func member(_ name: StaticString, _ value: UTCTime?)
}

extension JSONWriter: JSONMembers {}

/// An object while its members come in; written, they are in the order of their names.
public struct JSONObject: JSONMembers, Sendable {
    /// The members so far.
    public var members: [String: JSONValue] = [:]

    /// An object without members.
    public init() {}

    /// Takes a text.
    public mutating func member(_ name: StaticString, _ value: String?) { take(name, value.map(JSONValue.string)) }

    /// Takes a number.
    public mutating func member(_ name: StaticString, _ value: Double?) {
        take(name, value.flatMap { $0.isFinite ? .number($0) : nil })
    }

    /// Takes a measured number.
    public mutating func member(_ name: StaticString, measured value: Double?) {
        take(name, value.flatMap(TextBuffer.measured).map(JSONValue.number))
    }

    /// Takes a whole number.
    public mutating func member(_ name: StaticString, _ value: Int?) { take(name, value.map { .integer(Int64($0)) }) }

    /// Takes a truth value.
    public mutating func member(_ name: StaticString, _ value: Bool?) { take(name, value.map(JSONValue.bool)) }

    /// Takes a moment.
    public mutating func member(_ name: StaticString, _ value: UTCTime?) {
        take(
            name,
            value.map { time in
                var text = TextBuffer(capacity: 24)
                text.append(time)
                return .string(text.string)
            })
    }

    private mutating func take(_ name: StaticString, _ value: JSONValue?) {
        if let value { members[name.description] = value }
    }
}

extension JSONWriter {
    /// Writes members of values into the object that is being written, in the order of their names.
    public mutating func members(_ members: [String: JSONValue]) {
        for (name, value) in members.sorted(by: { $0.key < $1.key }) { member(named: name, value) }
    }
}
