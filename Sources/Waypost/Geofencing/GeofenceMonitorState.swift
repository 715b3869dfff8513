/// What a monitor must remember over a restart: a plain value, for a file.
///
/// A monitor that is made from the state after an event, and one made from the state before it, agree on that event's id.
public struct GeofenceMonitorState: Sendable, Hashable {
    /// One fence that the object's side of is known.
    public struct Fence: Sendable, Hashable {
        /// The fence's id.
        public var id: String
        /// The fence's name, for the event of its removal.
        public var name: String
        /// What the shape was; another number means that the fence has been changed.
        public var shapeDigest: UInt64
        /// The stay, when inside.
        public var visit: Visit?

        /// A fence that one was outside of, or inside since a visit.
        public init(id: String, name: String, shapeDigest: UInt64, visit: Visit? = nil) {
            self.id = id
            self.name = name
            self.shapeDigest = shapeDigest
            self.visit = visit
        }
    }

    /// One stay in a fence.
    public struct Visit: Sendable, Hashable {
        /// Its number.
        public var number: UInt64
        /// From when on the dwell time counts; moved on by the time for which the position was lost.
        public var countsFrom: UTCTime?
        /// Whether its `dwell` has come.
        public var hasDwelt: Bool

        /// A stay.
        public init(number: UInt64, countsFrom: UTCTime?, hasDwelt: Bool = false) {
            self.number = number
            self.countsFrom = countsFrom
            self.hasDwelt = hasDwelt
        }
    }

    /// The fences whose side is known.
    public var fences: [Fence]
    /// How many stays and passes there have been.
    public var visits: UInt64
    /// The time of the last fix.
    public var lastTime: UTCTime?
    /// Since when the position is lost.
    public var lostSince: UTCTime?

    /// Nothing known.
    public init() {
        fences = []
        visits = 0
    }
}

extension FenceShape {
    /// A number that is the same for the same shape in every process: FNV-1a over its figures.
    var digest: UInt64 {
        var digest: UInt64 = 0xCBF2_9CE4_8422_2325
        func add(_ bits: UInt64) {
            for shift in stride(from: UInt64(0), to: 64, by: 8) { digest = (digest ^ (bits >> shift & 0xFF)) &* 0x100_0000_01B3 }
        }
        func add(_ rings: FenceRings) {
            for ring in rings.rings { add(UInt64(ring.end) << 1 | (ring.isOuter ? 1 : 0)) }
            for number in rings.fixed { add(UInt64(bitPattern: Int64(number))) }
            for number in rings.floating { add(number.bitPattern) }
        }
        switch self {
        case .circle(let circle):
            add(1)
            add(circle.centre.latitudeDegrees.bitPattern)
            add(circle.centre.longitudeDegrees.bitPattern)
            add(circle.radiusMetres.bitPattern)
        case .polygons(let rings):
            add(2)
            add(rings)
        case .corridor(let line, let halfWidth):
            add(3)
            add(line)
            add(halfWidth.bitPattern)
        }
        return digest
    }
}
