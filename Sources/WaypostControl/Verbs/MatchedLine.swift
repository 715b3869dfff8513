import Waypost

/// Where the last position is on the roads, or that it is on none.
///
/// A watch that asks for ``WatchRequest/roads`` gets it after each position while positions are matched.
public struct MatchedLine: ControlAnswer {
    /// `MATCHED`.
    public static let className = "MATCHED"
    /// Its description in the guide of the control socket.
    public static let documentation = """
        Where the last position is on the roads, after each position; only for watches with `roads`, while positions are matched. Off the \
        roads it has no members.
        """

    /// The place on the road, with what else the fix had; nil off the roads.
    public var position: Position?
    /// How likely it is the right road, 0 to 1.
    public var confidence: Double?
    /// How far the fix was from the road, in metres.
    public var offsetMetres: Double?
    /// The road.
    public var road: RoadElement?

    /// Off the roads.
    public init() {}

    /// The line for a match; nil off the roads.
    public init(_ match: MatchedPosition?) {
        guard let match else { return }
        position = match.position
        confidence = (match.confidence * 1_000).rounded() / 1_000
        offsetMetres = (match.offsetMetres * 10).rounded() / 10
        road = RoadElement(match)
    }

    /// Whether the place on the road is better than the fix: it is the current position then.
    public var isConfident: Bool { confidence.map { $0 >= MatchedPosition.leastConfidence } ?? false }

    /// Passes its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        var place = position.map(PlainPosition.init)
        try codec.member("position", &place, isLenient: true, "The place on the road: a TPV without its class; absent off the roads.")
        position = place?.position
        try codec.member(
            "confidence", &confidence, "How likely it is the right road, 0 to 1; from 0.5 on the current position is the one on the road.")
        try codec.member("offset_m", &offsetMetres, "How far the fix was from the road, in metres.")
        try codec.member("road", &road, "The road.")
    }
}

/// A road of the map.
public struct RoadElement: ControlObject {
    /// The number of the OpenStreetMap way.
    public var wayID = 0
    /// Its name, or its number on signs.
    public var name: String?
    /// What kind of road it is, as OpenStreetMap has it: `primary`, `living street`.
    public var roadClass: String?
    /// Whether cars go in one direction only.
    public var isOneWay: Bool?
    /// The speed that is allowed, or else usual, in km/h.
    public var kilometresPerHour: Int?

    /// A road with no values set.
    public init() {}

    /// The road of a match.
    init(_ match: MatchedPosition) {
        wayID = Int(match.wayID)
        guard let road = match.road else { return }
        name = road.name
        roadClass = road.roadClass.text
        isOneWay = road.kind.contains(.oneWay)
        kilometresPerHour = Int(road.kilometresPerHour)
    }

    /// Passes its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.member("way_id", &wayID, "The number of the OpenStreetMap way.")
        try codec.member("name", &name, "Its name, or its number on signs.")
        try codec.member("class", &roadClass, "What kind of road it is, as OpenStreetMap has it: `primary`, `living street`.")
        try codec.member("oneway", &isOneWay, "Whether cars go in one direction only.")
        try codec.member("speed_kmh", &kilometresPerHour, "The speed that is allowed, or else usual, in km/h.")
    }
}
