/// A JSON value in memory, for messages and settings; large numbers of positions go through ``TPVCodec``.
public enum JSONValue: Sendable, Hashable {
    /// JSON's `null`.
    case null
    /// True or false.
    case bool(Bool)
    /// A number written without fraction and exponent that fits 64 bits.
    case integer(Int64)
    /// Any other number; finite.
    case number(Double)
    /// Text.
    case string(String)
    /// A list.
    case array([JSONValue])
    /// Members by name; of several with the same name, the last counts.
    case object([String: JSONValue])

    /// The member with that name; nil when there is none or this is not an object.
    public subscript(name: String) -> JSONValue? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    /// The number as a `Double`, or nil when this is not a number.
    public var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    /// The number as a whole number, or nil when this is not a whole number; `2.0` and `1e3` are whole.
    public var int: Int? {
        switch self {
        case .integer(let value): Int(exactly: value)
        case .number(let value): Int(exactly: value)
        default: nil
        }
    }

    /// The text, or nil when this is not a string.
    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The moment, or nil when this is not a text in the form of RFC 3339.
    public var time: UTCTime? { string.flatMap(UTCTime.init(rfc3339:)) }

    /// The truth value, or nil when this is not one.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The elements, or nil when this is not an array.
    public var array: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The members, or nil when this is not an object.
    public var object: [String: JSONValue]? {
        if case .object(let members) = self { members } else { nil }
    }
}
