import Waypost

/// An update from a ``PositioningManager`` to its listeners and consumers.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum PositioningUpdate: Sendable, Equatable {
    /// A new raw position (`didUpdate`).
    case position(Position)
    /// The last raw position on its road, nil off the roads; after each ``position(_:)`` while positions are matched (`didUpdate`).
    indirect case matched(MatchedPosition?)
    /// A significant change, or the stored position for a new listener; only for listeners that asked for these.
    case significantChange(SignificantChange)
    /// The device came to rest, or moves again.
    case stationary(Bool)
    /// The position is lost (`didLose`), once per loss; the next ``position(_:)`` ends it.
    case lost(LossReason)
    /// The receiver sleeps as planned for about this long, or with nil until somebody needs positions; this is not a loss.
    case paused(Duration?)
    /// The receiver is wanted again after a pause.
    case resumed
    /// The receiver reports that it has no fix; a loss follows if that lasts.
    case noFix(NoFix)
    /// The satellites in view.
    case sky(SkyView)
    /// Information about the source, for people.
    case status(SourceStatus)
    /// The source cannot run, and no retry helps; nothing follows until the manager is started again or another source is used.
    case failed(PositionSourceError)
    /// The source has ended by itself.
    case finished
}

/// A report of a significant change.
public struct SignificantChange: Sendable, Equatable {
    /// The position.
    public var position: Position
    /// Whether the position was known before rather than a new fix: the first report to a listener.
    public var isCached: Bool
    /// The age of a cached position; nil when no clock can measure it.
    public var age: Duration?

    /// A report from its parts.
    public init(position: Position, isCached: Bool, age: Duration? = nil) {
        self.position = position
        self.isCached = isCached
        self.age = age
    }
}

/// Receives every update, in order and without loss; a slow consumer slows a recording down.
///
/// For parts that must see everything: the log, the geofences. A slow part that may miss some updates uses
/// ``PositioningManager/updates(_:bufferingNewest:)`` instead.
public protocol PositioningConsumer: Sendable {
    /// Processes the next update; the manager waits until it returns.
    ///
    /// It may call anything on the manager and the source; its requests take effect when all consumers have processed this update.
    func consume(_ update: PositioningUpdate) async
}

/// Puts positions on the roads of a map.
public protocol PositionMatching: Sendable {
    /// The road position of the next fix; nil off the network.
    func match(_ position: Position) async -> MatchedPosition?

    /// The position was lost: the next fix does not connect to the previous one.
    func lose() async

    /// How the device travels; nil when that makes no difference.
    var mode: TravelMode? { get async }

    /// Goes on in another mode from the next fix on.
    func travel(by mode: TravelMode) async
}

extension PositionMatching {
    /// Nothing: the mode makes no difference.
    public var mode: TravelMode? { get async { nil } }

    /// Does nothing: the mode makes no difference.
    public func travel(by mode: TravelMode) async {}
}
