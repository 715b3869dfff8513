/// How accurately a listener wants to know the position: what it asks for, not what it may see.
///
/// A level has a step, the distance between two positions that a listener gets, and a limit, the worst accuracy of a position that reaches the
/// level. A listener does not get a worse one while better ones come; where none has come for ``patience``, it gets what there is
/// (``UpdateFilter``). The receiver does the same for every level, and no level changes a position or leaves one out of a log.
/// - Source: the names are those of common location SDKs, and the numbers of the levels that have one in their name are that number. For the
///   others ``acquiringMetres`` is the limit.
public enum DesiredAccuracy: String, Sendable, Hashable, CaseIterable {
    /// Every fix, as ``best``; it is a name of its own for those who know it.
    case bestForNavigation
    /// Every fix that is better than those of a receiver which is still acquiring.
    case best
    /// Steps of 10 m, accurate to 10 m.
    case nearestTenMeters
    /// Steps of 100 m, accurate to 100 m.
    case nearestHundredMeters
    /// Steps of 1 km, accurate to 1 km.
    case withinOneKilometer
    /// Steps of 3 km, accurate to 3 km.
    case withinThreeKilometers
    /// Steps of 5 km, accurate to 5 km: the neighbourhood.
    case reduced

    /// The worst accuracy of a fix that says where the device is, in metres (68 %): a city block.
    ///
    /// A receiver with a worse one is still acquiring.
    public static let acquiringMetres = 100.0
    /// How long after the last position that reached the level, by the time of the fixes, a listener waits for a better one.
    ///
    /// A receiver needs some seconds from its first fix until it uses all satellites; an outlier is over sooner.
    public static let patience = Duration.seconds(10)

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

    /// The largest radius of a position that reaches the level, in metres (68 %).
    public var limitMetres: Double {
        switch self {
        case .bestForNavigation, .best: DesiredAccuracy.acquiringMetres
        case .nearestTenMeters, .nearestHundredMeters, .withinOneKilometer, .withinThreeKilometers, .reduced: stepMetres
        }
    }
}
