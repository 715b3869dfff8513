import Waypost

/// How Tealium's Location module follows a device: every fix while fences are tracked and high accuracy is on, else significant changes.
///
/// ```swift
/// let mode = TealiumMode(isHighAccuracy: true)
/// let server = try HTTPDestination(
///     HTTPDestination.Settings(url: "https://collect.tealiumiq.com/event"),
///     format: TealiumFormat(TealiumFormat.Settings(account: "acme", dataLayer: mode.dataLayer)))
/// for await update in manager.liveUpdates(mode.options) { print(update) }
/// ```
/// The configuration of the tracker has the same as `[tracking] compatibility = "tealium"`.
/// - Source: Tealium's public Location module: its mode rule, and its defaults.
public struct TealiumMode: Sendable, Hashable {
    /// Whether fences are tracked.
    public var tracksFences: Bool
    /// Whether high accuracy is on.
    public var isHighAccuracy: Bool
    /// The level of accuracy.
    public var desiredAccuracy: DesiredAccuracy
    /// The shortest distance between two positions, in metres; 0 = any.
    public var distanceFilterMetres = 0.0

    /// The module's mode; without parameters its defaults.
    public init(tracksFences: Bool = true, isHighAccuracy: Bool = false, desiredAccuracy: DesiredAccuracy = .reduced) {
        (self.tracksFences, self.isHighAccuracy, self.desiredAccuracy) = (tracksFences, isHighAccuracy, desiredAccuracy)
    }

    /// Whether every fix is followed, rather than only significant changes.
    public var isFrequent: Bool { tracksFences && isHighAccuracy }

    /// Which positions a loop or listener gets.
    public var options: PositionSelection.Options {
        PositionSelection.Options(isSignificantOnly: !isFrequent, distanceFilterMetres: distanceFilterMetres, accuracy: desiredAccuracy)
    }

    /// What each event says about the accuracy.
    public var dataLayer: TealiumDataLayer { TealiumDataLayer(isHighAccuracy: isFrequent, desiredAccuracy: desiredAccuracy) }
}
