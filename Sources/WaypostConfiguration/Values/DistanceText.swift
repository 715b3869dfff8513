import Waypost

/// Distances as people write them: `250`, `2.5`, `"1.5 km"`.
package enum DistanceText {
    /// The units in metres.
    ///
    /// - Source: NIST Special Publication 811, appendix B: a foot is 0.3048 m, a mile 5 280 feet, a nautical mile 1 852 m.
    private static let units: [(name: String, metres: Double)] = [
        ("m", 1), ("km", 1_000), ("ft", 0.3048), ("mi", 1_609.344), ("nmi", 1_852),
    ]
    /// Their names, for messages.
    static let unitNames = units.map(\.name).joined(separator: ", ")

    /// Why a value is not a distance.
    package enum Problem: Error, Equatable {
        case wrongType
        case notANumber(String)
        case unknownUnit(String)
    }

    /// A distance in metres from a value: a number of metres, or a text.
    static func metres(_ node: TOMLNode) throws(Problem) -> Double {
        switch node.value {
        case .integer(let count): Double(count)
        case .float(let count): count
        case .string(let text): try parse(text)
        default: throw .wrongType
        }
    }

    /// A distance in metres from a number with or without a unit: `90`, `90 m`, `1.5km`, `300 ft`; no sign, no exponent.
    package static func parse(_ text: some StringProtocol) throws(Problem) -> Double {
        let trimmed = text.drop { $0 == " " }
        let number = trimmed.prefix { $0.isASCII && $0.isNumber || $0 == "." }
        let unitName = String(trimmed.dropFirst(number.count).drop { $0 == " " })
        // Double() alone would also accept "0x1p3", "inf" and ".5"; the prefix and the check of its first character do not.
        guard number.first != ".", number.last != ".", let count = Double(number) else { throw .notANumber(String(text)) }
        guard !unitName.isEmpty else { return count }
        guard let unit = units.first(where: { $0.name == unitName }) else { throw .unknownUnit(unitName) }
        return count * unit.metres
    }

    /// The distance in metres, or in kilometres when it is a whole number of them.
    static func text(_ metres: Double) -> String {
        if metres >= 1_000, metres.truncatingRemainder(dividingBy: 1_000) == 0, let whole = Int64(exactly: metres / 1_000) {
            return "\(whole) km"
        }
        return Int64(exactly: metres).map { "\($0) m" } ?? "\(metres) m"
    }
}

extension ValueKind<Double> {
    /// A length in metres: a number of metres, or a text with a unit.
    static func distance(in range: ClosedRange<Double>) -> ValueKind {
        ValueKind(
            unit: "metres, or text with a unit (\(DistanceText.unitNames)); \(DistanceText.bounds(range))",
            schema: .amount,
            read: { (node) throws(ValueProblem) in try DistanceText.metres(node, in: range) },
            write: { tomlString(DistanceText.text($0)) })
    }

    /// An angle in degrees.
    static func degrees(in range: ClosedRange<Double>) -> ValueKind {
        let bounds = "from \(Int(range.lowerBound)) to \(Int(range.upperBound))"
        return ValueKind(
            unit: "degrees, \(bounds)",
            schema: .number(range),
            read: { (node) throws(ValueProblem) in
                guard let degrees = node.number else { throw .wrongType(expected: "a number of degrees") }
                guard range.contains(degrees) else { throw .invalid(reason: "must be \(bounds)") }
                return degrees
            },
            write: { $0.rounded() == $0 ? "\(Int($0))" : "\($0)" })
    }
}

extension DistanceText {
    /// `from 0 m to 10 km`.
    static func bounds(_ range: ClosedRange<Double>) -> String { "from \(text(range.lowerBound)) to \(text(range.upperBound))" }

    /// A distance within a range, or the problem with it in words that follow the key's name.
    static func metres(_ node: TOMLNode, in range: ClosedRange<Double>) throws(ValueProblem) -> Double {
        let distance: Double
        do throws(Problem) {
            distance = try metres(node)
        } catch {
            switch error {
            case .wrongType: throw .wrongType(expected: "a distance (metres, or text with a unit such as \"1.5 km\")")
            case .notANumber(let text):
                throw .invalid(reason: "\(quoted(text)) is not a distance; write metres, or text with a unit such as \"1.5 km\"")
            case .unknownUnit(let unit): throw .invalid(reason: "has the unknown unit \(quoted(unit)); known: \(unitNames)")
            }
        }
        guard range.contains(distance) else { throw .invalid(reason: "must be \(bounds(range))") }
        return distance
    }
}

extension TOMLNode {
    /// The value as a number, whole or not.
    var number: Double? {
        switch value {
        case .integer(let number): Double(number)
        case .float(let number): number
        default: nil
        }
    }
}
