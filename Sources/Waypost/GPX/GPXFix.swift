/// The kind of fix of a point in a GPX file: its element `fix`.
public enum GPXFix: String, Sendable, Hashable, CaseIterable {
    /// The receiver had no fix: the place is old or assumed.
    case none
    /// Latitude and longitude.
    case twoDimensional = "2d"
    /// Altitude as well.
    case threeDimensional = "3d"
    /// Corrected by a reference station or SBAS.
    case differential = "dgps"
    /// Precise positioning service (encrypted signals).
    case precise = "pps"

    /// The kind of fix of a position; nil where `fix` must be left out because the kind is not known.
    public init?(_ position: Position) {
        switch position.status {
        case .differential, .rtkFixed, .rtkFloat: self = .differential
        case .precise: self = .precise
        case .deadReckoning, .simulated: return nil
        case .unknown, .gps, .gnssDeadReckoning, .timeOnly: self = position.mode == .threeDimensional ? .threeDimensional : .twoDimensional
        }
    }

    /// The element.
    var element: StaticString {
        switch self {
        case .none: "<fix>none</fix>"
        case .twoDimensional: "<fix>2d</fix>"
        case .threeDimensional: "<fix>3d</fix>"
        case .differential: "<fix>dgps</fix>"
        case .precise: "<fix>pps</fix>"
        }
    }
}
