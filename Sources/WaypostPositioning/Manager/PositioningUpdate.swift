import Waypost

/// An update from a ``PositioningManager`` to its listeners and consumers.
public enum PositioningUpdate: Sendable, Equatable {
    /// A new raw position (`didUpdate`).
    case position(Position)
    /// The last raw position on the map's road; only while something matches (`didUpdate`).
    case matched(MatchedPosition)
    /// A significant change, or for a new listener the position that was stored; only for listeners that asked for these.
    case significantChange(SignificantChange)
    /// The device came to rest, or moves again.
    case stationary(Bool)
    /// The position is lost (`didLose`), once per loss; the next ``position(_:)`` ends it.
    case lost(LossReason)
    /// The receiver sleeps as planned for about so long, or with nil until somebody needs positions; that is no loss.
    case paused(Duration?)
    /// The receiver is wanted again after a pause.
    case resumed
    /// The receiver reports that it has no fix; a loss follows if that lasts.
    case noFix(NoFix)
    /// The satellites in view.
    case sky(SkyView)
    /// Something about the source, for people.
    case status(SourceStatus)
    /// The source cannot run, and no retry helps; nothing follows until the manager is started again or another source is used.
    case failed(PositionSourceError)
    /// The source has ended by itself.
    case finished
}

/// A report of a significant change.
public struct SignificantChange: Sendable, Equatable {
    /// Where.
    public var position: Position
    /// Whether it is what was known before rather than a new fix: the first report of a listener.
    public var isCached: Bool
    /// How old a cached position is; nil when no clock can tell.
    public var age: Duration?

    /// A report from its parts.
    public init(position: Position, isCached: Bool, age: Duration? = nil) {
        self.position = position
        self.isCached = isCached
        self.age = age
    }
}

/// Takes every update, in order and without loss; a slow consumer slows a recording down.
///
/// For what must see everything: the log, the geofences. Somebody who may miss some when he is slow takes
/// ``PositioningManager/updates(_:bufferingNewest:)`` instead.
public protocol PositioningConsumer: Sendable {
    /// Takes the next update; the manager waits until it returns.
    ///
    /// It may call anything of the manager and of the source; what it asks for there takes effect when everybody has taken this update.
    func consume(_ update: PositioningUpdate) async
}

/// Puts positions on the roads of a map.
public protocol PositionMatching: Sendable {
    /// The road position of the next fix; nil off the network.
    func match(_ position: Position) async -> MatchedPosition?

    /// The position was lost: what comes next does not connect.
    func lose() async
}
