import Waypost

/// Reads, writes or describes the members of a ``ControlObject``, one by one.
public protocol ControlCodec {
    /// The error: reading can fail, writing and describing cannot.
    associatedtype Failure: Error

    /// Reads, writes or describes one member.
    ///
    /// - Parameters:
    ///   - member: its name and its allowed values.
    ///   - value: the variable to read into, or the value to write; nil for an absent member.
    mutating func code<Value: ControlValue>(_ member: ControlMember<Value>, _ value: inout Value?) throws(Failure)
}

/// A member of an object: its name and its allowed values.
public struct ControlMember<Value: ControlValue>: Sendable {
    /// Its name.
    public var name: StaticString
    /// Its meaning.
    public var documentation: String
    /// Whether reading fails without it.
    public var isRequired = false
    /// Whether it is always written, although it may be absent when read.
    public var isAlwaysWritten = false
    /// Whether it may be present at all, after the members before it.
    public var isAllowed = true
    /// Whether an unreadable value counts as absent.
    public var isLenient = false
    /// A rule for its value beyond its form; nil for none.
    public var rule: ControlRule<Value>?
}

/// A rule for a value beyond its form.
public struct ControlRule<Value: ControlValue>: Sendable {
    /// The allowed values, for people: `metres, from 0 to 1000000`.
    public var expected: String
    /// Whether a value is allowed.
    public var isKept: @Sendable (Value) -> Bool

    /// A rule.
    ///
    /// - Parameters:
    ///   - expected: the allowed values, for people.
    ///   - isKept: whether a value is allowed.
    public init(_ expected: String, _ isKept: @escaping @Sendable (Value) -> Bool) {
        self.expected = expected
        self.isKept = isKept
    }
}

extension ControlCodec {
    /// A member that is always present.
    ///
    /// - Parameters:
    ///   - name: its name.
    ///   - value: the variable to read into, or the value to write.
    ///   - rule: a rule for it beyond its form.
    ///   - documentation: its meaning.
    public mutating func member<Value: ControlValue>(
        _ name: StaticString, _ value: inout Value, rule: ControlRule<Value>? = nil, _ documentation: String
    ) throws(Failure) {
        var optional: Value? = value
        try code(ControlMember(name: name, documentation: documentation, isRequired: true, rule: rule), &optional)
        if let optional { value = optional }
    }

    /// A member that may be absent.
    ///
    /// - Parameters:
    ///   - name: its name.
    ///   - value: the variable to read into, or the value to write; nil when it is absent.
    ///   - isAllowed: whether it may be present at all, after the members before it.
    ///   - isRequired: whether it must be present, after the members before it.
    ///   - isLenient: whether an unreadable value counts as absent.
    ///   - rule: a rule for it beyond its form.
    ///   - documentation: its meaning.
    public mutating func member<Value: ControlValue>(
        _ name: StaticString, _ value: inout Value?, isAllowed: Bool = true, isRequired: Bool = false, isLenient: Bool = false,
        rule: ControlRule<Value>? = nil, _ documentation: String
    ) throws(Failure) {
        try code(
            ControlMember(
                name: name, documentation: documentation, isRequired: isRequired, isAllowed: isAllowed, isLenient: isLenient, rule: rule),
            &value)
    }

    /// A member with a default value for its absence.
    ///
    /// - Parameters:
    ///   - name: its name.
    ///   - value: the variable to read into, or the value to write.
    ///   - absent: the value that its absence means.
    ///   - isOmitted: whether it is left out when it has that value.
    ///   - isAllowed: whether it may be present at all, after the members before it.
    ///   - rule: a rule for it beyond its form.
    ///   - documentation: its meaning.
    public mutating func member<Value: ControlValue & Equatable>(
        _ name: StaticString, _ value: inout Value, absent: Value, isOmitted: Bool = true, isAllowed: Bool = true,
        rule: ControlRule<Value>? = nil, _ documentation: String
    ) throws(Failure) {
        var optional: Value? = isOmitted && value == absent ? nil : value
        try code(
            ControlMember(name: name, documentation: documentation, isAlwaysWritten: !isOmitted, isAllowed: isAllowed, rule: rule),
            &optional)
        value = optional ?? absent
    }
}

// MARK: - Codecs

/// Reads and removes the members of an object that came over the socket.
struct ControlReader: ControlCodec {
    /// The members that have not been read.
    private(set) var rest: [String: JSONValue]

    init(_ members: [String: JSONValue]) {
        rest = members
    }

    /// Removes a member that was read before.
    mutating func skip(_ name: String) { rest[name] = nil }

    mutating func code<Value: ControlValue>(_ member: ControlMember<Value>, _ value: inout Value?) throws(ControlMemberError) {
        value = nil
        guard member.isAllowed else { return }
        let name = "\(member.name)"
        guard let found = rest.removeValue(forKey: name) else {
            if member.isRequired { throw ControlMemberError(path: name, expected: member.rule?.expected ?? Value.form) }
            return
        }
        do throws(ControlMemberError) {
            let read = try Value(controlValue: found)
            if let rule = member.rule, !rule.isKept(read) { throw ControlMemberError(expected: rule.expected) }
            value = read
        } catch {
            if member.isLenient { return }
            // For a member with a rule, the error names the rule rather than only the type.
            throw (error.path.isEmpty ? ControlMemberError(expected: member.rule?.expected ?? error.expected) : error).inside(name)
        }
    }
}

/// Writes the members of an object.
struct ControlWriter: ControlCodec {
    var json = JSONWriter(TextBuffer(capacity: 0))

    mutating func code<Value: ControlValue>(_ member: ControlMember<Value>, _ value: inout Value?) throws(Never) {
        guard member.isAllowed, let value else { return }
        // A value that is not a number counts as unknown, and JSON has no form for it.
        if let number = value as? Double, !number.isFinite { return }
        json.member(member.name) { value.writeElement(to: &$0) }
    }
}

/// Lists the members of an object with their meanings.
struct ControlDescriber: ControlCodec {
    private(set) var members: [ControlMemberDescription] = []

    mutating func code<Value: ControlValue>(_ member: ControlMember<Value>, _ value: inout Value?) throws(Never) {
        members.append(
            ControlMemberDescription(
                name: "\(member.name)", form: member.rule?.expected ?? Value.form, isRequired: member.isRequired,
                isAlwaysWritten: member.isRequired || member.isAlwaysWritten,
                documentation: member.documentation, members: Value.members))
    }
}
