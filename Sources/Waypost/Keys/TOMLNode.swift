/// A place in a text file.
package struct TextPlace: Equatable, Sendable, Comparable {
    /// The line, counted from 1.
    package var line: Int
    /// The character in the line, counted from 1.
    package var column: Int

    /// Creates a place; both numbers are counted from 1.
    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// Whether a place comes before another in the text.
    package static func < (left: TextPlace, right: TextPlace) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

/// A value of a TOML document and its place.
package struct TOMLNode {
    /// The type and content of a value.
    package indirect enum Value {
        case table([TOMLMember])
        case array([TOMLNode])
        case string(String)
        case integer(Int64)
        case float(Double)
        case boolean(Bool)
        case date
        case time
        case dateTime
    }

    package var value: Value
    package var place: TextPlace

    package init(value: Value, place: TextPlace) {
        self.value = value
        self.place = place
    }

    /// The type of the value, for a message: `a text`, `a whole number`.
    package var kindForPeople: String {
        switch value {
        case .table: "a table"
        case .array: "a list"
        case .string: "a text"
        case .integer: "a whole number"
        case .float: "a number"
        case .boolean: "true or false"
        case .date: "a date"
        case .time: "a time of day"
        case .dateTime: "a date and time"
        }
    }
}

/// A key of a table with its value.
package struct TOMLMember {
    package var key: String
    package var place: TextPlace
    package var node: TOMLNode

    package init(key: String, place: TextPlace, node: TOMLNode) {
        self.key = key
        self.place = place
        self.node = node
    }
}
