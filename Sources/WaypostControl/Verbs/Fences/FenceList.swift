import Waypost

/// Fences of the running tracker.
public struct FenceList: ControlAnswer {
    /// `FENCES`.
    public static let className = "FENCES"
    /// What the guide of the control socket says of it.
    public static let documentation = "Fences of the running tracker: a page of them, or the nearest."

    /// How many fences there are.
    public var totalCount = 0
    /// Where the next page begins; nil when this is the last one.
    public var next: UInt64?
    /// The fences with their shapes, as a GeoJSON FeatureCollection; nil when they were asked for without.
    public var collection: JSONText?
    /// The fences without their shapes; nil when they were asked for with these.
    public var fences: [FenceEntry]?

    /// An answer without fences.
    public init() {}

    /// Hands its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.member("total", &totalCount, "How many fences there are.")
        try codec.member("next", &next, "Where the next page begins; absent with the last one.")
        try codec.member("collection", &collection, "The fences with their shapes, as a GeoJSON FeatureCollection.")
        try codec.member("fences", &fences, "The fences without their shapes.")
    }
}

/// A fence of the running tracker, without its shape.
public struct FenceEntry: ControlObject {
    /// What kind of shape a fence has.
    public struct Shape: ControlWord {
        /// The word on the wire.
        public let text: String

        /// The word of that text.
        public init(_ text: String) {
            self.text = text
        }

        /// A centre and a radius.
        public static let circle = Shape("circle")
        /// One or more polygons, with holes or without.
        public static let polygon = Shape("polygon")
        /// A line and a width.
        public static let corridor = Shape("corridor")

        /// Those that this version has.
        public static let known: [Shape] = [.circle, .polygon, .corridor]
    }

    /// What identifies it.
    public var id = ""
    /// Its name.
    public var name = ""
    /// What kind of shape it has.
    public var shape = Shape.circle
    /// The radius of a circle.
    public var radiusMetres: Double?
    /// The whole width of a corridor.
    public var widthMetres: Double?
    /// The latitude of its middle, degrees.
    public var latitudeDegrees = 0.0
    /// The longitude of its middle, degrees.
    public var longitudeDegrees = 0.0
    /// After how long inside a dwell is reported; nil for never.
    public var dwellSeconds: Double?
    /// When it stops counting; nil for never.
    public var expires: UTCTime?
    /// Whether that is over.
    public var isExpired = false
    /// Whether it was added over the control socket, and is not in the fence file.
    public var isAdded = false
    /// Whether the device is inside; nil when that is not known or not to be known.
    public var isInside: Bool?
    /// From the device to the border, negative inside; nil when that is not known or not to be known.
    public var distanceMetres: Double?

    /// A fence of which nothing is known yet.
    public init() {}

    /// Hands its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.member("id", &id, "What identifies it.")
        try codec.member("name", &name, "Its name.")
        try codec.member("shape", &shape, "What kind of shape it has.")
        try codec.member("radius", &radiusMetres, "The radius of a circle, metres.")
        try codec.member("width", &widthMetres, "The whole width of a corridor, metres.")
        try codec.member("lat", &latitudeDegrees, "The latitude of its middle, degrees.")
        try codec.member("lon", &longitudeDegrees, "The longitude of its middle, degrees.")
        try codec.member("dwell_seconds", &dwellSeconds, "After how long inside a dwell is reported.")
        try codec.member("expires", &expires, "When it stops counting.")
        try codec.member("expired", &isExpired, absent: false, "Whether that is over.")
        try codec.member("added", &isAdded, absent: false, "Whether it was added over the control socket, and is not in the fence file.")
        try codec.member("inside", &isInside, "Whether the device is inside.")
        try codec.member("distance", &distanceMetres, "From the device to the border in metres, negative inside.")
    }
}
