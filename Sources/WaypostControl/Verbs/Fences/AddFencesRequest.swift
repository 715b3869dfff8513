import Waypost

/// `fences_add`: adds fences, or changes those with the same ids.
public struct AddFencesRequest: ControlVerb {
    /// `fences_add`.
    public static let name = "fences_add"
    /// Its description in the guide of the control socket.
    public static let documentation = """
        Adds fences, or changes those with the same ids; they are kept across restarts. A change that is longer than a request is sent in parts on one \
        connection: the part without `more` applies all of it; if the connection ends before, nothing changes.
        """

    /// Whether more parts of the same change are to come on this connection.
    public var hasMore = false
    /// A GeoJSON FeatureCollection.
    public var collection: [String: JSONValue] = [:]

    /// A request without fences.
    public init() {}

    /// A request.
    ///
    /// - Parameters:
    ///   - collection: a GeoJSON FeatureCollection.
    ///   - hasMore: whether more parts of the same change are to come on this connection.
    public init(collection: [String: JSONValue], hasMore: Bool = false) {
        self.collection = collection
        self.hasMore = hasMore
    }

    /// Passes its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.member("more", &hasMore, absent: false, "Whether more parts of the same change follow on this connection.")
        try codec.member("fences", &collection, "A GeoJSON FeatureCollection with the properties of waypost's fence files.")
    }

    /// What has changed.
    public typealias Answer = FencesChanged
}

/// `fences_remove`: removes a fence that was added over the control socket.
public struct RemoveFenceRequest: ControlVerb {
    /// `fences_remove`.
    public static let name = "fences_remove"
    /// Its description in the guide of the control socket.
    public static let documentation = """
        Removes a fence that was added over the control socket. If the device is inside, an exit with the reason `removed` follows.
        """

    /// The fence's id.
    public var id = ""

    /// A request without an id.
    public init() {}

    /// A request.
    ///
    /// - Parameter id: the fence's id.
    public init(id: String) {
        self.id = id
    }

    /// Passes its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.member("id", &id, "The fence's id.")
    }

    /// What has changed.
    public typealias Answer = FencesChanged
}

/// How many fences were added, changed or removed.
public struct FencesChanged: ControlAnswer {
    /// `FENCES_CHANGED`.
    public static let className = "FENCES_CHANGED"
    /// Its description in the guide of the control socket.
    public static let documentation = "How many fences were added, changed or removed."

    /// How many.
    public var count = 0
    /// How many of them have replaced others with the same ids; nil after a removal.
    public var replacedCount: Int?
    /// Those that were replaced, as they were; at most 20 of them.
    public var previous: [FenceEntry] = []
    /// How many wait for the rest of the change; nil when the change is made.
    public var waitingCount: Int?
    /// Whether the configuration's fence file has a fence with the id of one that was removed; that one is watched from now on.
    public var isInFile = false

    /// An answer with no changes.
    public init() {}

    /// An answer.
    ///
    /// - Parameters:
    ///   - count: how many fences were added, changed or removed.
    ///   - replaced: how many of them have replaced others with the same ids.
    ///   - previous: those that were replaced, as they were; at most 20 of them.
    ///   - waiting: how many wait for the rest of the change.
    public init(count: Int, replaced: Int? = nil, previous: [FenceEntry] = [], waiting: Int? = nil) {
        self.count = count
        replacedCount = replaced
        self.previous = previous
        waitingCount = waiting
    }

    /// Passes its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.member("changed", &count, "How many.")
        try codec.member("replaced", &replacedCount, "How many of them have replaced others with the same ids.")
        try codec.member("previous", &previous, absent: [], "Those that were replaced, as they were; at most 20 of them.")
        try codec.member("waiting", &waitingCount, "How many wait for the rest of the change.")
        try codec.member(
            "in_file", &isInFile, absent: false,
            "Whether the fence file has a fence with the id of one that was removed; that one is watched from now on.")
    }
}
