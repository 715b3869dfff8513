import Waypost

/// Fences of the running tracker.
public struct FenceList: ControlAnswer {
    /// `FENCES`.
    public static let className = "FENCES"
    /// Its description in the guide of the control socket.
    public static let documentation = "Fences of the running tracker: a page of them, or the nearest."

    /// How many fences there are.
    public var totalCount = 0
    /// Where the next page begins; nil when this is the last one.
    public var next: UInt64?
    /// The fences with their shapes, as a GeoJSON FeatureCollection; nil when they were requested without shapes.
    public var collection: JSONText?
    /// The fences without their shapes; nil when they were requested with shapes.
    public var fences: [FenceEntry]?

    /// An answer without fences.
    public init() {}

    /// Passes its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.member("total", &totalCount, "How many fences there are.")
        try codec.member("next", &next, "Where the next page begins; absent with the last one.")
        try codec.member("collection", &collection, "The fences with their shapes, as a GeoJSON FeatureCollection.")
        try codec.member("fences", &fences, "The fences without their shapes.")
    }
}

/// A fence of the running tracker, without its shape.
public struct FenceEntry: ControlObject {
    /// The kind of a fence's shape.
    public struct Shape: ControlWord {
        /// The word on the wire.
        public let text: String

        /// A word from its text.
        public init(_ text: String) {
            self.text = text
        }

        /// A centre and a radius.
        public static let circle = Shape("circle")
        /// One or more polygons, with holes or without.
        public static let polygon = Shape("polygon")
        /// A line and a width.
        public static let corridor = Shape("corridor")

        /// The words of this version.
        public static let known: [Shape] = [.circle, .polygon, .corridor]
    }

    /// Its identifier.
    public var id = ""
    /// Its name.
    public var name = ""
    /// The kind of its shape.
    public var shape = Shape.circle
    /// The radius of a circle.
    public var radiusMetres: Double?
    /// The whole width of a corridor.
    public var widthMetres: Double?
    /// The latitude of its middle, degrees.
    public var latitudeDegrees = 0.0
    /// The longitude of its middle, degrees.
    public var longitudeDegrees = 0.0
    /// The time inside after which a dwell is reported; nil for never.
    public var dwellSeconds: Double?
    /// The moment at which it expires; nil for never.
    public var expires: UTCTime?
    /// Whether it has expired.
    public var isExpired = false
    /// Whether it was added over the control socket, rather than in the fence file.
    public var isAdded = false
    /// Whether the device is inside; nil when that is unknown or must not be shown.
    public var isInside: Bool?
    /// The distance from the device to the border, negative inside; nil when that is unknown or must not be shown.
    public var distanceMetres: Double?

    /// A fence with no values set.
    public init() {}

    /// Passes its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.member("id", &id, "Its identifier.")
        try codec.member("name", &name, "Its name.")
        try codec.member("shape", &shape, "The kind of its shape.")
        try codec.member("radius", &radiusMetres, "The radius of a circle, metres.")
        try codec.member("width", &widthMetres, "The whole width of a corridor, metres.")
        try codec.member("lat", &latitudeDegrees, "The latitude of its middle, degrees.")
        try codec.member("lon", &longitudeDegrees, "The longitude of its middle, degrees.")
        try codec.member("dwell_seconds", &dwellSeconds, "The time inside after which a dwell is reported.")
        try codec.member("expires", &expires, "When it expires.")
        try codec.member("expired", &isExpired, absent: false, "Whether it has expired.")
        try codec.member("added", &isAdded, absent: false, "Whether it was added over the control socket, rather than in the fence file.")
        try codec.member("inside", &isInside, "Whether the device is inside.")
        try codec.member("distance", &distanceMetres, "The distance from the device to the border in metres, negative inside.")
    }
}
