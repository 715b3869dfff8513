/// A position moved to the road that the device is most likely on.
public struct MatchedPosition: Sendable, Equatable {
    /// The least likelihood at which a match is better than the fix: more likely than not.
    public static let leastConfidence = 0.5

    /// The fix, moved to the road.
    public var position: Position
    /// How likely this road is the right one, 0 to 1.
    public var confidence: Double
    /// The road's number in the map (the OpenStreetMap way).
    public var wayID: Int64
    /// How far the fix was from the road, in metres.
    public var offsetMetres: Double
    /// The road's name and class, and what else is known of it; nil when the matcher does not know it.
    public var road: Road?

    /// Creates a match from its parts.
    public init(position: Position, confidence: Double, wayID: Int64, offsetMetres: Double, road: Road? = nil) {
        self.position = position
        self.confidence = confidence
        self.wayID = wayID
        self.offsetMetres = offsetMetres
        self.road = road
    }

    /// Whether the match is better than the fix from which it was made.
    public var isConfident: Bool { confidence >= MatchedPosition.leastConfidence }
}
