import Waypost

/// What a ``PositioningManager`` tells its listeners and consumers.
public enum PositioningUpdate: Sendable, Equatable {
    /// A new raw position (`didUpdate`).
    case position(Position)
    /// The position is lost (`didLose`), once per loss; the next ``position(_:)`` ends it.
    case lost(LossReason)
    /// The receiver reports that it has no fix; a loss follows if that lasts.
    case noFix(NoFix)
    /// The satellites in view.
    case sky(SkyView)
    /// Something about the source, for people.
    case status(SourceStatus)
    /// The source has ended by itself.
    case finished
}

/// Takes every update, in order and without loss; a slow consumer slows a recording down.
///
/// For what must see everything: the log, the geofences. Somebody who may miss some when he is slow takes
/// ``PositioningManager/updates(bufferingNewest:)`` instead.
public protocol PositioningConsumer: Sendable {
    /// Takes the next update; the manager waits until it returns.
    func consume(_ update: PositioningUpdate) async
}
