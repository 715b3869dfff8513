import Waypost
import WaypostControl

/// An element of ``Tracker/updates(_:sky:roads:)``.
///
/// Later versions may add cases, so a `switch` over it should have a `default`.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum TrackerUpdate: Sendable, Hashable {
    /// Connected, for the first time or again: nothing after this is missed. The report includes the current position.
    case connected(StatusReport)
    /// A position.
    case position(WatchedPosition)
    /// Where the last position is on the roads, or that it is on none; only for a loop that asks for that.
    case matched(MatchedLine)
    /// The receiver has no fix.
    case noFix(NoFix)
    /// The satellites in view.
    case sky(SkyView)
    /// The position was lost, once per loss; the next position ends it.
    case lost(PositionLoss)
    /// Something happened: a fence was entered or left.
    case event(TrackerEvent)
    /// What this program may know of the position has changed.
    case authorisation(Authorisation)
    /// This loop was too slow: so many updates were dropped, the oldest.
    case missed(Int)
    /// There is no connection, and why; once for each reason. The loop tries again until it succeeds.
    case disconnected(ControlError)
}
