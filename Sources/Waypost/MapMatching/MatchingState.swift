/// A hypothesis: the device is on that road, at that place.
struct MatchingState: Sendable {
    /// The road and the direction on it; nil off the roads.
    var arc: RoadArc?
    /// How much of the arc lies behind and before the place, in metres.
    var alongMetres: Double
    var restMetres: Double
    var latitudeDegrees: Double
    var longitudeDegrees: Double
    /// The slow error of the fixes, if that is the road, in metres.
    var biasEast: Double
    var biasNorth: Double
    /// The way's number in the map, and how far the fix is from the road.
    var wayNumber: Int64
    var offsetMetres: Double
    /// The cost beyond that of the step's best state.
    var cost: Double
    /// The state of the step before from which it came; -1 at the start of a chain.
    var previous: Int32
    /// How much of the likelihood went on from here, once that is known.
    var share = 0.0
}

/// A fix and what may be true of it.
struct MatchingStep: Sendable {
    var position: Position
    /// Seconds, of which only differences count.
    var seconds: Double
    var states: [MatchingState]
    var hasShares = false
}
