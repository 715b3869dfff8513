import func Glibc.cos
import func Glibc.exp
import func Glibc.sin

/// The hypotheses for a fix, and how they follow from those for the fix before.
struct MatchingTransitions: Sendable {
    /// A road near the fix, in one of its directions.
    private struct Candidate {
        var line: Int
        var arc: RoadArc
        /// From the arc's start to the spot nearest to the fix, and the arc's length.
        var alongMetres: Double
        var lengthMetres: Double
        /// The direction of travel there.
        var east, north: Double
        /// From the spot to the fix.
        var errorEast, errorNorth: Double
        var distanceMetres: Double
        var entryCost: Double
        var wayNumber: Int64
    }

    private var neighbourhood = Neighbourhood()
    private var search = RoadSearch()
    private var spots: [Neighbourhood.Spot] = []
    private var candidates: [Candidate] = []
    private var targets = ArcTable(capacity: 64)
    private var hypotheses = MatchingHypotheses()
    private var fix = PlanePoint(eastMetres: 0, northMetres: 0)
    private var radiusMetres = 0.0
    private var velocity: (east: Double, north: Double)?
    private var speed: Double?
    private var lastSpeed: Double?

    private static let greatestCandidateCount = 16

    /// Looks up the roads near a fix.
    mutating func prepare(_ position: Position, deviation: Double, roads: Roads, mode: TravelMode, model: MatchingModel) {
        radiusMetres = min(max(40, 4 * deviation), 200)
        neighbourhood.cover(position.coordinate, radiusMetres: radiusMetres, roads, mode: mode)
        fix = neighbourhood.plane.point(position.coordinate)
        lastSpeed = speed
        speed = position.speedMetresPerSecond
        velocity = nil
        if let speed, let course = position.courseDegrees {
            velocity = (speed * sin(course.inRadians), speed * cos(course.inRadians))
        }
        neighbourhood.spots(near: fix, radiusMetres: radiusMetres, into: &spots)
        if spots.count > MatchingTransitions.greatestCandidateCount {
            spots.sort { $0.distanceMetres < $1.distanceMetres }
            spots.removeLast(spots.count - MatchingTransitions.greatestCandidateCount)
        }
        candidates.removeAll(keepingCapacity: true)
        targets.removeAll()
        for spot in spots {
            let line = neighbourhood.lines[spot.line]
            let entryCost = model.entryCost(line, mode)
            for isReversed in [false, true] where line.edge.isOpen(for: mode, isReversed: isReversed) {
                let sign: Double = isReversed ? -1 : 1
                let arc = RoadArc(edge: line.number, isReversed: isReversed)
                targets.add(arc, candidates.count)
                candidates.append(
                    Candidate(
                        line: spot.line, arc: arc, alongMetres: isReversed ? line.lengthMetres - spot.alongMetres : spot.alongMetres,
                        lengthMetres: line.lengthMetres, east: spot.east * sign, north: spot.north * sign,
                        errorEast: fix.eastMetres - spot.point.eastMetres, errorNorth: fix.northMetres - spot.point.northMetres,
                        distanceMetres: spot.distanceMetres, entryCost: entryCost, wayNumber: line.wayNumber))
            }
        }
    }

    /// The hypotheses for the first fix of a chain; never none.
    mutating func begin(deviation: Double, model: MatchingModel) -> [MatchingState] {
        let variance = deviation * deviation
        let gain = model.slowPart * model.slowPart / (model.slowPart * model.slowPart + model.fastPart * model.fastPart)
        hypotheses.begin(candidateCount: candidates.count, beam: model.beam)
        for index in candidates.indices {
            let square = candidates[index].distanceMetres * candidates[index].distanceMetres / variance
            var cost = model.robust(square) + candidates[index].entryCost
            if let velocity { cost += model.courseCost(velocity, candidates[index].east, candidates[index].north) }
            keep(index, gain: gain, cost: cost, previous: -1)
        }
        keepOff(cost: model.leaveCost / 2 + model.offCost, previous: -1)
        return hypotheses.likely
    }

    /// Keeps the hypothesis that the device is at the spot of a candidate that is nearest to the fix, if it is the best one for the candidate.
    @inline(__always)
    private mutating func keep(_ index: Int, gain: Double, cost: Double, previous: Int32) {
        guard hypotheses.admits(cost, for: index) else { return }
        let (east, north) = (candidates[index].errorEast, candidates[index].errorNorth)
        keep(
            index, alongMetres: candidates[index].alongMetres, errorEast: east, errorNorth: north, biasEast: gain * east,
            biasNorth: gain * north, cost: cost, previous: previous)
    }

