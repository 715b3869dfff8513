/// Why a line of JSON is not a report; lines and columns are counted from 1.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum TPVError: Error, Sendable, Hashable {
    /// The line is not JSON.
    case json(JSONError)
    /// The line is JSON, but not an object.
    case notAnObject(line: Int)
    /// A member has a value of the wrong type.
    case wrongType(member: String, line: Int, column: Int)
    /// A member's value is out of range.
    case outOfRange(member: String, line: Int, column: Int)
    /// A member that the others need is missing, such as `lon` beside a `lat`.
    case missing(member: String, line: Int)

    /// The member concerned; nil when it is the line as a whole.
    public var member: String? {
        switch self {
        case .json, .notAnObject: nil
        case .wrongType(let member, _, _), .outOfRange(let member, _, _), .missing(let member, _): member
        }
    }

    /// The line of the error.
    public var line: Int {
        switch self {
        case .json(let error): error.line
        case .notAnObject(let line), .missing(_, let line): line
        case .wrongType(_, let line, _), .outOfRange(_, let line, _): line
        }
    }
}

extension TPVError: CustomStringConvertible {
    /// One line for people: `line 7, column 12: "lat" is out of range`.
    public var description: String {
        switch self {
        case .json(let error): error.description
        case .notAnObject(let line): "line \(line): not a JSON object"
        case .wrongType(let member, let line, let column): "line \(line), column \(column): \"\(member)\" has a value of the wrong type"
        case .outOfRange(let member, let line, let column): "line \(line), column \(column): \"\(member)\" is out of range"
        case .missing(let member, let line): "line \(line): \"\(member)\" is missing"
        }
    }
}
