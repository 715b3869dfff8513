/// Compares the positions of one object with many fences, and gives the events.
///
/// A value with one step: ``process(_:)``. It knows no clock; durations run on the times of the fixes. A fence takes its first state silently;
/// enter and exit of one fence always alternate.
/// - Cost: an uneventful fix costs the same however many fences there are: a step of the estimate (under `robust`), an addition and a comparison.
public struct GeofenceMonitor: Sendable {
    /// The side of a fence that the object is known to be on.
    enum Side: UInt8, Sendable { case unknown, outside, inside }

    /// How changes of side are decided.
    public let rule: BorderRule
    /// How many fences are watched at most, those with the nearest borders; nil for all.
    ///
    /// The ones that one is inside of count always.
    public let maxActive: Int?
    /// What the ids of events begin with.
    public let eventPrefix: String
    /// The fences.
    public internal(set) var index: FenceIndex

    var sides: [Side]
    var visits: [Int32: GeofenceProgress.Visit] = [:]
    /// The number of the last visit, and the one before the first.
    var lastVisit: UInt64 = 0
    var visitBase: UInt64 = 0
    /// The visits that began with this fix.
    var begun: [BegunVisit] = []
    var neighbourhood = FenceNeighbourhood()
    /// What `exact` holds steps against, wherever there can be one.
    var window = BorderWindow()
    var estimator = PositionEstimator()
    var activity = FenceActivity()
    /// Fences that have been added since the last fix.
    var fresh: Set<Int32> = []
    /// Whether the next fix is the first one after a restart.
    var isRestored = false
    /// Changes whenever the set of fences whose side is known does: the time to store ``GeofenceMonitorState/known`` again.
    public internal(set) var knownRevision: UInt64 = 0
    /// Whether no fence's side is known: there has been no fix yet, or none that counts.
    var seeksAll = true
    /// The place where the index was asked last, for the angles of others near by.
    private var home: FenceProbe?
    /// Fences on whose other side the object has been found, but not surely: when it first was.
    var crossings: [Int32: OpenCrossing] = [:]
    /// Fences whose border has been near without a break: since when, by the fixes' time in seconds.
    var nearSince: [Int32: Double] = [:]
    /// Fences whose side changed while nobody watched.
    var late: Set<Int32> = []
    /// Since when the side of fences has been sought, by the fixes' time in seconds.
    var soughtSince: [Int32: Double] = [:]

    /// The last place that was held against the fences, and what is known of the last fix.
    var lastPlace: Coordinate?
    var lastTime: UTCTime?
    var lastCoordinate: Coordinate?
    var lastSeconds = 0.0
    var lostSince: UTCTime?
    var nextDwell = Int64.max

    /// A monitor of those fences that has seen nothing yet.
    ///
    /// - Parameters:
    ///   - fences: what is watched.
    ///   - rule: when a border counts as crossed.
    ///   - maxActive: how many of the fences are watched at a time, the nearest ones; nil for all.
    ///   - eventPrefix: makes the events' ids different from those of other monitors, and of other runs of this one: an event that was
    ///     told may be in no state, and its number comes again.
    public init(fences: FenceIndex, rule: BorderRule = .robust, maxActive: Int? = nil, eventPrefix: String = "") {
        self.rule = rule
        self.eventPrefix = eventPrefix
        self.maxActive = maxActive
        index = fences
        if maxActive == nil { index.prepare(for: rule) }
        sides = Array(repeating: .unknown, count: fences.slotCount)
    }

    /// The fences that the object is inside of, by what is known.
    public var fencesInside: [Geofence] { index.inOrder(visits.keys).compactMap { index.fence($0) } }

    /// Takes the next fix and gives what happened, in the order of time; mostly nothing.
    ///
    /// Dead reckoning, manual and simulated positions change no fence.
    public mutating func process(_ position: Position) -> [GeofenceEvent] {
        guard position.status.isMeasured else { return [] }
        var step = FixStep(position: position)
        step.followsLoss = lostSince != nil
        if !begun.isEmpty { begun.removeAll(keepingCapacity: true) }
        if let time = position.time {
            step.seconds = Double(time.millisecondsSince1970) / 1_000
            if let since = lostSince { resumeStays(lostFor: time.millisecondsSince1970 - since.millisecondsSince1970) }
        } else {
            // Without a time a fix counts as one second after the last.
            step.seconds = lastSeconds + 1
        }
        lostSince = nil
        if rule == .robust {
            step.velocityBefore = estimator.velocity
            let estimate = estimator.add(position, seconds: step.seconds)
            step.place = estimate.coordinate
            step.sigmaMetres = estimate.sigmaMetres
            step.fixes = estimate.fixes
            step.isContinuous = estimate.isContinuous
            neighbourhood.lookahead = lookahead(step)
            if estimate.refutesStart, lastVisit &- visitBase == UInt64(visits.count) { seekAgain() }
        }
        // Not before: a lie that is found out starts the numbers anew.
        let visitsBefore = lastVisit
        var events: [GeofenceEvent] = []
        let milliseconds = step.time?.millisecondsSince1970 ?? .min
        if milliseconds >= index.nextExpiry, let time = step.time { expire(at: time, into: &events) }
        if !isQuiet(step.place) || seeksAll || !fresh.isEmpty {
            if opensWindow(&step) { lookThroughWindow(step, into: &events) } else { look(&step, into: &events) }
        }
        if milliseconds >= nextDwell, let time = step.time { findStays(at: time, step, into: &events) }
        if lastVisit > visitsBefore + 1 { renumberVisits(after: visitsBefore, &events) }
        if events.count > 1 { events.sort { $0.order != $1.order ? $0.order < $1.order : $0.fenceID < $1.fenceID } }
        lastPlace = step.place
        lastCoordinate = step.coordinate
        lastSeconds = step.seconds
        lastTime = step.time ?? lastTime
        return events
    }

