extension GeofenceMonitor {
    /// How far on the new side the estimate must be when the Doppler velocity took it over the border, in metres.
    static let supportedMarginMetres = 0.5
    /// How many standard deviations are needed without that support.
    static let unsupportedSigmas = 4.0
    /// A fix that begins the estimate anew may be as many depths of a fence wrong to decide about it with less than all that: then one of four
    /// such fixes in the middle of a circle is of an object in it.
    static let mostDepths = 2.0
    /// How many standard deviations decide a first state, and after how many seconds the likelier side is chosen.
    static let firstSigmas = 2.0
    static let firstSeconds = 60.0
    /// An object near the border for this long is in no hurry: its crossing then needs this many more standard deviations.
    static let lingerSeconds = 30.0
    static let lingerSigmas = 2.0
    /// How far ahead an unavoidable crossing is decided, in seconds, or half an interval if that is shorter: by the nearest fix, not always
    /// by a later one.
    static let horizonSeconds = 0.5
    /// What brakes and tyres can achieve, in metres per second squared.
    static let hardestAcceleration = 8.0

    /// Tests an estimate against a fence; returns the clearance from the border, or nil while a decision is open.
    mutating func holdRobustly(
        _ slot: Int32, _ probe: FenceProbe, _ step: borrowing FixStep, into events: inout [GeofenceEvent]
    ) -> Double? {
        let (isInside, clearance) = index.side(slot, probe)
        let side = sides[Int(slot)]
        if side == .unknown {
            let distance = abs(distance(slot, probe))
            guard distance > Self.firstSigmas * step.sigmaMetres || step.seconds - (soughtSince[slot] ?? step.seconds) >= Self.firstSeconds
            else { return nil }
            settleSilently(slot, isInside: isInside, step)
            return clearance
        }
        guard activity.has(slot) || side == .inside else { return clearance }

        let band = min(3 * step.sigmaMetres + 5, 0.5 * (index.withShape(slot) { $0.greatestDepth } ?? 0))
        if clearance > band { nearSince[slot] = nil } else if nearSince[slot] == nil { nearSince[slot] = step.seconds }
        let lingers = step.seconds - (nearSince[slot] ?? step.seconds) > Self.lingerSeconds
        let supported =
            min(Self.supportedMarginMetres, 0.05 * 2 * band) + (lingers ? Self.lingerSigmas : estimator.hasVelocity ? 0 : 1)
            * step.sigmaMetres

        if isInside == (side == .inside) {
            if crossings.removeValue(forKey: slot) != nil { late.remove(slot) }
            if !isInside, clearance < step.metres, let (depth, crossing) = deepest(slot, step, endsInside: false), depth >= supported {
                let times = passTimes(slot, crossing, step)
                pass(slot, step, times, evidence: evidence(step, distance: -depth, margin: supported), into: &events)
            } else if let ahead = ahead(slot, step, clearance: clearance, margin: supported) {
                change(
                    slot, isInside: !isInside, step, at: predictedTime(slot, step), isPredicted: true,
                    evidence: evidence(step, distance: ahead, margin: supported), into: &events)
            }
            return clearance
        }
        if crossings[slot] == nil {
            let time = crossingTime(slot, step, startsInside: !isInside)
            crossings[slot] = OpenCrossing(time: time, stay: time == nil ? nil : stayStart(slot, time, step))
        }
        var depth = abs(distance(slot, probe))
        if isInside { depth = max(depth, deepest(slot, step, endsInside: true)?.depth ?? 0) }
        let margin = isSupported(slot, step.place) ? supported : unsupportedMargin(slot, step)
        guard depth >= margin || ahead(slot, step, clearance: clearance, margin: supported) != nil else { return nil }
        let crossing = crossings.removeValue(forKey: slot)
        change(
            slot, isInside: isInside, step, at: crossing?.time, since: crossing?.stay, isPredicted: false,
            evidence: evidence(step, distance: isInside ? -depth : depth, margin: margin), into: &events)
        return clearance
    }

    private mutating func change(
        _ slot: Int32, isInside: Bool, _ step: borrowing FixStep, at crossed: UTCTime?, since start: Int64? = nil, isPredicted: Bool,
        evidence: GeofenceEvent.Evidence, into events: inout [GeofenceEvent]
    ) {
        if isInside {
            enter(slot, step, at: crossed, since: start, isPredicted: isPredicted, evidence: evidence, into: &events)
        } else {
            exit(slot, step, at: crossed, isPredicted: isPredicted, evidence: evidence, into: &events)
        }
    }

