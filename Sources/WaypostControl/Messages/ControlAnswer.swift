import Waypost

/// What the tracker says: a line whose first member `class` tells what it is.
public protocol ControlAnswer: ControlObject {
    /// Its `class`.
    static var className: String { get }

    /// What it says, in one or two sentences, for the page of the protocol.
    static var documentation: String { get }
}

extension ControlAnswer {
    /// The line that says this, without the line feed.
    public var line: [UInt8] { ControlProtocol.object(Self.className) { writeMembers(to: &$0) } }

    /// The answer on a line; members that it does not know are skipped.
    ///
    /// - Parameter line: what the tracker has sent, without the line feed.
    /// - Errors: it is no JSON, of another class, or lacks a member.
    public init(line: [UInt8]) throws(ControlAnswerError) {
        let value: JSONValue
        do { value = try JSONParser().parse(line) } catch { throw .notJSON(reason: "\(error)") }
        try self.init(value)
    }

    /// The answer that a value is; members that it does not know are skipped.
    ///
    /// - Parameter value: a line that the tracker has sent.
    /// - Errors: it is of another class, or lacks a member.
    public init(_ value: JSONValue) throws(ControlAnswerError) {
        let name = value["class"]?.string
        guard name == Self.className else { throw .otherClass(expected: Self.className, found: name) }
        do throws(ControlMemberError) { try self.init(controlValue: value) } catch {
            throw .wrongMember(class: Self.className, error)
        }
    }
}

/// That a line of the tracker is not the answer that was expected.
public enum ControlAnswerError: Error, Sendable, Hashable {
    /// It is no JSON, and why.
    case notJSON(reason: String)
    /// It is an answer of another class; nil when it has none.
    case otherClass(expected: String, found: String?)
    /// A member is missing or of another kind.
    case wrongMember(class: String, ControlMemberError)
}

extension ControlAnswerError: CustomStringConvertible {
    /// What is wrong with the answer: `is not JSON: ...`, `has no valid "log.positions": it must be a whole number`.
    public var description: String {
        switch self {
        case .notJSON(let reason): "is not JSON: \(reason)"
        case .otherClass(let expected, let found?): "is \"\(found)\" instead of \"\(expected)\""
        case .otherClass(let expected, nil): "has no class; \"\(expected)\" was expected"
        case .wrongMember(let name, let error): "\(name) has no valid \"\(error.path)\": it must be \(error.expected)"
        }
    }
}
