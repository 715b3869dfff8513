/// Compares the positions of one object with many fences, and returns the events.
///
/// A value with one step: ``process(_:)``. It has no clock; durations run on the times of the fixes, those of live ones on their manager's
/// timeline. A fence takes its first state silently; enter and exit of one fence always alternate.
/// - Cost: an uneventful fix costs the same however many fences there are: a step of the estimate (under `robust`), an addition and a
///   comparison.
public struct GeofenceMonitor: Sendable {
    /// The side of a fence that the object is known to be on.
    enum Side: UInt8, Sendable { case unknown, outside, inside }

    /// When a border counts as crossed.
    public let rule: BorderRule
    /// The largest number of fences watched, those with the nearest borders; nil for all.
    ///
    /// Fences that the object is inside are always watched.
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
    /// The borders that `exact` tests steps against, wherever it can.
    var window = BorderWindow()
    var estimator = PositionEstimator()
    var activity = FenceActivity()
    /// Fences that have been added since the last fix.
    var fresh: Set<Int32> = []
    var expiry = Expiry()
    /// Whether the next fix is the first one after a restart.
    var isRestored = false
    /// Changes whenever the set of fences whose side is known does: the time to store ``GeofenceMonitorState/known`` again.
    public internal(set) var knownRevision: UInt64 = 0
    /// Whether no fence's side is known: there has been no fix yet, or none that counts.
    var seeksAll = true
    /// The place where the index was last queried, from which the angles of nearby places are computed.
    private var home: FenceProbe?
    /// Fences on whose other side the object was found, but not yet for certain, and when that began.
    var crossings: [Int32: OpenCrossing] = [:]
    /// Fences whose border has been near without a break, and since when, in seconds on the timeline.
    var nearSince: [Int32: Double] = [:]
    /// Fences whose side changed while the monitor was not running.
    var late: Set<Int32> = []
    /// Since when the first side of each fence has been sought, in seconds on the timeline.
    var soughtSince: [Int32: Double] = [:]

    /// The last place that was tested against the fences, and what is known of the last fix.
    var lastPlace: Coordinate?
    /// Whether fixes were missed since the last place.
    package internal(set) var isInterrupted = false
    var lastTime: UTCTime?
    var lastCoordinate: Coordinate?
    var lastSeconds = 0.0
    /// The time between the two fixes before, in seconds; 0 while only gaps are known, nil when there is nothing that tells.
    var lastInterval: Double?
    var line = FixLine()
    /// Since when the position is lost, and when the next dwell is due, in milliseconds on the timeline.
    var lostSince: Int64?
    var nextDwell = Int64.max

    /// Creates a monitor of these fences that has seen no fix yet.
    ///
    /// - Parameters:
    ///   - fences: the fences to watch.
    ///   - rule: when a border counts as crossed.
    ///   - maxActive: how many of the fences are watched at a time, the nearest ones; nil for all.
    ///   - eventPrefix: makes the events' ids different from those of other monitors, and of other runs of this one: an event that was
    ///     delivered may be missing from the state, and its number is then used again.
    public init(fences: FenceIndex, rule: BorderRule = .robust, maxActive: Int? = nil, eventPrefix: String = "") {
        self.rule = rule
        self.eventPrefix = eventPrefix
        self.maxActive = maxActive
        index = fences
        if maxActive == nil { index.prepare(for: rule) }
        sides = Array(repeating: .unknown, count: fences.slotCount)
    }

    /// The fences that the object is known to be inside.
    public var fencesInside: [Geofence] { index.inOrder(visits.keys).compactMap { index.fence($0) } }

    /// Processes the next fix and returns the events it caused, in order of time; mostly none.
    ///
    /// Dead reckoning, manual and simulated positions change no fence. A time outside of the years 1 to 9999 is none, nor is a speed, a
    /// course or an accuracy that no receiver can have.
    public mutating func process(_ position: Position) -> [GeofenceEvent] {
        guard position.status.isMeasured else { return [] }
        guard position.hasSoundMotion else { return process(position.sound) }
        var step = FixStep(position: position)
        step.followsLoss = lostSince != nil
        if !begun.isEmpty { begun.removeAll(keepingCapacity: true) }
        step.stay = moveLine(to: position)
        // Without a time a fix counts as one second after the last.
        step.seconds = step.stay.map { Double($0) / 1_000 } ?? lastSeconds + 1
        if let since = lostSince, let now = step.stay { resumeStays(lostFor: now - since) }
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
        // Only now, because a first fix that proves false restarts the numbers.
        let visitsBefore = lastVisit
        var events: [GeofenceEvent] = []
        judgeExpiry(position, into: &events)
        if !isQuiet(step.place) || seeksAll || !fresh.isEmpty {
            if opensWindow(&step) { lookThroughWindow(step, into: &events) } else { look(&step, into: &events) }
        }
        if let now = step.stay, now >= nextDwell { findStays(at: now, step, into: &events) }
        if lastVisit > visitsBefore + 1 { renumberVisits(after: visitsBefore, &events) }
        if events.count > 1 { events.sort { $0.order != $1.order ? $0.order < $1.order : $0.fenceID < $1.fenceID } }
        if !isInterrupted { lastInterval = step.seconds - lastSeconds }
        isInterrupted = false
        lastPlace = step.place
        lastCoordinate = step.coordinate
        lastSeconds = step.seconds
        lastTime = step.time ?? lastTime
        return events
    }

