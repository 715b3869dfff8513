import Waypost

/// Reads, writes or describes the members of a ``ControlObject``, one by one.
public protocol ControlCodec {
    /// What goes wrong: reading can, writing and describing cannot.
    associatedtype Failure: Error

    /// Reads, writes or describes one member.
    ///
    /// - Parameters:
    ///   - member: what it is called and what may stand there.
    ///   - value: where it is read to, or what is written; nil for a member that is not there.
    mutating func code<Value: ControlValue>(_ member: ControlMember<Value>, _ value: inout Value?) throws(Failure)
}

/// A member of an object: its name and what may stand there.
public struct ControlMember<Value: ControlValue>: Sendable {
    /// Its name.
    public var name: StaticString
    /// What it means.
    public var documentation: String
    /// Whether reading fails without it.
    public var isRequired = false
    /// Whether it is always written, though reading goes on without it.
    public var isAlwaysWritten = false
    /// Whether it may be there at all, after the members before it.
    public var isAllowed = true
    /// Whether one that cannot be read counts as absent.
    public var isLenient = false
    /// What holds for its value beyond its form; nil when everything does.
    public var rule: ControlRule<Value>?
}

/// What holds for a value beyond its form.
public struct ControlRule<Value: ControlValue>: Sendable {
    /// What the value must be, for people: `metres, from 0 to 1000000`.
    public var expected: String
    /// Whether a value is so.
    public var isKept: @Sendable (Value) -> Bool

    /// A rule.
    ///
    /// - Parameters:
    ///   - expected: what the value must be, for people.
    ///   - isKept: whether a value is so.
    public init(_ expected: String, _ isKept: @escaping @Sendable (Value) -> Bool) {
        self.expected = expected
        self.isKept = isKept
    }
}

extension ControlCodec {
    /// A member that is always there.
    ///
    /// - Parameters:
    ///   - name: its name.
    ///   - value: where it is read to, or what is written.
    ///   - rule: what holds for it beyond its form.
    ///   - documentation: what it means.
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
    ///   - value: where it is read to, or what is written; nil when it is absent.
    ///   - isAllowed: whether it may be there at all, after the members before it.
    ///   - isRequired: whether it must be there, after the members before it.
    ///   - isLenient: whether one that cannot be read counts as absent.
    ///   - rule: what holds for it beyond its form.
    ///   - documentation: what it means.
    public mutating func member<Value: ControlValue>(
        _ name: StaticString, _ value: inout Value?, isAllowed: Bool = true, isRequired: Bool = false, isLenient: Bool = false,
        rule: ControlRule<Value>? = nil, _ documentation: String
    ) throws(Failure) {
        try code(
            ControlMember(
                name: name, documentation: documentation, isRequired: isRequired, isAllowed: isAllowed, isLenient: isLenient, rule: rule),
            &value)
    }

    /// A member whose absence means a value.
    ///
    /// - Parameters:
    ///   - name: its name.
    ///   - value: where it is read to, or what is written.
    ///   - absent: what its absence means.
    ///   - isOmitted: whether it is left out when it has that value.
    ///   - isAllowed: whether it may be there at all, after the members before it.
    ///   - rule: what holds for it beyond its form.
    ///   - documentation: what it means.
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

/// Takes the members out of an object that came over the socket.
struct ControlReader: ControlCodec {
    /// Those that have not been taken.
    private(set) var rest: [String: JSONValue]

    init(_ members: [String: JSONValue]) {
        rest = members
    }

    /// Takes out a member that was read before.
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
            // Of what must be metres between bounds, a text is no more than that.
            throw (error.path.isEmpty ? ControlMemberError(expected: member.rule?.expected ?? error.expected) : error).inside(name)
        }
    }
}

/// Writes the members of an object.
struct ControlWriter: ControlCodec {
    var json = JSONWriter(TextBuffer(capacity: 0))

    mutating func code<Value: ControlValue>(_ member: ControlMember<Value>, _ value: inout Value?) throws(Never) {
        guard member.isAllowed, let value else { return }
        // What is not a number is not known, and JSON has no form for it.
        if let number = value as? Double, !number.isFinite { return }
        json.member(member.name) { value.writeElement(to: &$0) }
    }
}

/// Lists the members of an object with their meaning.
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
