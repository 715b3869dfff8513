extension ValueKind<String?> {
    /// The path of a file or folder, or nothing.
    package static var optionalPath: ValueKind { optional(.path) }

    /// The path of a Unix socket, or nothing.
    package static var optionalSocketPath: ValueKind { optional(.socketPath) }

    private static func optional(_ path: ValueKind<String>) -> ValueKind {
        ValueKind(
            unit: nil,
            schema: .text,
            read: { (node) throws(ValueProblem) in
                if case .string("") = node.value { return nil }
                return try path.read(node)
            },
            write: { path.write($0 ?? "") })
    }

    /// The path of a file that must exist, or nothing.
    package static func file(for use: NamedFileUse) -> ValueKind {
        var kind = optionalPath
        kind.file = use
        return kind
    }
}

extension ValueKind<Int> {
    /// A number of things.
    package static func count(in range: ClosedRange<Int>) -> ValueKind {
        let bounds = "from \(range.lowerBound) to \(range.upperBound)"
        return ValueKind(
            unit: bounds,
            schema: .count(range),
            read: { (node) throws(ValueProblem) in
                guard case .integer(let count) = node.value else { throw .wrongType(expected: "a whole number") }
                guard let count = Int(exactly: count), range.contains(count) else { throw .invalid(reason: "must be \(bounds)") }
                return count
            },
            write: { "\($0)" })
    }
}
