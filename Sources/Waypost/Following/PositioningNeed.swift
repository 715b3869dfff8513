/// How closely a client needs the device to be followed.
///
/// The receiver serves the client that needs most; the others cost nothing extra.
public enum PositioningNeed: Sendable, Hashable {
    /// Every fix: the receiver stays on.
    case everyFix
    /// The next fix this long after the last, in whole milliseconds: the receiver may sleep until then.
    case within(Duration)

    /// The speed assumed while the receiver sleeps, in metres per second: 180 km/h.
    ///
    /// Faster movement is noticed late, at the first fix after the sleep.
    public static let allowedMetresPerSecond = 50.0

    /// A fix whenever the device could have moved this many metres since the last.
    public static func movement(metres: Double) -> PositioningNeed {
        // A day is as good as for ever: no receiver sleeps that long.
        .within(metres > 0 ? .milliseconds(Int64(min(metres / allowedMetresPerSecond, 86_400) * 1_000)) : .zero)
    }
}
