/// Receives the members of an object one by one: a ``JSONWriter`` writes them as text, `JSONObject` stores them as values.
///
/// This way a codec lists its members only once. A member without a value is not written.
public protocol JSONMembers {
    /// Adds a text.
    mutating func member(_ name: StaticString, _ value: String?)
    /// Adds a number; one that is not finite counts as unknown.
    mutating func member(_ name: StaticString, _ value: Double?)
    /// Adds a measured number, to a millionth of its unit; one that is not finite counts as unknown.
    mutating func member(_ name: StaticString, measured value: Double?)
    /// Adds a whole number.
    mutating func member(_ name: StaticString, _ value: Int?)
    /// Adds a truth value.
    mutating func member(_ name: StaticString, _ value: Bool?)
    /// Adds a moment, as RFC 3339 UTC with milliseconds.
    mutating func member(_ name: StaticString, _ value: UTCTime?)
}

extension JSONWriter: JSONMembers {}

/// An object being filled with members; they are written in the order of their names.
package struct JSONObject: JSONMembers, Sendable {
    /// The members so far.
    package var members: [String: JSONValue] = [:]

    /// Creates an object without members.
    package init() {}

    /// Adds a text.
    package mutating func member(_ name: StaticString, _ value: String?) { take(name, value.map(JSONValue.string)) }

    /// Adds a number.
    package mutating func member(_ name: StaticString, _ value: Double?) {
        take(name, value.flatMap { $0.isFinite ? .number($0) : nil })
    }

    /// Adds a measured number.
    package mutating func member(_ name: StaticString, measured value: Double?) {
        take(name, value.flatMap(TextBuffer.measured).map(JSONValue.number))
    }

    /// Adds a whole number.
    package mutating func member(_ name: StaticString, _ value: Int?) { take(name, value.map { .integer(Int64($0)) }) }

    /// Adds a truth value.
    package mutating func member(_ name: StaticString, _ value: Bool?) { take(name, value.map(JSONValue.bool)) }

    /// Adds a moment.
    package mutating func member(_ name: StaticString, _ value: UTCTime?) {
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
    /// Writes members with values into the current object, in the order of their names.
    package mutating func members(_ members: [String: JSONValue]) {
        for (name, value) in members.sorted(by: { $0.key < $1.key }) { member(named: name, value) }
    }
}