    /// Whether nothing can have happened on the straight path from the last place, if that was quiet too.
    @inline(__always)
    private func isQuiet(_ place: Coordinate) -> Bool { window.isOpen ? window.isQuiet(place) : neighbourhood.isQuiet(place) }

    /// Forgets every side, because the one fix that they were taken from was false.
    private mutating func seekAgain() {
        for slot in sides.indices { sides[slot] = .unknown }
        seeksAll = true
        fresh.removeAll()
        visits.removeAll()
        lastVisit = visitBase
        lastPlace = nil
    }

    /// Notes that the position is lost: visits do not grow until the next fix, and no line is drawn across the gap.
    public mutating func lose(at time: UTCTime?) {
        if lostSince == nil {
            let time = time.flatMap { $0.hasFourDigitYear ? $0.millisecondsSince1970 : nil }
            lostSince = time.map { $0 - line.shift } ?? line.last
        }
        estimator.lose()
    }

    /// Notes that fixes were missed, as between the state of a run that was killed and the next run: no line is drawn from the last place to the
    /// next one by any rule.
    ///
    /// The sides stay known, so that a crossing in between is found by the next fix; where and when it was is unknown, and a way through a
    /// fence is not guessed. The last place stays known for fences that change.
    public mutating func interrupt() {
        isInterrupted = true
        noteGap()
        estimator.lose()
    }

    /// Notes that the next fix comes after a pause.
    ///
    /// That says nothing of when the fix after it comes: no border ahead is decided before this is known.
    package mutating func noteGap() { lastInterval = 0 }

    /// Notes that positions are withheld: no line is drawn from the last place to the next one by any rule, and the last place is forgotten.
    ///
    /// A guessed straight path would say which fences the object was in while nobody may know.
    public mutating func withhold() {
        lose(at: nil)
        (lastPlace, lastCoordinate) = (nil, nil)
    }

    /// Tests the place against every fence that it may affect.
    private mutating func look(_ step: inout FixStep, into events: inout [GeofenceEvent]) {
        if let lastPlace, !isInterrupted {
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
        // Only what the first fix after a restart contradicts happened in the meantime.
        if isRestored { late.formIntersection(crossings.keys) }
        isRestored = false
    }

    /// Tests the place against one fence; returns how far the object may travel before the next test, or nil to test at every fix.
    private mutating func test(
        _ slot: Int32, _ probe: FenceProbe, _ step: borrowing FixStep, into events: inout [GeofenceEvent]
    ) -> Double? {
        switch rule {
        case .exact: holdExactly(slot, probe, step, into: &events)
        case .robust: holdRobustly(slot, probe, step, into: &events)
        }
    }

    /// Queries the index for the fences that are near enough to be tested.
    private mutating func gather(_ step: borrowing FixStep, _ probe: FenceProbe) {
        if sides.count < index.slotCount {
            sides += Array(repeating: .unknown, count: index.slotCount - sides.count)
        }
        let isFirst = step.way == nil
        // A path is tested as a whole, and an estimate as far as it may be wrong.
        let reach = max(isFirst ? 0 : step.metres, PositionEstimator.Estimate.widestSigmas * step.sigmaMetres)
        neighbourhood.gather(index, round: probe, reach: reach, looksAtAll: seeksAll || !fresh.isEmpty, visits: visits.keys)
        // The object is outside every older fence that is not near.
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
    /// The fix's time on the monitor's timeline, in seconds.
    var seconds = 0.0
    /// The same in milliseconds; nil when unknown.
    var stay: Int64?
    /// Where the object is assumed to be.
    var place: Coordinate
    var sigmaMetres = 0.0
    var fixes = 1
    /// Whether the position was lost between the last fix and this one.
    var followsLoss = false
    /// Whether the estimate continued from the last fix to this one.
    var isContinuous = true
    /// The velocity at the last fix.
    var velocityBefore: PlanePoint?
    /// The path from the last place, and an upper bound of its length.
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
    /// When it began, in milliseconds since 1970.
    let order: Int64
    let isPass: Bool
}

extension GeofenceEvent {
    /// The key by which events of one fix are sorted, before their fences' ids.
    var order: Int64 { (crossedAt ?? time)?.millisecondsSince1970 ?? 0 }
}
