/// The units in which a person reads distances, heights and speeds; data is always in metres and metres per second.
public enum UnitSystem: String, Sendable, CaseIterable {
    /// Metres, kilometres, kilometres per hour.
    case metric
    /// Feet, miles, miles per hour.
    case imperial
    /// Metres, nautical miles, knots.
    case nautical

    private static let metresPerFoot = 0.3048
    private static let metresPerMile = 1_609.344
    private static let metresPerNauticalMile = 1_852.0

    /// A distance: `2.5 m`, `340 m`, `1.2 km`, `16082 km`; to about a hundredth of its size.
    public func distance(_ metres: Double) -> String {
        switch self {
        case .metric: UnitSystem.distance(metres, "m", until: 1_000, then: metres / 1_000, "km")
        case .imperial: UnitSystem.distance(metres / Self.metresPerFoot, "ft", until: 1_000, then: metres / Self.metresPerMile, "mi")
        case .nautical: UnitSystem.distance(metres, "m", until: 1_000, then: metres / Self.metresPerNauticalMile, "nmi")
        }
    }

    /// A height above the sea or the ellipsoid, to the metre or the foot: `408 m`, `1339 ft`.
    public func altitude(_ metres: Double) -> String {
        self == .imperial ? UnitSystem.number(metres / Self.metresPerFoot, 0) + " ft" : UnitSystem.number(metres, 0) + " m"
    }

    /// A speed: `4.3 km/h`, `118 km/h`, `73 mph`, `6.2 kn`.
    public func speed(_ metresPerSecond: Double) -> String {
        let (speed, unit) = inUnits(metresPerSecond)
        return UnitSystem.number(speed, abs(speed) < 99.95 ? 1 : 0) + " " + unit
    }

    /// The speed that is allowed somewhere, a whole number as on its sign: `50 km/h`, `31 mph`.
    package func speedLimit(_ metresPerSecond: Double) -> String {
        let (speed, unit) = inUnits(metresPerSecond)
        return UnitSystem.number(speed, 0) + " " + unit
    }

    private func inUnits(_ metresPerSecond: Double) -> (speed: Double, unit: String) {
        switch self {
        case .metric: (metresPerSecond * 3.6, "km/h")
        case .imperial: (metresPerSecond * 3_600 / Self.metresPerMile, "mph")
        case .nautical: (metresPerSecond * 3_600 / Self.metresPerNauticalMile, "kn")
        }
    }

    /// The small unit while the rounded number is below a limit, otherwise the large one.
    private static func distance(
        _ small: Double, _ smallUnit: String, until limit: Double, then large: Double, _ largeUnit: String
    ) -> String {
        if abs(small) < limit - 0.5 { return number(small, abs(small) < 99.95 ? 1 : 0, trimsZeros: true) + " " + smallUnit }
        return number(large, abs(large) < 99.95 ? 1 : 0, trimsZeros: true) + " " + largeUnit
    }

    private static func number(_ value: Double, _ decimals: Int, trimsZeros: Bool = false) -> String {
        // A value that is not a number comes from outside.
        guard value.isFinite else { return "?" }
        var text = TextBuffer(capacity: 32)
        text.append(value, decimals: decimals, trimsZeros: trimsZeros)
        return text.string
    }
}
