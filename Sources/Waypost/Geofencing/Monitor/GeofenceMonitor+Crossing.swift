// When a border was crossed or will be crossed: under `robust`, as precisely as it can be known.
extension GeofenceMonitor {
    /// A border that has been found crossed, but not yet for certain.
    struct OpenCrossing: Sendable, Hashable {
        /// When it was crossed; nil when that cannot be known.
        var time: UTCTime?
        /// The same on the monitor's timeline, in milliseconds; nil where it follows from the time.
        var stay: Int64?
    }

    /// How many times a part of the path is halved to find a border: from a minute to a millisecond.
    private static let halvings = 16
    /// By how many steps an estimate without velocities may lag behind.
    private static let lags = [0.0, 1, 3]
    /// The longest time between two fixes, in seconds, over which their velocities describe the movement between them.
    private static let longestCurveSeconds = 10.0
    /// The longest time between two fixes, in seconds, whose change of velocity is assumed to continue.
    private static let longestTrendSeconds = 2.0

    /// When the path of this step left the side of a fence's border that the object was on; nil when it did not, or when the movement between
    /// the fixes is unknown.
    func crossingTime(_ slot: Int32, _ step: borrowing FixStep, startsInside: Bool) -> UTCTime? {
        guard let way = step.way, let before = lastPlace else { return nil }
        if let share = fixCrossing(slot, step, startsInside: startsInside) { return time(at: share, step) }
        let bend = bend(step, from: before)
        func place(_ share: Double) -> Coordinate {
            let place = way.place(share)
            return bend.map { PositionEstimator.moved(place, $0.offset(at: share)) } ?? place
        }
        var start = 0.0
        // When a crossing was predicted ahead of the border, the path may lead through both borders.
        if index.withShape(slot, { $0.contains(FenceProbe(place(0))) }) != startsInside {
            guard let found = index.withShape(slot, { $0.crossing(way) }), let found else { return nil }
            start = (found.first + found.last) / 2
        }
        return border(slot, startsInside: startsInside) { place(start + $0 * (1 - start)) }.flatMap {
            time(at: start + $0 * (1 - start), step)
        }
    }

    /// The share of the path at which two fixes without velocities crossed a border; negative when that was before the first one.
    ///
    /// The estimate lags behind the fixes, so it reaches the border later.
    private func fixCrossing(_ slot: Int32, _ step: borrowing FixStep, startsInside: Bool) -> Double? {
        guard !estimator.hasVelocity, step.velocityBefore == nil, !isInterrupted, let before = lastCoordinate else { return nil }
        let way = LonLatEdge(from: before, to: step.coordinate)
        for back in Self.lags {
            let length = 1 + back
            if let found = border(slot, startsInside: startsInside, { way.place($0 * length - back) }) { return found * length - back }
        }
        return nil
    }

    /// When the fence's border just ahead will be crossed, by the velocity and its change; nil without a time.
    func predictedTime(_ slot: Int32, _ step: borrowing FixStep) -> UTCTime? {
        guard let time = step.time, let velocity = estimator.velocity else { return nil }
        let horizon = horizon(step)
        let span = step.seconds - lastSeconds
        var trend = PlanePoint(eastMetres: 0, northMetres: 0)
        if let before = step.velocityBefore, step.isContinuous, span > 0, span <= Self.longestTrendSeconds {
            trend.eastMetres = (velocity.eastMetres - before.eastMetres) / span
            trend.northMetres = (velocity.northMetres - before.northMetres) / span
        }
        let (startsInside, place) = (sides[Int(slot)] == .inside, step.place)
        func share(_ trend: PlanePoint) -> Double? {
            border(slot, startsInside: startsInside) { share in
                let ahead = share * horizon
                return PositionEstimator.moved(
                    place,
                    PlanePoint(
                        eastMetres: velocity.eastMetres * ahead + trend.eastMetres * ahead * ahead / 2,
                        northMetres: velocity.northMetres * ahead + trend.northMetres * ahead * ahead / 2))
            }
        }
        // A braking object may not get there by the trend, but the decision did not use the trend.
        guard let share = share(trend) ?? share(PlanePoint(eastMetres: 0, northMetres: 0)) else { return nil }
        return time.advanced(byMilliseconds: Int64((share * horizon * 1_000).rounded()))
    }

    /// When a pass met the border, on a straight path that is inside between the two crossings.
    func passTimes(_ slot: Int32, _ crossing: BorderCrossing, _ step: borrowing FixStep) -> (crossed: UTCTime?, left: UTCTime?) {
        guard let way = step.way else { return (nil, nil) }
        let middle = (crossing.first + crossing.last) / 2
        let first = border(slot, startsInside: false) { way.place($0 * middle) }.map { $0 * middle }
        let last = border(slot, startsInside: true) { way.place(middle + $0 * (1 - middle)) }.map { middle + $0 * (1 - middle) }
        return (time(at: first ?? crossing.first, step), time(at: last ?? crossing.last, step))
    }

    /// How far along a path it leaves the side that it starts on, 0...1; nil when it starts on the other side, or ends on the same one.
    private func border(_ slot: Int32, startsInside: Bool, _ place: (Double) -> Coordinate) -> Double? {
        func isInside(_ share: Double) -> Bool { index.withShape(slot) { $0.contains(FenceProbe(place(share))) } ?? false }
        guard isInside(0) == startsInside, isInside(1) != startsInside else { return nil }
        var (start, end) = (0.0, 1.0)
        for _ in 0..<Self.halvings {
            let middle = (start + end) / 2
            if isInside(middle) == startsInside { start = middle } else { end = middle }
        }
        return end
    }

    /// How the path bends and speeds up or slows down between its ends; nil when the velocities do not show it.
    private func bend(_ step: borrowing FixStep, from before: Coordinate) -> WayBend? {
        let span = step.seconds - lastSeconds
        guard step.isContinuous, span > 0, span <= Self.longestCurveSeconds, let start = step.velocityBefore, let end = estimator.velocity
        else { return nil }
        return WayBend(PositionEstimator.difference(from: before, to: step.place), start, end, span: span)
    }
}

/// How far the path between two fixes departs from a straight one at even speed: Hermite's cubic with the velocities of both ends.
private struct WayBend {
    private let start: PlanePoint
    private let end: PlanePoint

    /// Nil when the velocities contradict the path.
    init?(_ way: PlanePoint, _ before: PlanePoint, _ after: PlanePoint, span: Double) {
        start = PlanePoint(
            eastMetres: before.eastMetres * span - way.eastMetres, northMetres: before.northMetres * span - way.northMetres)
        end = PlanePoint(eastMetres: after.eastMetres * span - way.eastMetres, northMetres: after.northMetres * span - way.northMetres)
        let mean = PlanePoint(
            eastMetres: (start.eastMetres + end.eastMetres) / 2, northMetres: (start.northMetres + end.northMetres) / 2)
        guard mean.distanceMetres <= way.distanceMetres / 4 else { return nil }
    }

    func offset(at share: Double) -> PlanePoint {
        let (first, last) = (share * (1 - share) * (1 - share), -share * share * (1 - share))
        return PlanePoint(
            eastMetres: first * start.eastMetres + last * end.eastMetres, northMetres: first * start.northMetres + last * end.northMetres)
    }
}
