import Waypost

/// `fences_list`: the fences in their order, a page at a time.
public struct ListFencesRequest: ControlVerb {
    /// `fences_list`.
    public static let name = "fences_list"
    /// Whoever may know the position.
    public static let permission = ControlPermission.full
    /// Its description in the guide of the control socket.
    public static let documentation = "Lists the fences in order, as many as fit into an answer."

    /// Where the page begins: the number of fences before it.
    public var start: UInt64 = 0
    /// Whether the fences come with their shapes, as GeoJSON.
    public var hasShapes = false

    /// The first page, without shapes.
    public init() {}

    /// A request.
    ///
    /// - Parameters:
    ///   - start: where the page begins; `next` of the last answer.
    ///   - hasShapes: whether the fences come with their shapes, as GeoJSON.
    public init(start: UInt64, hasShapes: Bool) {
        self.start = start
        self.hasShapes = hasShapes
    }

    /// Passes its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.member("from", &start, "Where the page begins: 0, then `next` of the last answer.")
        try codec.member(
            "shapes", &hasShapes, absent: false, isOmitted: false, "Whether the fences come with their shapes, as GeoJSON in `collection`.")
    }

    /// A page of the fences.
    public typealias Answer = FenceList
}

/// `fences_active`: the fences nearest to the device.
public struct ActiveFencesRequest: ControlVerb {
    /// `fences_active`.
    public static let name = "fences_active"
    /// Whoever may know the position.
    public static let permission = ControlPermission.full
    /// Its description in the guide of the control socket.
    public static let documentation = """
        Lists the twenty fences with the nearest borders; none before the first fix, in private mode or inside a privacy zone.
        """

    /// A request.
    public init() {}

    /// Passes its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {}

    /// The nearest fences.
    public typealias Answer = FenceList
}