    /// How near a border must be to be decided ahead of time, in metres.
    func lookahead(_ step: borrowing FixStep) -> Double { (estimator.velocity?.distanceMetres ?? 0) * horizon(step) }

    /// How far ahead a crossing may be decided: a gap is no interval, and says nothing of when the next fix comes.
    func horizon(_ step: borrowing FixStep) -> Double {
        let interval = step.seconds - lastSeconds
        return min(Self.horizonSeconds, min(interval, lastInterval ?? interval) / 2)
    }

    /// The distance from a border that is still ahead, but will be crossed within the horizon however hard the object brakes or turns.
    private func ahead(_ slot: Int32, _ step: borrowing FixStep, clearance: Double, margin: Double) -> Double? {
        let horizon = horizon(step)
        guard let velocity = estimator.velocity, velocity.distanceMetres * horizon > clearance else { return nil }
        let place = PositionEstimator.moved(
            step.place,
            PlanePoint(eastMetres: velocity.eastMetres * horizon, northMetres: velocity.northMetres * horizon))
        let distance = distance(slot, FenceProbe(place))
        let depth = sides[Int(slot)] == .inside ? distance : -distance
        let avoidable = Self.hardestAcceleration * horizon * horizon / 2
        guard depth >= margin + avoidable, isSupported(slot, step.place) else { return nil }
        return self.distance(slot, FenceProbe(step.place))
    }

    /// How deep the path from the last estimate to this one leads into the fence, and where it meets the border.
    private func deepest(_ slot: Int32, _ step: borrowing FixStep, endsInside: Bool) -> (depth: Double, crossing: BorderCrossing)? {
        guard step.isContinuous, let way = step.way, let found = index.withShape(slot, { $0.crossing(way) }), let found else { return nil }
        // A path that starts inside was dealt with when it came in, or was already taken to be outside.
        if !endsInside, index.withShape(slot, { $0.contains(FenceProbe(way.place(0))) }) ?? false { return nil }
        let (start, end) = (found.first, endsInside ? 1 : found.last)
        var depth = 0.0
        for quarter in 1...3 {
            depth = max(depth, -distance(slot, FenceProbe(way.place(start + (end - start) * Double(quarter) / 4))))
        }
        return (depth, found)
    }

    /// Whether the Doppler velocity alone has taken the object over the border in the last seconds.
    private func isSupported(_ slot: Int32, _ place: Coordinate) -> Bool {
        let wasInside = sides[Int(slot)] == .inside
        let support = estimator.supportMetres
        return estimator.way.contains { back in
            let distance = distance(slot, FenceProbe(PositionEstimator.moved(place, back)))
            return wasInside ? distance <= -support : distance >= support
        }
    }

    private func unsupportedMargin(_ slot: Int32, _ step: borrowing FixStep) -> Double {
        // An estimate from one fix, which this one contradicts, decides nothing.
        if step.isContinuous, step.fixes <= 1 { return .infinity }
        let margin = max(Self.unsupportedSigmas * step.sigmaMetres, step.accuracyMetres ?? 0)
        let depth = index.withShape(slot) { $0.greatestDepth } ?? 0
        // A fix that nothing confirms says little about a fence that is small beside what the fix claims.
        if !step.isContinuous, let accuracy = step.accuracyMetres, accuracy > Self.mostDepths * depth { return margin }
        return min(margin, 0.8 * depth)
    }

    private func distance(_ slot: Int32, _ probe: FenceProbe) -> Double {
        index.withShape(slot) { $0.signedDistance(probe) } ?? .infinity
    }

    private func evidence(_ step: borrowing FixStep, distance: Double, margin: Double) -> GeofenceEvent.Evidence {
        var evidence = GeofenceEvent.Evidence()
        evidence.distanceMetres = distance
        evidence.marginMetres = margin
        evidence.accuracyMetres = step.accuracyMetres
        evidence.speedMetresPerSecond = step.speedMetresPerSecond
        evidence.fixes = step.fixes
        return evidence
    }
}

extension FenceShape {
    /// A depth in metres that no place in the area exceeds by much.
    var greatestDepth: Double {
        switch self {
        case .circle(let circle): return circle.radiusMetres
        case .corridor(_, let halfWidth): return halfWidth
        case .polygons(let rings):
            let middle = Coordinate(
                cuttingLatitudeDegrees: (rings.south + rings.north) / 2, wrappingLongitudeDegrees: (rings.west + rings.east) / 2)
            let probe = FenceProbe(middle)
            return min((rings.east - rings.west) * probe.metresPerLongitude, (rings.north - rings.south) * probe.metresPerLatitude) / 2
        }
    }
}