    @inline(__always)
    private mutating func keep(
        _ index: Int, alongMetres: Double, errorEast: Double, errorNorth: Double, biasEast: Double, biasNorth: Double, cost: Double,
        previous: Int32
    ) {
        let place = neighbourhood.plane.degrees(
            PlanePoint(eastMetres: fix.eastMetres - errorEast, northMetres: fix.northMetres - errorNorth))
        hypotheses.keep(
            MatchingState(
                arc: candidates[index].arc, alongMetres: alongMetres, restMetres: max(candidates[index].lengthMetres - alongMetres, 0),
                latitudeDegrees: place.latitude, longitudeDegrees: place.longitude, biasEast: biasEast, biasNorth: biasNorth,
                wayNumber: candidates[index].wayNumber, offsetMetres: candidates[index].distanceMetres, cost: cost, previous: previous),
            for: index)
    }

    /// Keeps the hypothesis that the device is off the roads; it stands behind those of all candidates.
    @inline(__always)
    private mutating func keepOff(cost: Double, previous: Int32) {
        guard hypotheses.admits(cost, for: candidates.count) else { return }
        let place = neighbourhood.plane.degrees(fix)
        hypotheses.keep(
            MatchingState(
                arc: nil, alongMetres: 0, restMetres: 0, latitudeDegrees: place.latitude, longitudeDegrees: place.longitude, biasEast: 0,
                biasNorth: 0, wayNumber: 0, offsetMetres: 0, cost: cost, previous: previous),
            for: candidates.count)
    }

    // MARK: Following

    /// What is the same for all hypotheses of a fix.
    private struct Interval {
        var elapsed: Double
        /// How far the device has probably gone, and the variance of that; nil without a speed.
        var travelled: Double?
        var travelVariance: Double
        /// What is left of the slow error, and the variance of what is expected of a fix.
        var keeps: Double
        var variance: Double
        /// How much of an unexpected error is slow.
        var gain: Double
        /// How much the fix, its course and a detour count.
        var fixWeight, courseWeight, detourWeight: Double
    }

    private func interval(elapsed: Double, deviation: Double, slowVariance: Double, _ model: MatchingModel) -> Interval {
        let fast = model.fastPart * model.fastPart * deviation * deviation
        var travelled: Double?
        var travelVariance = 0.0
        if let speed, let lastSpeed {
            let mean = (speed + lastSpeed) / 2
            travelled = mean * elapsed
            // Whoever stands does not creep.
            let floor = model.travelFloor * min(1, mean)
            let speedError = (model.speedError + model.speedShare * mean) * elapsed
            let acceleration = model.acceleration * elapsed * elapsed / 6
            travelVariance = floor * floor + speedError * speedError + acceleration * acceleration
        }
        return Interval(
            elapsed: elapsed, travelled: travelled, travelVariance: travelVariance, keeps: exp(-elapsed / model.slowSeconds),
            variance: slowVariance + fast, gain: slowVariance / (slowVariance + fast), fixWeight: min(1, elapsed / model.fastSeconds),
            courseWeight: min(1, elapsed / model.courseSeconds), detourWeight: min(1, elapsed / 10))
    }

    /// The hypotheses for the fix, each with the one it most likely followed; none when no way leads here.
    mutating func follow(
        _ last: MatchingStep, elapsed: Double, deviation: Double, slowVariance: Double, roads: Roads, mode: TravelMode, model: MatchingModel
    ) -> [MatchingState] {
        let interval = interval(elapsed: elapsed, deviation: deviation, slowVariance: slowVariance, model)
        hypotheses.begin(candidateCount: candidates.count, beam: model.beam)
        let plane = neighbourhood.plane
        let offCost = model.offCost * min(1, elapsed / 5)
        // The likeliest first: what follows from it soon shows which of the others lead to nothing that is followed further.
        hypotheses.sort(last.states)
        for number in hypotheses.order {
            let source = last.states[Int(number)]
            keepOff(cost: source.cost + offCost + (source.arc == nil ? 0 : model.leaveCost), previous: number)
            guard source.cost <= hypotheses.greatestCost else { break }
            guard let arc = source.arc else {
                for index in candidates.indices {
                    let square = candidates[index].distanceMetres * candidates[index].distanceMetres / (deviation * deviation)
                    let cost =
                        source.cost + model.returnCost + model.robust(square) + candidates[index].entryCost
                        + courseCost(index, interval, model)
                    keep(index, gain: interval.gain, cost: cost, previous: number)
                }
                continue
            }
            let start = plane.point(latitudeDegrees: source.latitudeDegrees, longitudeDegrees: source.longitudeDegrees)
            // On the same edge: onwards, a little back, or turned round.
            if let index = targets[arc] {
                follow(
                    source, number, start, index, metres: candidates[index].alongMetres - source.alongMetres, turnMetres: 0, interval,
                    model)
            }
            if let index = targets[arc.reversed] {
                follow(
                    source, number, start, index, metres: candidates[index].alongMetres - source.restMetres,
                    turnMetres: model.turns.uTurnMetres, interval, model)
            }
            let (east, north) = (start.eastMetres - fix.eastMetres, start.northMetres - fix.northMetres)
            let straight = (east * east + north * north).squareRoot()
            // Nothing on roads is faster than 70 m/s: a fix that jumps over the country starts no search of all of it.
            var bound = min(max(1.3 * straight, interval.travelled ?? 0) + 100, 300 + 70 * elapsed) + 2 * radiusMetres
            if let travelled = interval.travelled {
                bound = min(bound, travelled + 5 + 3.5 * (interval.travelVariance + interval.variance).squareRoot())
            }
            // Ways with so many turns that nothing follows from them are not looked for.
            let greatestTurnMetres = (hypotheses.greatestCost - source.cost) * model.turnMetres
            search.search(
                roads, mode: mode, turns: model.turns, from: arc, metresToEnd: source.restMetres, boundMetres: bound,
                greatestTurnMetres: greatestTurnMetres, targets: targets, goal: (plane, fix, radiusMetres))
            for found in search.found.indices {
                let way = search.found[found]
                follow(
                    source, number, start, way.target, metres: way.metres + candidates[way.target].alongMetres, turnMetres: way.turnMetres,
                    interval, model)
            }
        }
        return hypotheses.likely
    }

