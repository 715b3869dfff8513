/// How accurately a listener wants to know the position: what it asks for, not what it may see.
///
/// The names are those of common location SDKs.
public enum DesiredAccuracy: String, Sendable, Hashable, CaseIterable {
    /// Every fix, as ``best``; it is a name of its own for those who know it.
    case bestForNavigation
    /// Every fix.
    case best
    /// Steps of 10 m.
    case nearestTenMeters
    /// Steps of 100 m.
    case nearestHundredMeters
    /// Steps of 1 km.
    case withinOneKilometer
    /// Steps of 3 km.
    case withinThreeKilometers
    /// Steps of 5 km: the neighbourhood.
    case reduced

    /// The distance in metres below which two positions are the same for this listener.
    public var stepMetres: Double {
        switch self {
        case .bestForNavigation, .best: 0
        case .nearestTenMeters: 10
        case .nearestHundredMeters: 100
        case .withinOneKilometer: 1_000
        case .withinThreeKilometers: 3_000
        case .reduced: 5_000
        }
    }
}
