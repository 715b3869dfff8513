/// The allowed values of a key, for editors: the matching part of a JSON Schema (draft 2020-12).
///
/// It is less strict than reading: a value that fits may still be refused, one that does not fit always is.
package indirect enum ValueSchema: Sendable {
    /// A text.
    case text
    /// True or false.
    case truth
    /// A whole number.
    case count(ClosedRange<Int>)
    /// A number.
    case number(ClosedRange<Double>)
    /// A number of the first unit, not negative, or a text with a unit.
    case amount
    /// One of a few words.
    case choice([String])
    /// A word, or one of a few numbers.
    case wordOrNumber(String, [Int])
    /// A list.
    case list(ValueSchema)
    /// A text, or a table with these members.
    case textOrTable([String])

    /// The schema, with the key's explanation and its default.
    package func value(description: String, defaultValue: JSONValue?) -> JSONValue {
        var members = members
        members["description"] = .string(description)
        if let defaultValue { members["default"] = defaultValue }
        return .object(members)
    }

    private var members: [String: JSONValue] {
        switch self {
        case .text: ["type": .string("string")]
        case .truth: ["type": .string("boolean")]
        case .count(let range):
            ["type": .string("integer"), "minimum": .integer(Int64(range.lowerBound)), "maximum": .integer(Int64(range.upperBound))]
        case .number(let range):
            ["type": .string("number"), "minimum": .number(range.lowerBound), "maximum": .number(range.upperBound)]
        case .amount: ["type": .array([.string("number"), .string("string")]), "minimum": .integer(0)]
        case .choice(let words): ["type": .string("string"), "enum": .array(words.map(JSONValue.string))]
        case .wordOrNumber(let word, let numbers):
            [
                "type": .array([.string("string"), .string("integer")]),
                "enum": .array([.string(word)] + numbers.map { .integer(Int64($0)) }),
            ]
        case .list(let element): ["type": .string("array"), "items": .object(element.members)]
        case .textOrTable(let names):
            [
                "type": .array([.string("string"), .string("object")]),
                "properties": .object(Dictionary(uniqueKeysWithValues: names.map { ($0, .object([:])) })),
                "additionalProperties": .bool(false),
            ]
        }
    }
}
