/// Durations as people write them: `10`, `2.5`, `"10 min"`.
package enum DurationText {
    /// The units, shortest first.
    package static let units: [(name: String, duration: Duration)] = [
        ("ms", .milliseconds(1)), ("s", .seconds(1)), ("min", .seconds(60)), ("h", .seconds(3_600)), ("d", .seconds(86_400)),
    ]

    /// Why a value is not a duration.
    package enum Problem: Error, Equatable {
        case wrongType
        case notANumber(String)
        case unknownUnit(String)
        case outOfRange
    }

    /// The duration in a value: a number of seconds, or a text.
    static func duration(_ node: TOMLNode) throws(Problem) -> Duration {
        switch node.value {
        case .integer(let count): try seconds(Double(count))
        case .float(let count): try seconds(count)
        case .string(let text): try parse(text)
        default: throw .wrongType
        }
    }

    /// Parses a number with or without a unit: `90`, `90 s`, `1.5 h`, `500ms`.
    ///
    /// - Units: seconds when the text has none. Rounded to the microsecond. No sign, no exponent.
    package static func parse(_ text: String) throws(Problem) -> Duration {
        let trimmed = text.drop { $0 == " " }
        let number = trimmed.prefix { $0.isASCII && $0.isNumber || $0 == "." }
        let unitName = String(trimmed.dropFirst(number.count).drop { $0 == " " })
        // Double() alone would also accept "0x1p3", "inf" and ".5"; the prefix and the check of its first digit do not.
        guard number.first != ".", number.last != ".", let count = Double(number) else { throw .notANumber(text) }
        guard !unitName.isEmpty else { return try seconds(count) }
        guard let unit = units.first(where: { $0.name == unitName }) else { throw .unknownUnit(unitName) }
        return try seconds(count * (unit.duration / .seconds(1)))
    }

    /// A duration of that many seconds, rounded to the microsecond; at most about 300 years.
    static func seconds(_ count: Double) throws(Problem) -> Duration {
        guard count >= 0, count <= 1e10 else { throw .outOfRange }
        return .microseconds(Int64((count * 1e6).rounded()))
    }

    /// The duration in the largest unit that yields a whole number: `10 s`, `90 s`, `2 min`; `0 s` for zero.
    package static func text(_ duration: Duration) -> String {
        guard duration != .zero else { return "0 s" }
        for unit in units.reversed() {
            let count = (duration / unit.duration).rounded()
            if count >= 1, unit.duration * Int64(count) == duration { return "\(Int64(count)) \(unit.name)" }
        }
        return "\(duration / .milliseconds(1)) ms"
    }
}
