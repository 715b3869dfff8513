import ArgumentParser

/// Options with a second name, which is accepted and not shown; ``OptionFamily`` has the names that are shown.
enum OptionNames {
    /// The value of an option that must be given by one of its names.
    static func value<Value>(_ value: Value?, _ name: String, _ other: Value?, _ otherName: String) throws -> Value {
        guard let one = try optional(value, name, other, otherName) else { throw ValidationError("\(name) is missing") }
        return one
    }

    /// The value of an option that may be given by one of its names.
    static func optional<Value>(_ value: Value?, _ name: String, _ other: Value?, _ otherName: String) throws -> Value? {
        guard value == nil || other == nil else { throw ValidationError("\(name) and \(otherName) are the same: name one") }
        return value ?? other
    }
}

extension ArgumentHelp {
    /// The help of an option's second name: none.
    static func otherName(of name: String) -> ArgumentHelp {
        ArgumentHelp("The same as --\(name).", visibility: .hidden)
    }
}
