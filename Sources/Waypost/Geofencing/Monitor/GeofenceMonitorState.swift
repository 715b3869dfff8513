/// What a monitor must remember across a restart: plain values, for two files.
///
/// `progress` changes with every fix and is small; `known` changes only with the set of fences, and takes 8 bytes per fence. Write `progress`
/// first: the object counts as outside a known fence that has no stay.
///
/// A monitor made from the state after an event and one made from the state before it agree on the number of that event's visit.
public struct GeofenceMonitorState: Sendable, Hashable {
    /// Keys (``Geofence/key``) of the fences whose side is known.
    ///
    /// The object is outside of those without a stay.
    public var known: [UInt64]
    /// Everything else.
    public var progress: GeofenceProgress

    /// Creates a state in which nothing is known.
    public init() { self.init(known: [], progress: GeofenceProgress()) }

    /// Creates a state from its two parts, which are stored separately.
    public init(known: [UInt64], progress: GeofenceProgress) {
        self.known = known
        self.progress = progress
    }
}

/// Where an object is among the fences, and what is known of its path: all that changes while the fences stay the same.
public struct GeofenceProgress: Sendable, Hashable {
    /// A fence that the object is inside of.
    public struct Stay: Sendable, Hashable {
        /// The fence's id.
        public var id: String
        /// The fence's name, for the event of its removal.
        public var name: String
        /// The fence's key; a different one means that its shape has changed.
        public var key: UInt64
        /// The visit.
        public var visit: Visit

        /// Creates a stay.
        public init(id: String, name: String, key: UInt64, visit: Visit) {
            self.id = id
            self.name = name
            self.key = key
            self.visit = visit
        }
    }

    /// One visit to a fence.
    public struct Visit: Sendable, Hashable {
        /// The visit's number.
        public var number: UInt64
        /// The start of the dwell time; moved on by the time for which the position was lost.
        public var countsFrom: UTCTime?
        /// Whether its `dwell` was raised.
        public var hasDwelt: Bool

        /// Creates a visit.
        public init(number: UInt64, countsFrom: UTCTime?, hasDwelt: Bool = false) {
            self.number = number
            self.countsFrom = countsFrom
            self.hasDwelt = hasDwelt
        }
    }

    /// A decision that takes more than one fix.
    struct OpenDecision: Sendable, Hashable {
        var key: UInt64
        /// When the object was first found on the other side, if it was.
        var crossing: GeofenceMonitor.OpenCrossing?
        /// Since when the border has been near, and since when the first side has been sought, on the fixes' time line.
        var nearSince: Double?
        var soughtSince: Double?
    }

    /// Where the timeline of live fixes was at the last one.
    struct Anchor: Sendable, Hashable {
        /// The last fix in the times of this state, in milliseconds.
        var line: Int64
        /// The same on the timeline of live fixes.
        var moment: Int64
        /// The start of the machine that this timeline is of.
        var boot: UInt64 = 0
    }

    /// The fences that the object is inside of.
    public var stays: [Stay] = []
    /// The number of the last visit or pass.
    public internal(set) var lastVisit: UInt64 = 0
    /// The number before the first one.
    var visitBase: UInt64 = 0
    /// The time of the last fix.
    public var lastTime: UTCTime?
    /// Since when the position is lost.
    public var lostSince: UTCTime?
    var open: [OpenDecision] = []
    /// The last place that was tested against the fences, and the last fix.
    var lastPlace: Coordinate?
    var lastCoordinate: Coordinate?
    var lastSeconds = 0.0
    var estimator = PositionEstimator()
    var anchor: Anchor?

    /// Creates progress in which nothing is known.
    public init() {}

    /// Notes the start of the machine of which the timeline of live fixes is.
    package mutating func noteBoot(_ boot: UInt64) { anchor?.boot = boot }

    /// Forgets how its times relate to the machine's clock if the machine has been started again since.
    package mutating func forgetOtherBoots(than boot: UInt64) {
        if anchor?.boot != boot { anchor = nil }
    }

    /// Forgets where the object was if it was last seen in that stretch of time; its side of each fence stays known.
    public mutating func forgetPlace(in stretch: Range<UTCTime>) {
        guard let lastTime, stretch.contains(lastTime) else { return }
        (lastPlace, lastCoordinate, estimator) = (nil, nil, PositionEstimator())
    }

    /// Takes over the last fixes that were processed after it, as far as they are known from elsewhere; false when they say nothing.
    ///
    /// - Parameters:
    ///   - fixes: those fixes, without a loss among or after them.
    ///   - rule: the rule by which they are tested.
    package mutating func follow(_ fixes: [Position], by rule: BorderRule) -> Bool {
        guard lostSince == nil, lastPlace != nil, let lastTime, let last = fixes.last, let time = last.time, time >= lastTime,
            last.status.isMeasured
        else { return false }
        estimator = PositionEstimator()
        var place = last.coordinate
        for fix in fixes {
            guard fix.status.isMeasured, let time = fix.time else { continue }
            let estimate = estimator.add(fix, seconds: Double(time.millisecondsSince1970) / 1_000)
            place = rule == .robust ? estimate.coordinate : fix.coordinate
        }
        (self.lastTime, lastPlace, lastCoordinate) = (time, place, last.coordinate)
        lastSeconds = Double(time.millisecondsSince1970) / 1_000
        return true
    }

    /// Numbers the visits that begin from now on after a base; current visits keep their numbers.
    ///
    /// - Parameter base: at most 2^53, so that every JSON reader can represent the numbers.
    public mutating func numberVisits(after base: UInt64) {
        (lastVisit, visitBase) = (base &+ lastVisit &- visitBase, base)
    }
}

extension Geofence {
    /// A number that is the same for the same id and shape in every process, and a different one when either changes.
    public var key: UInt64 {
        var hash = StableHash()
        for byte in id.utf8 { hash.add(UInt64(byte)) }
        hash.add(shape)
        return hash.value
    }
}

/// A hash that is the same in every process: each word is multiplied in and its upper half folded down.
private struct StableHash {
    /// The start of FNV-1a; the multiplier is 2^64 over the golden ratio.
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325
    private static let multiplier: UInt64 = 0x9E37_79B9_7F4A_7C15

    @inline(__always)
    mutating func add(_ word: UInt64) {
        value = (value ^ word) &* Self.multiplier
        value ^= value >> 32
    }

    mutating func add(_ shape: FenceShape) {
        switch shape {
        case .circle(let circle):
            add(1)
            add(circle.centre.latitudeDegrees.bitPattern)
            add(circle.centre.longitudeDegrees.bitPattern)
            add(circle.radiusMetres.bitPattern)
        case .polygons(let rings):
            add(2)
            add(rings.table)
        case .corridor(let line, let halfWidth):
            add(3)
            add(line.table)
            add(halfWidth.bitPattern)
        }
    }

    private mutating func add(_ table: EdgeTable) {
        for ring in table.rings {
            add(UInt64(ring.end - ring.start) << 1 | (ring.isOuter ? 1 : 0))
            for index in Int(ring.start)..<Int(ring.end) {
                let (longitude, latitude) = table.corner(index)
                add(longitude.bitPattern)
                add(latitude.bitPattern)
            }
        }
    }
}
