/// Decides which positions may be used at all: none or only a coarse one inside a privacy zone, and none in private mode.
///
/// A value with one mutating step, asked before a fix reaches a disk, a socket or a listener: what it withholds leaves no trace. `PrivacyHole`
/// explains how it cuts a hole that does not reveal the home. Over time it works like this:
///
/// - A fix counts as inside when it may be inside: twice its accuracy is subtracted from its distance, so that an imprecise fix near a zone is
///   withheld.
/// - The hole's edge for a crossing is drawn while the box is well inside or well outside, and stays until the box is well inside or outside
///   again, so that nothing flickers along the edge.
/// - A crossing outward counts once the fixes were outside for ten seconds (or ten fixes in a row, when they have no time): a fix that
///   jumps out of a garage and back is withheld.
/// - The first fix of a run is inside up to the furthest that the hole ever reaches: a box that starts at the edge waits.
///
/// - Cost: one geodesic per fix and zone that is less than a degree and a half of latitude away.
/// - Concurrency: a value; one owner asks on behalf of all.
public struct PrivacyGate: Sendable {
    /// What happens to a fix inside a zone.
    public enum Inside: String, Sendable, Hashable, CaseIterable {
        /// Nothing is shared.
        case nothing
        /// At most every 15 minutes, one coarse place for the whole zone is shared, on a grid of 0.1 degrees.
        case coarse
    }

    /// The gate's decision about a fix.
    public enum Decision: Sendable, Hashable {
        /// The fix passes unchanged.
        case pass
        /// The fix passes unchanged, but the way to it may have led through a zone: nothing may join it to the one before.
        case passBeyondZone
        /// The fix is replaced by this position.
        case replace(Position)
        /// The fix is withheld, as if it had never come.
        case withhold(Reason)
    }

    /// Why fixes are withheld.
    public enum Reason: Sendable, Hashable {
        /// The device may be inside a zone.
        case zone
        /// Private mode is on.
        case privateMode
    }

    /// How long the fixes must be outside before they pass.
    static let outsideMilliseconds: Int64 = 10_000
    /// How many fixes in a row must be outside, when they have no time.
    static let outsideCount = 10
    /// The shortest time between two coarse positions.
    static let coarseMilliseconds: Int64 = 900_000

    /// Whether private mode is on: everything is withheld, with or without zones.
    public var isPrivate: Bool

    /// Whether fixes are withheld now, and why; nil before the first fix and outside of all zones.
    public var reason: Reason? { isPrivate ? .privateMode : passages.contains(where: \.isInside) ? .zone : nil }

    private let inside: Inside
    private var passages: [Passage]
    private var lastCoarse: UTCTime?

    /// Creates a gate before its first fix.
    ///
    /// - Parameters:
    ///   - zones: where nothing, or only a coarse place, is shared.
    ///   - inside: what happens to a fix inside a zone.
    ///   - key: the box's secret; with another key the holes lie elsewhere.
    ///   - isPrivate: whether private mode is on.
    public init(zones: [PrivacyZone], inside: Inside = .nothing, key: SipHash.Key, isPrivate: Bool = false) {
        self.inside = inside
        self.isPrivate = isPrivate
        passages = zones.map { Passage(PrivacyHole($0, key: key)) }
    }

    /// Creates a gate without zones, for private mode alone.
    public init(isPrivate: Bool = false) {
        inside = .nothing
        self.isPrivate = isPrivate
        passages = []
    }

    /// Decides about the next fix.
    public mutating func process(_ position: Position) -> Decision {
        var hole: PrivacyHole?
        // Every passage must see the fix, even in private mode, because each follows the box.
        for index in passages.indices where passages[index].process(position) { hole = passages[index].hole }
        if isPrivate { return .withhold(.privateMode) }
        guard let hole else { return passages.contains(where: \.isBeyond) ? .passBeyondZone : .pass }
        guard inside == .coarse, let time = position.time, isCoarseDue(at: time) else { return .withhold(.zone) }
        lastCoarse = time
        var coarse = Position(time: time, coordinate: hole.standIn)
        coarse.accuracy = HorizontalAccuracy(radiusMetres: hole.standInAccuracyMetres, origin: .reduced)
        coarse.source = position.source
        return .replace(coarse)
    }

    /// Whether a position from an earlier run must be withheld: private mode is on, or it may be inside a zone.
    ///
    /// Zones may have been added since, so the furthest reach of each hole counts.
    public func withholds(stored position: Position) -> Bool {
        isPrivate || passages.contains { $0.mayHide(position) }
    }

    /// Whether a place that was made of a fix that passed lies where that fix would have been withheld: a road may lead through a zone that
    /// the device is beside.
    public func hides(derived position: Position) -> Bool { isPrivate || passages.contains { $0.hides(position) } }

    private func isCoarseDue(at time: UTCTime) -> Bool {
        guard let lastCoarse else { return true }
        let passed = time.millisecondsSince1970 - lastCoarse.millisecondsSince1970
        return passed < 0 || passed >= PrivacyGate.coarseMilliseconds
    }
}

/// Where the box is relative to one hole.
private struct Passage: Sendable {
    let hole: PrivacyHole
    /// Whether fixes are withheld for this hole.
    private(set) var isInside = false
    /// Whether the way from the fix before may have led through the hole.
    private(set) var isBeyond = false

    private var last: Coordinate?
    /// Where the hole ends until the box is well inside or well outside again.
    private var edgeMetres: Double
    /// Whether that edge was drawn for a crossing inward; nil before the first was drawn.
    private var isEdgeForEntry: Bool?
    private var outsideSince: UTCTime?
    private var outsideCount = 0

    init(_ hole: PrivacyHole) {
        self.hole = hole
        edgeMetres = hole.outerRadiusMetres
    }

    /// How near to the hole's middle a position may be, in metres.
    private func nearestMetres(_ position: Position) -> Double {
        hole.distanceMetres(to: position.coordinate) - 2 * (position.accuracy?.radiusMetres ?? 0)
    }

    /// Whether the hole may reach a position, wherever its edge was drawn.
    func mayHide(_ position: Position) -> Bool { nearestMetres(position) < hole.outerRadiusMetres }

    /// Whether the hole, with the edge that it has now, hides a position.
    func hides(_ position: Position) -> Bool { isInside || nearestMetres(position) < edgeMetres }

    /// Processes the next fix; true when it must be withheld.
    mutating func process(_ position: Position) -> Bool {
        isBeyond = last.map { hole.isCrossed(from: $0, to: position.coordinate) } ?? false
        last = position.coordinate
        let metres = nearestMetres(position)
        let isOutside = metres >= edgeMetres
        if metres < hole.radiusMetres { drawEdge(forEntry: false, at: position.time) }
        if metres > hole.outerRadiusMetres { drawEdge(forEntry: true, at: position.time) }
        if !isOutside {
            isInside = true
            outsideCount = 0
        } else if isInside {
            isInside = isStillHeld(at: position.time)
        }
        return isInside
    }

    private mutating func drawEdge(forEntry: Bool, at time: UTCTime?) {
        guard isEdgeForEntry != forEntry else { return }
        isEdgeForEntry = forEntry
        edgeMetres = hole.edgeMetres(at: time)
    }

    private mutating func isStillHeld(at time: UTCTime?) -> Bool {
        if outsideCount == 0 { outsideSince = time }
        outsideCount += 1
        guard let time, let since = outsideSince, time >= since else { return outsideCount < PrivacyGate.outsideCount }
        return time.millisecondsSince1970 - since.millisecondsSince1970 < PrivacyGate.outsideMilliseconds
    }
}
