/// The search for one leg of a route, over arcs.
struct RouteSearch {
    private struct Label {
        var arc: RoadArc
        /// The time to the arc's start, with that of turns, in seconds; and that of turns alone.
        var seconds: Double
        var turnSeconds: Double
        var previous: Int32
        /// The start from which it came.
        var start: Int32
        var isSettled: Bool
    }

    let roads: Roads
    let mode: TravelMode
    private let turns: TurnCost
    private var labels: [Label] = []
    private var table = ArcTable(capacity: 1_024)
    private var heap = CostHeap()

    /// A road farther away than this is not meant.
    static let greatestDistanceMetres = 500.0
    /// So much farther than the nearest road another one may be, when a way leads there.
    private static let choiceMetres = 30.0
    /// Walking from a place to its road.
    private static let walkingMetresPerSecond = 0.5
    /// A metre that a turn costs, see ``TurnCost``, takes so long.
    private static let secondsPerTurnMetre = 0.2
    /// Whoever passes through roads of limited access takes so much longer.
    private static let limitedFactor = 4.0
    private static let limitedEntrySeconds = 60.0

    init(roads: Roads, mode: TravelMode) {
        self.roads = roads
        self.mode = mode
        turns = TurnCost(factor: 30, uTurnMetres: 200)
    }

    /// The spots on roads near a place: the nearest, and others about as near.
    static func spots(near coordinate: Coordinate, _ roads: Roads, _ mode: TravelMode) -> [RouteSpot] {
        var neighbourhood = Neighbourhood()
        var spots: [Neighbourhood.Spot] = []
        // Most places are near a road: the wide search is for the others.
        for radius in [60, 200, greatestDistanceMetres] {
            neighbourhood.cover(coordinate, radiusMetres: radius, roads, mode: mode)
            neighbourhood.spots(near: neighbourhood.plane.point(coordinate), radiusMetres: radius, into: &spots)
            if !spots.isEmpty { break }
        }
        spots.sort { $0.distanceMetres < $1.distanceMetres }
        guard let nearest = spots.first else { return [] }
        return spots.prefix { $0.distanceMetres <= nearest.distanceMetres + choiceMetres }.prefix(8).map { spot in
            let line = neighbourhood.lines[spot.line]
            let scale = line.lengthMetres > 0 ? line.edge.lengthMetres / line.lengthMetres : 1
            return RouteSpot(
                edge: line.edge,
                isOpen: (line.edge.isOpen(for: mode, isReversed: false), line.edge.isOpen(for: mode, isReversed: true)),
                alongMetres: spot.alongMetres * scale, distanceMetres: spot.distanceMetres)
        }
    }

    /// The quickest way from one of the spots to another; nil when there is none.
    ///
    /// - Parameter goal: where the ends are.
    consuming func leg(from starts: [RouteSpot], to ends: [RouteSpot], near goal: Coordinate) -> RouteLeg? {
        let goalVector = GeocentricVector(goal)
        var best: (seconds: Double, arcs: [RoadArc], start: RouteSpot, end: RouteSpot, turns: Double)?
        var endsOf: [RoadArc: [Int]] = [:]
        for (index, end) in ends.enumerated() { for arc in end.arcs { endsOf[arc, default: []].append(index) } }

        for (index, start) in starts.enumerated() {
            let walk = start.distanceMetres / Self.walkingMetresPerSecond
            for arc in start.arcs {
                let along = start.alongMetres(on: arc)
                // Onwards on the same edge.
                for end in endsOf[arc, default: []] where ends[end].alongMetres(on: arc) >= along {
                    let seconds =
                        walk + seconds(ends[end].alongMetres(on: arc) - along, start.edge) + ends[end].distanceMetres
                        / Self.walkingMetresPerSecond
                    if best.map({ seconds < $0.seconds }) ?? true { best = (seconds, [arc], start, ends[end], 0) }
                }
                let rest = max(start.edge.lengthMetres - along, 0)
                leave(
                    arc, start.edge, seconds: walk + seconds(rest, start.edge), turnSeconds: 0, previous: -1, start: Int32(index),
                    goalVector)
            }
        }
        while let (cost, number) = heap.pop() {
            if let best, cost >= best.seconds { break }
            if labels[number].isSettled { continue }
            labels[number].isSettled = true
            let label = labels[number]
            let edge = roads.edge(label.arc.edge)
            for end in endsOf[label.arc, default: []] {
                let along = ends[end].alongMetres(on: label.arc)
                let seconds = label.seconds + seconds(along, edge) + ends[end].distanceMetres / Self.walkingMetresPerSecond
                if best.map({ seconds < $0.seconds }) ?? true {
                    best = (seconds, arcs(to: number, starts), starts[Int(label.start)], ends[end], label.turnSeconds)
                }
            }
            leave(
                label.arc, edge, seconds: label.seconds + seconds(edge.lengthMetres, edge), turnSeconds: label.turnSeconds,
                previous: Int32(number), start: label.start, goalVector)
        }
        return best.map { RouteLeg(arcs: $0.arcs, start: $0.start, end: $0.end, turnSeconds: $0.turns) }
    }

