import Waypost

extension ValueKind<[LogType]> {
    /// A list of log types, each once.
    static var logTypes: ValueKind {
        let names = LogType.allCases.map(\.rawValue).joined(separator: ", ")
        return ValueKind(
            unit: nil,
            schema: .list(.choice(LogType.allCases.map(\.rawValue))),
            read: { (node) throws(ValueProblem) in
                var types: [LogType] = []
                for name in try ValueKind<[String]>.texts(of: node, example: "[\"raw\"]") {
                    guard let type = LogType(rawValue: name) else {
                        throw .invalid(reason: "\(quoted(name)) is not a type of log; known: \(names)")
                    }
                    guard !types.contains(type) else { throw .invalid(reason: "names \(quoted(name)) twice") }
                    types.append(type)
                }
                return types
            },
            write: { "[" + $0.map { tomlString($0.rawValue) }.joined(separator: ", ") + "]" })
    }
}

extension ValueKind<Int64> {
    /// A number of bytes: a number, or a text with a unit of 1000.
    static var byteCount: ValueKind {
        let units: [(name: String, factor: Int64)] = [
            ("TB", 1_000_000_000_000), ("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1_000), ("B", 1),
        ]
        let expected = "an amount of bytes (a number, or text such as \"500 MB\")"
        return ValueKind(
            unit: "bytes, or text with a unit (B, kB, MB, GB, TB)",
            schema: .amount,
            read: { (node) throws(ValueProblem) in
                switch node.value {
                case .integer(let count):
                    guard count >= 0 else { throw .invalid(reason: "must not be negative") }
                    return count
                case .string(let text):
                    let digits = text.prefix { $0.isASCII && $0.isNumber }
                    let unit = String(text.dropFirst(digits.count).drop { $0 == " " })
                    guard let count = Int64(digits), let factor = units.first(where: { $0.name == unit })?.factor else {
                        throw .invalid(
                            reason: "\(quoted(text)) is not \(expected); the units are \(units.map(\.name).joined(separator: ", "))")
                    }
                    let (product, isTooMuch) = count.multipliedReportingOverflow(by: factor)
                    guard !isTooMuch else { throw .invalid(reason: "is more than there can be") }
                    return product
                default: throw .wrongType(expected: expected)
                }
            },
            write: { count in
                guard count > 0, let unit = units.first(where: { count % $0.factor == 0 }) else { return "0" }
                return tomlString("\(count / unit.factor) \(unit.name)")
            })
    }
}
