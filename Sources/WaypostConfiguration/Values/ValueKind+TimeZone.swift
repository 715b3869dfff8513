import Waypost
import WaypostSystem

extension ValueKind<String> {
    /// A time zone of the tz database, or nothing.
    static var timeZone: ValueKind {
        ValueKind(
            unit: nil,
            schema: .text,
            read: { (node) throws(ValueProblem) in
                guard case .string(let name) = node.value else { throw .wrongType(expected: "a time zone such as \"Europe/Zurich\"") }
                guard name.isEmpty || TimeZoneFolder.rules(named: name) != nil else { throw .noTimeZone(name) }
                return name
            },
            write: tomlString)
    }
}
