import Waypost

/// A value that a member of a request or an answer may have.
public protocol ControlValue: Sendable {
    /// The form of such a value, in an error and on the page of the protocol: `a text`, `a whole number`.
    static var form: String { get }

    /// The members of such a value, when it is an object or a list of objects; none for anything else.
    static var members: [ControlMemberDescription] { get }

    /// Reads a value.
    ///
    /// - Parameter value: the JSON value from the socket.
    /// - Errors: it has another form; the error names the wrong member in it.
    init(controlValue value: JSONValue) throws(ControlMemberError)

    /// Writes the value.
    ///
    /// - Parameter json: the writer, which gets the value as one element.
    func writeElement(to json: inout JSONWriter)
}

extension ControlValue {
    /// None.
    public static var members: [ControlMemberDescription] { [] }
}

/// A member of a request or an answer is missing or wrong.
public struct ControlMemberError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The path of the member, from the outermost object on: `source.state`, `destinations[2].name`.
    public var path: String
    /// The expected value: `a text`.
    public var expected: String

    /// An error in a member.
    ///
    /// - Parameters:
    ///   - path: the path of the member; empty for the value itself, to which the enclosing objects add their names.
    ///   - expected: the expected value.
    public init(path: String = "", expected: String) {
        self.path = path
        self.expected = expected
    }

    /// The same error as seen from the enclosing object or list.
    func inside(_ name: String) -> ControlMemberError {
        ControlMemberError(path: path.isEmpty || path.hasPrefix("[") ? name + path : "\(name).\(path)", expected: expected)
    }

    /// `"source.state" must be a text`.
    public var description: String { "\"\(path)\" must be \(expected)" }
}

// MARK: - Values

extension ControlValue {
    /// A form of the value, or an error with the expected form.
    fileprivate static func require<Form>(_ form: Form?) throws(ControlMemberError) -> Form {
        guard let form else { throw ControlMemberError(expected: Self.form) }
        return form
    }
}

extension String: ControlValue {
    /// `a text`.
    public static var form: String { "a text" }

    /// Reads a text.
    public init(controlValue value: JSONValue) throws(ControlMemberError) { self = try String.require(value.string) }

    /// Writes the text.
    public func writeElement(to json: inout JSONWriter) { json.element(self) }
}

extension Bool: ControlValue {
    /// `true or false`.
    public static var form: String { "true or false" }

    /// Reads true or false.
    public init(controlValue value: JSONValue) throws(ControlMemberError) { self = try Bool.require(value.bool) }

    /// Writes true or false.
    public func writeElement(to json: inout JSONWriter) { json.element(self) }
}

extension Int: ControlValue {
    /// `a whole number`.
    public static var form: String { "a whole number" }

    /// Reads a whole number.
    public init(controlValue value: JSONValue) throws(ControlMemberError) { self = try Int.require(value.int) }

    /// Writes the number.
    public func writeElement(to json: inout JSONWriter) { json.element(self) }
}

extension UInt64: ControlValue {
    /// `a whole number`.
    public static var form: String { "a whole number" }

    /// Reads a whole number that is not negative.
    public init(controlValue value: JSONValue) throws(ControlMemberError) {
        self = try UInt64.require(value.int.flatMap { UInt64(exactly: $0) })
    }

    /// Writes the number; a number that JSON readers with 64 bits do not know becomes the largest that they do.
    public func writeElement(to json: inout JSONWriter) { json.element(Int(clamping: self)) }
}

extension Double: ControlValue {
    /// `a number`.
    public static var form: String { "a number" }

    /// Reads a number.
    public init(controlValue value: JSONValue) throws(ControlMemberError) { self = try Double.require(value.double) }

    /// Writes the number; it must be finite.
    public func writeElement(to json: inout JSONWriter) { json.element(self) }
}

extension UTCTime: ControlValue {
    /// `a time of RFC 3339`.
    public static var form: String { "a time of RFC 3339" }

    /// Reads a moment.
    public init(controlValue value: JSONValue) throws(ControlMemberError) { self = try UTCTime.require(value.time) }

    /// Writes the moment.
    public func writeElement(to json: inout JSONWriter) { json.element(self) }
}

extension [String: JSONValue]: ControlValue {
    /// `an object`.
    public static var form: String { "an object" }

    /// Reads an object with any members.
    public init(controlValue value: JSONValue) throws(ControlMemberError) { self = try Self.require(value.object) }

    /// Writes the object, with its members sorted by name.
    public func writeElement(to json: inout JSONWriter) { json.element(.object(self)) }
}

extension Array: ControlValue where Element: ControlValue {
    /// `a list`.
    public static var form: String { "a list" }

    /// The members of its elements.
    public static var members: [ControlMemberDescription] { Element.members }

    /// Reads a list of values of one type.
    public init(controlValue value: JSONValue) throws(ControlMemberError) {
        self = []
        for (index, element) in try Self.require(value.array).enumerated() {
            do throws(ControlMemberError) { append(try Element(controlValue: element)) } catch { throw error.inside("[\(index)]") }
        }
    }

    /// Writes the list.
    public func writeElement(to json: inout JSONWriter) {
        json.array { json in for element in self { element.writeElement(to: &json) } }
    }
}
