import Waypost

/// A line from the tracker whose first member `class` gives its type.
public protocol ControlAnswer: ControlObject {
    /// Its `class`.
    static var className: String { get }

    /// Its description, in one or two sentences, for the page of the protocol.
    static var documentation: String { get }
}

extension ControlAnswer {
    /// The line of this answer, without the line feed.
    public var line: [UInt8] { ControlProtocol.object(Self.className) { writeMembers(to: &$0) } }

    /// Reads the answer from a line; unknown members are skipped.
    ///
    /// - Parameter line: a line from the tracker, without the line feed.
    /// - Errors: it is not JSON, has another class, or lacks a member.
    public init(line: [UInt8]) throws(ControlAnswerError) {
        let value: JSONValue
        do { value = try JSONParser().parse(line) } catch { throw .notJSON(reason: "\(error)") }
        try self.init(value)
    }

    /// Reads the answer from a value; unknown members are skipped.
    ///
    /// - Parameter value: a line from the tracker.
    /// - Errors: it has another class, or lacks a member.
    public init(_ value: JSONValue) throws(ControlAnswerError) {
        let name = value["class"]?.string
        guard name == Self.className else { throw .otherClass(expected: Self.className, found: name) }
        do throws(ControlMemberError) { try self.init(controlValue: value) } catch {
            throw .wrongMember(class: Self.className, error)
        }
    }
}

/// A line of the tracker is not the expected answer.
public enum ControlAnswerError: Error, Sendable, Hashable {
    /// It is not JSON, and why.
    case notJSON(reason: String)
    /// It is an answer of another class; nil when it has none.
    case otherClass(expected: String, found: String?)
    /// A member is missing or has another type.
    case wrongMember(class: String, ControlMemberError)
}

extension ControlAnswerError: CustomStringConvertible {
    /// The problem with the answer: `is not JSON: ...`, `has no valid "log.positions": it must be a whole number`.
    public var description: String {
        switch self {
        case .notJSON(let reason): "is not JSON: \(reason)"
        case .otherClass(let expected, let found?): "is \"\(oneLine(found, limit: 100))\" instead of \"\(expected)\""
        case .otherClass(let expected, nil): "has no class; \"\(expected)\" was expected"
        case .wrongMember(let name, let error): "\(name) has no valid \"\(error.path)\": it must be \(error.expected)"
        }
    }
}
