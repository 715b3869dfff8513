/// How the device travels: which roads it may use, and how fast.
public enum TravelMode: String, Sendable, Hashable, CaseIterable {
    /// A motor vehicle.
    case car
    /// A person on foot, for whom no road is one-way.
    case foot
    /// A bicycle.
    case bicycle

    /// The bit of an edge that this mode may use from its start to its end; the next bit is the other direction.
    @inline(__always) var forwardBit: UInt8 {
        switch self {
        case .car: 0b00_0001
        case .foot: 0b00_0100
        case .bicycle: 0b01_0000
        }
    }

    /// The bit of a node or turn that is closed to this mode.
    @inline(__always) var closedBit: UInt32 {
        switch self {
        case .car: 0b001
        case .foot: 0b010
        case .bicycle: 0b100
        }
    }

    /// The usual speed in metres per second on a road with that limit.
    ///
    /// - Source: a walking speed of 1.35 m/s is the mean of R. L. Knoblauch et al., Field studies of pedestrian walking speed (1996),
    ///   rounded down for luggage; 130 km/h is the recommended speed where Germany has no limit; 4.5 m/s is the usual planning figure for bicycles.
    func speedMetresPerSecond(limitKilometresPerHour limit: UInt8) -> Double {
        switch self {
        case .car: Double(min(max(limit, 5), 130)) / 3.6
        case .foot: 1.35
        case .bicycle: min(4.5, Double(max(limit, 5)) / 3.6)
        }
    }

    /// No road of any map is faster in this mode: the bound of a search towards a goal.
    var greatestSpeedMetresPerSecond: Double { speedMetresPerSecond(limitKilometresPerHour: .max) }
}