    @inline(__always)
    private func courseCost(_ index: Int, _ interval: Interval, _ model: MatchingModel) -> Double {
        guard let velocity else { return 0 }
        return interval.courseWeight * model.courseCost(velocity, candidates[index].east, candidates[index].north)
    }

    /// Goes from a hypothesis to a candidate over that many metres, and keeps the result when it is the best so far.
    @inline(__always)
    private mutating func follow(
        _ source: MatchingState, _ number: Int32, _ start: PlanePoint, _ index: Int, metres: Double, turnMetres: Double,
        _ interval: Interval, _ model: MatchingModel
    ) {
        let candidate = candidates[index]
        var cost = source.cost + turnMetres / model.turnMetres
        if source.arc?.edge != candidate.arc.edge { cost += candidate.entryCost }
        guard hypotheses.admits(cost, for: index) else { return }

        // Where on the road: between where the fix is nearest, without its slow error, and where the speed has led.
        let biasEast = interval.keeps * source.biasEast
        let biasNorth = interval.keeps * source.biasNorth
        var errorEast = candidate.errorEast
        var errorNorth = candidate.errorNorth
        var (east, north) = (candidate.east, candidate.north)
        var along = candidate.alongMetres
        let unexpected = (errorEast - biasEast) * east + (errorNorth - biasNorth) * north
        var shift: Double
        if let travelled = interval.travelled {
            let (a, b) = (1 / interval.travelVariance, 1 / interval.variance)
            shift = ((travelled - metres) * a + unexpected * b) / (a + b)
        } else {
            shift = unexpected
        }
        shift = min(max(shift, -along), candidate.lengthMetres - along)
        if abs(shift) > 0.01 {
            along += shift
            let line = neighbourhood.lines[candidate.line]
            let place = neighbourhood.place(
                onLine: candidate.line, alongMetres: candidate.arc.isReversed ? line.lengthMetres - along : along)
            let sign: Double = candidate.arc.isReversed ? -1 : 1
            (east, north) = (place.east * sign, place.north * sign)
            errorEast = fix.eastMetres - place.point.eastMetres
            errorNorth = fix.northMetres - place.point.northMetres
        }
        let way = metres + shift

        let unexpectedEast = errorEast - biasEast
        let unexpectedNorth = errorNorth - biasNorth
        let square = (unexpectedEast * unexpectedEast + unexpectedNorth * unexpectedNorth) / interval.variance
        cost += interval.fixWeight * model.robust(square)
        let straight = PlanePoint(
            eastMetres: fix.eastMetres - errorEast - start.eastMetres, northMetres: fix.northMetres - errorNorth - start.northMetres
        ).distanceMetres
        if let travelled = interval.travelled {
            let missed = way - travelled
            cost += model.robust(missed * missed / interval.travelVariance)
        }
        cost += abs(abs(way) - straight) * interval.detourWeight / (model.detourMetres + model.detourShare * straight)
        if way < -0.5 { cost += model.backCost }
        if let velocity { cost += interval.courseWeight * model.courseCost(velocity, east, north) }
        guard hypotheses.admits(cost, for: index) else { return }

        // What a jump adds to the slow error has a limit.
        let damped = square > 9 ? 3 / square.squareRoot() : 1
        keep(
            index, alongMetres: along, errorEast: errorEast, errorNorth: errorNorth,
            biasEast: biasEast + damped * interval.gain * unexpectedEast, biasNorth: biasNorth + damped * interval.gain * unexpectedNorth,
            cost: cost, previous: number)
    }
}
