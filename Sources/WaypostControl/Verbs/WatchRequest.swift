import Waypost

/// `watch`: positions and events as they come, until the connection ends.
///
/// It has no answer of its own, only the lines of ``WatchLine``. A second watch on a connection replaces the first one's options.
public struct WatchRequest: ControlRequest {
    /// `watch`.
    public static let name = "watch"
    /// Whoever may know roughly where the device is.
    public static let permission = ControlPermission.reduced
    /// Its description in the guide of the control socket.
    public static let documentation = """
        Sends positions and events as they come, until the connection ends. These lines are the only answer. A second `watch` replaces the first \
        one's options; further requests are answered between the lines.
        """

    /// Sky views, too.
    public var sky = false
    /// Places on roads, too; positions are matched to roads for this watch, if the tracker has a road file.
    public var roads = false
    /// Positions, reports without a fix and losses; false for events only.
    public var positions = true
    /// The selection of positions.
    public var selection = PositionSelection.Options()

    /// A plain watch: every position, every loss and every event.
    public init() {}

    /// A watch.
    ///
    /// - Parameters:
    ///   - sky: whether sky views come, too.
    ///   - roads: whether places on roads come, too.
    ///   - positions: whether positions, reports without a fix and losses come; false for events only.
    ///   - selection: the selection of positions.
    public init(
        sky: Bool = false, roads: Bool = false, positions: Bool = true, selection: PositionSelection.Options = .init()
    ) {
        self.sky = sky
        self.roads = roads
        self.positions = positions
        self.selection = selection
    }

    /// Passes its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.member("sky", &sky, absent: false, isOmitted: false, "Whether sky views come, too.")
        try codec.member(
            "roads", &roads, absent: false,
            "Whether places on roads come, too (MATCHED), while every position does; positions are then matched, if the tracker has a road file."
        )
        try codec.member("positions", &positions, absent: true, "Whether positions and losses come; false for events only.")
        try codec.member(
            "significant", &selection.isSignificantOnly, absent: false,
            "Only significant changes: 500 m and 5 min from the last one. The first is the last known position, at once.")
        try codec.member(
            "distance", &selection.distanceFilterMetres, absent: 0,
            rule: ControlRule("metres, from 0 to 1000000") { (0...1_000_000).contains($0) },
            "Only positions at least this far from the last one that was sent.")
        try codec.member("accuracy", &selection.accuracy, absent: .best, "The desired accuracy; a coarser one needs fewer fixes.")
    }

    /// Whether places on roads are wanted: those of every position, not of some.
    package var wantsMatches: Bool { positions && roads && selection.takesEverything }

    /// Whether a line of the given topic that goes to every watch is wanted.
    func wants(_ topic: ControlTopic) -> Bool {
        switch topic {
        case .position: positions && selection.takesEverything
        case .noFix: positions && !selection.isSignificantOnly
        case .sky: positions && sky
        case .matched: wantsMatches
        case .loss: positions
        case .event: true
        }
    }
}