    /// Whether nothing can have happened on a straight way from a place for which that was true, too.
    @inline(__always)
    private func isQuiet(_ place: Coordinate) -> Bool { window.isOpen ? window.isQuiet(place) : neighbourhood.isQuiet(place) }

    /// Forgets every side: the one fix that they were taken from was a lie.
    private mutating func seekAgain() {
        for slot in sides.indices { sides[slot] = .unknown }
        seeksAll = true
        fresh.removeAll()
        visits.removeAll()
        lastVisit = visitBase
        lastPlace = nil
    }

    /// Takes that the position is lost: stays do not grow until the next fix, and the gap is not crossed by a line.
    public mutating func lose(at time: UTCTime?) {
        if lostSince == nil { lostSince = time ?? lastTime }
        estimator.lose()
    }

    /// Tests the place against every fence that it may concern.
    private mutating func look(_ step: inout FixStep, into events: inout [GeofenceEvent]) {
        if let lastPlace {
            let way = LonLatEdge(from: lastPlace, to: step.place)
            step.way = way
            step.metres = neighbourhood.travel(way)
        } else {
            neighbourhood.clear()
        }
        var probe = home.map { FenceProbe(step.place, near: $0) } ?? FenceProbe(step.place)
        if let maxActive, maxActive < index.count, activity.isStale(at: neighbourhood.odometer) || seeksAll || !fresh.isEmpty {
            activity.choose(maxActive, of: index, round: probe, at: neighbourhood.odometer)
            neighbourhood.clear()
        }
        if neighbourhood.mustGather || seeksAll || !fresh.isEmpty {
            probe = FenceProbe(step.place)
            home = probe
            gather(step, probe)
        }
        var round = FenceNeighbourhood.Round()
        while let slot = neighbourhood.next(&round) {
            let clearance = test(slot, probe, step, into: &events)
            neighbourhood.settle(&round, clearance: clearance, isOutside: sides[Int(slot)] == .outside)
        }
        neighbourhood.stop(at: probe, after: round)
        // Only what the first fix after a restart contradicts has happened meanwhile.
        if isRestored { late.formIntersection(crossings.keys) }
        isRestored = false
    }

    /// Tests the place against one fence: how far it may travel before that must be done again, or nil for at every fix.
    private mutating func test(
        _ slot: Int32, _ probe: FenceProbe, _ step: borrowing FixStep, into events: inout [GeofenceEvent]
    ) -> Double? {
        switch rule {
        case .exact: holdExactly(slot, probe, step, into: &events)
        case .robust: holdRobustly(slot, probe, step, into: &events)
        }
    }

    /// Asks the index which fences are near enough to be looked at.
    private mutating func gather(_ step: borrowing FixStep, _ probe: FenceProbe) {
        if sides.count < index.slotCount {
            sides += Array(repeating: .unknown, count: index.slotCount - sides.count)
        }
        let isFirst = step.way == nil
        // A way is tested as a whole, and an estimate is held against fences as far as it may be wrong.
        let reach = max(isFirst ? 0 : step.metres, PositionEstimator.Estimate.widestSigmas * step.sigmaMetres)
        neighbourhood.gather(index, round: probe, reach: reach, looksAtAll: seeksAll || !fresh.isEmpty, visits: visits.keys)
        // What is not near is outside of every fence that was there before it.
        if seeksAll {
            for slot in sides.indices { sides[slot] = .outside }
            fresh = Set(neighbourhood.gathered)
        }
        for slot in fresh {
            if neighbourhood.has(slot) {
                sides[Int(slot)] = .unknown
                if soughtSince[slot] == nil { soughtSince[slot] = step.seconds }
            } else {
                sides[Int(slot)] = .outside
            }
        }
        if seeksAll || !fresh.isEmpty { knownRevision += 1 }
        seeksAll = false
        fresh.removeAll()
    }
}

/// One fix on its way through a monitor.
struct FixStep: ~Copyable {
    let time: UTCTime?
    let coordinate: Coordinate
    let accuracyMetres: Double?
    let speedMetresPerSecond: Double?
    /// The fix's time on the monitor's line, seconds.
    var seconds = 0.0
    /// Where the object is taken to be.
    var place: Coordinate
    var sigmaMetres = 0.0
    var fixes = 1
    /// Whether the position was lost between the last fix and this one.
    var followsLoss = false
    /// Whether the estimate went on from the last fix to this one.
    var isContinuous = true
    /// The velocity at the last fix.
    var velocityBefore: PlanePoint?
    /// The way from the last place, and a length that it does not exceed.
    var way: LonLatEdge?
    var metres = Double.infinity

    @inline(__always)
    init(position: borrowing Position) {
        time = position.time
        coordinate = position.coordinate
        accuracyMetres = position.accuracy?.radiusMetres
        speedMetresPerSecond = position.speedMetresPerSecond
        place = position.coordinate
    }
}

/// A visit that began with the last fix.
struct BegunVisit {
    let slot: Int32
    let number: UInt64
    /// When, milliseconds since 1970.
    let order: Int64
    let isPass: Bool
}

extension GeofenceEvent {
    /// What events of one fix are sorted by, before their fences' ids.
    var order: Int64 { (crossedAt ?? time)?.millisecondsSince1970 ?? 0 }
}
