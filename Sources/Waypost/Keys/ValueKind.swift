/// Why a value does not fit its key.
package enum ValueProblem: Error, Equatable {
    /// The value has the wrong type; the expected one: `a text`.
    case wrongType(expected: String)
    /// The type is right, but the value is not; the reason, in words that follow the key's name.
    case invalid(reason: String)

    /// The problem that no time zone has that name.
    package static func noTimeZone(_ name: String) -> ValueProblem {
        .invalid(reason: "has \(quoted(name)), which is not a time zone of this system (see timedatectl list-timezones; package tzdata)")
    }
}

/// How values of one kind are read from TOML and written to it.
package struct ValueKind<Value: Sendable>: Sendable {
    /// The unit and range for the reference, nil when there are none.
    package let unit: String?
    /// The allowed values, for editors.
    package let schema: ValueSchema
    /// The use of the file that the value names; nil when it names none that must exist.
    package var file: NamedFileUse?
    package let read: @Sendable (TOMLNode) throws(ValueProblem) -> Value
    package let write: @Sendable (Value) -> String

    package init(
        unit: String?, schema: ValueSchema, file: NamedFileUse? = nil,
        read: @escaping @Sendable (TOMLNode) throws(ValueProblem) -> Value, write: @escaping @Sendable (Value) -> String
    ) {
        (self.unit, self.schema, self.file, self.read, self.write) = (unit, schema, file, read, write)
    }
}

/// The use of a file that a value names and that must exist.
package enum NamedFileUse: Sendable {
    /// The file is read.
    case reading
    /// The file holds a secret, which no other user may read.
    case secret
}

extension ValueKind<String> {
    /// The path of a file or folder, unchanged: relative ones start at the program's working folder.
    package static var path: ValueKind { path(maximumBytes: 4_095) }

    /// The path of a Unix socket; the system's address structure has room for 107 bytes.
    package static var socketPath: ValueKind { path(maximumBytes: 107) }

    private static func path(maximumBytes: Int) -> ValueKind {
        ValueKind(
            unit: nil,
            schema: .text,
            read: { (node) throws(ValueProblem) in
                guard case .string(let path) = node.value else { throw .wrongType(expected: "a path in quotes") }
                guard !path.isEmpty else { throw .invalid(reason: "must not be empty") }
                guard !path.utf8.contains(0) else { throw .invalid(reason: "must not contain a NUL character") }
                guard path.first != "~" else {
                    throw .invalid(reason: "cannot begin with '~', which only shells know; write the whole path")
                }
                guard path.utf8.count <= maximumBytes else {
                    throw .invalid(reason: "is \(path.utf8.count) bytes long; the system allows \(maximumBytes)")
                }
                return path
            },
            write: tomlString)
    }
}

extension ValueKind<Duration> {
    /// A span of time: a number of seconds, or a text with a unit.
    ///
    /// - Parameter orZero: whether 0 is also allowed when the range begins above it.
    package static func duration(in range: ClosedRange<Duration>, orZero: Bool = false) -> ValueKind {
        let bounds = "\(orZero ? "0, or " : "")from \(DurationText.text(range.lowerBound)) to \(DurationText.text(range.upperBound))"
        let units = DurationText.units.map(\.name).joined(separator: ", ")
        return ValueKind(
            unit: "seconds, or text with a unit (\(units)); \(bounds)",
            schema: .amount,
            read: { (node) throws(ValueProblem) in
                let duration: Duration
                do throws(DurationText.Problem) {
                    duration = try DurationText.duration(node)
                } catch {
                    switch error {
                    case .wrongType: throw .wrongType(expected: "a duration (seconds, or text with a unit such as \"10 min\")")
                    case .notANumber(let text):
                        throw .invalid(reason: "\(quoted(text)) is not a duration; write seconds, or text with a unit such as \"10 min\"")
                    case .unknownUnit(let unit): throw .invalid(reason: "has the unknown unit \(quoted(unit)); known: \(units)")
                    case .outOfRange: throw .invalid(reason: "must be \(bounds)")
                    }
                }
                guard range.contains(duration) || orZero && duration == .zero else { throw .invalid(reason: "must be \(bounds)") }
                return duration
            },
            write: { tomlString(DurationText.text($0)) })
    }
}

/// A text as a TOML basic string.
package func tomlString(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\"": quoted += "\\\""
        case "\\": quoted += "\\\\"
        case _ where scalar.value < 0x20 || scalar.value == 0x7F:
            let digits = String(scalar.value, radix: 16, uppercase: true)
            quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        default: quoted.unicodeScalars.append(scalar)
        }
    }
    return quoted + "\""
}
