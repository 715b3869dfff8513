import Waypost

/// A matcher behind the privacy gate of a source: a fix beside a zone is not put on a road inside it.
///
/// The positions that it gets have passed the gate already; what it makes of them passes it here.
public final class PrivateMatcher: PositionMatching {
    private let base: any PositionMatching
    private let source: PrivateSource

    /// A matcher behind the gate of a source.
    ///
    /// - Parameters:
    ///   - base: what knows the roads.
    ///   - source: the source of the positions.
    public init(_ base: any PositionMatching, behind source: PrivateSource) {
        (self.base, self.source) = (base, source)
    }

    /// The place of the next fix on its road; nil off the roads, and where that place must not be seen.
    public func match(_ position: Position) async -> MatchedPosition? {
        guard let match = await base.match(position) else { return nil }
        return await source.hides(match) ? nil : match
    }

    /// The position was lost, or withheld.
    public func lose() async { await base.lose() }

    /// The mode of the matcher.
    public var mode: TravelMode? { get async { await base.mode } }

    /// Changes the mode of the matcher.
    public func travel(by mode: TravelMode) async { await base.travel(by: mode) }
}