    private func seconds(_ metres: Double, _ edge: RoadEdge) -> Double {
        let seconds = metres / mode.speedMetresPerSecond(limitKilometresPerHour: roads.kind(ofEdge: edge).kilometresPerHour)
        return mode == .car && edge.isLimited ? seconds * Self.limitedFactor : seconds
    }

    /// The arcs up to a label, that of the start included.
    private func arcs(to number: Int, _ starts: [RouteSpot]) -> [RoadArc] {
        var arcs: [RoadArc] = []
        var label = number
        while label >= 0 {
            arcs.append(labels[label].arc)
            let previous = Int(labels[label].previous)
            if previous < 0 { arcs.append(firstArc(before: labels[label], starts)) }
            label = previous
        }
        return arcs.reversed()
    }

    /// The arc of the start that leads to a label without a predecessor.
    private func firstArc(before label: Label, _ starts: [RouteSpot]) -> RoadArc {
        let start = starts[Int(label.start)]
        let edge = roads.edge(label.arc.edge)
        let node = edge.start(isReversed: label.arc.isReversed)
        // Of a loop both arcs end at the node: the one that is left on.
        let arcs = start.arcs.filter { start.edge.end(isReversed: $0.isReversed) == node }
        return arcs.first { $0 != label.arc.reversed } ?? arcs.first ?? RoadArc(edge: start.edge.number, isReversed: false)
    }

    private mutating func leave(
        _ arc: RoadArc, _ edge: RoadEdge, seconds: Double, turnSeconds: Double, previous: Int32, start: Int32, _ goal: GeocentricVector
    ) {
        let node = edge.end(isReversed: arc.isReversed)
        // No way is shorter than the straight line through the Earth, or faster than the fastest road.
        let straight = (GeocentricVector(roads.place(ofNode: node).coordinate) - goal).lengthSquared.squareRoot()
        let rest = straight / mode.greatestSpeedMetresPerSecond
        let (roads, mode, turns) = (roads, mode, turns)
        roads.forEachArc(after: arc, of: edge, for: mode, turns) { next, nextEdge, turnMetres in
            var turn = Self.secondsPerTurnMetre * turnMetres
            if mode == .car, nextEdge.isLimited, !edge.isLimited { turn += Self.limitedEntrySeconds }
            add(
                Label(
                    arc: next, seconds: seconds + turn, turnSeconds: turnSeconds + turn, previous: previous, start: start, isSettled: false),
                cost: seconds + turn + rest)
        }
    }

    private mutating func add(_ label: Label, cost: Double) {
        if let number = table[label.arc] {
            guard !labels[number].isSettled, label.seconds < labels[number].seconds else { return }
            labels[number] = label
            heap.push(number, cost: cost)
        } else {
            table.add(label.arc, labels.count)
            labels.append(label)
            heap.push(labels.count - 1, cost: cost)
        }
    }
}
