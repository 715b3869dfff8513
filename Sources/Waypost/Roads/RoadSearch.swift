/// Shortest ways from one place of the network to several arcs near another place.
///
/// The search goes over arcs and not over nodes, so that turns can cost something or be forbidden.
/// - Source: E. W. Dijkstra, A note on two problems in connexion with graphs (1959).
/// - Cost: what lies in the ellipse of the bound around both places; its memory is used again.
struct RoadSearch {
    /// The way to an arc's start.
    private struct Label {
        var arc: RoadArc
        /// The length of the way in metres.
        var metres: Double
        /// The cost of its turns in metres.
        var turnMetres: Double
        var isSettled: Bool
    }

    /// A target that was reached, and the length of the way to its start and the cost of its turns, in metres.
    struct Way {
        var target: Int
        var metres: Double
        var turnMetres: Double
    }

    /// The targets that the last search has reached.
    private(set) var found: [Way] = []
    private var labels: [Label] = []
    private var table = ArcTable(capacity: 256)
    private var heap = CostHeap()

    /// Searches from a place on an arc until all targets are reached, or no way within the bound is left.
    ///
    /// - Parameters:
    ///   - metresToEnd: how much of the arc lies before the place where it begins.
    ///   - boundMetres: how long ways may be.
    ///   - greatestTurnMetres: what their turns may cost.
    ///   - targets: the numbers of the targets by their arcs.
    ///   - goal: the place that all targets are near, in 1e-7 degrees, how near they are in metres, and the plane there.
    mutating func search(
        _ roads: Roads, mode: TravelMode, turns: TurnCost, from start: RoadArc, metresToEnd: Double, boundMetres: Double,
        greatestTurnMetres: Double, targets: borrowing ArcTable, goal: (plane: RoadPlane, point: PlanePoint, radiusMetres: Double)
    ) {
        found.removeAll(keepingCapacity: true)
        labels.removeAll(keepingCapacity: true)
        table.removeAll()
        heap.removeAll()
        var left = targets.count
        guard metresToEnd <= boundMetres else { return }
        leave(
            start, roads.edge(start.edge), metres: metresToEnd, turnMetres: 0, roads, mode, turns, boundMetres, greatestTurnMetres, goal)
        while left > 0, let (_, number) = heap.pop() {
            if labels[number].isSettled { continue }
            labels[number].isSettled = true
            let label = labels[number]
            if let target = targets[label.arc] {
                found.append(Way(target: target, metres: label.metres, turnMetres: label.turnMetres))
                left -= 1
            }
            let edge = roads.edge(label.arc.edge)
            let metres = label.metres + edge.lengthMetres
            if metres > boundMetres { continue }
            leave(
                label.arc, edge, metres: metres, turnMetres: label.turnMetres, roads, mode, turns, boundMetres, greatestTurnMetres, goal)
        }
    }

    /// Adds the arcs that follow one.
    @inline(__always)
    private mutating func leave(
        _ arc: RoadArc, _ edge: RoadEdge, metres: Double, turnMetres: Double, _ roads: Roads, _ mode: TravelMode, _ turns: TurnCost,
        _ boundMetres: Double, _ greatestTurnMetres: Double, _ goal: (plane: RoadPlane, point: PlanePoint, radiusMetres: Double)
    ) {
        let node = edge.end(isReversed: arc.isReversed)
        // Too far round: the rest of the way is at least the straight line.
        let place = goal.plane.point(roads.place(ofNode: node))
        let east = place.eastMetres - goal.point.eastMetres
        let north = place.northMetres - goal.point.northMetres
        let rest = max(boundMetres - metres + goal.radiusMetres, 0)
        if east * east + north * north > rest * rest { return }
        roads.forEachArc(after: arc, of: edge, for: mode, turns) { next, _, turn in
            if turnMetres + turn <= greatestTurnMetres {
                add(Label(arc: next, metres: metres, turnMetres: turnMetres + turn, isSettled: false))
            }
        }
    }

    @inline(__always)
    private mutating func add(_ label: Label) {
        let cost = label.metres + label.turnMetres
        if let number = table[label.arc] {
            guard !labels[number].isSettled, cost < labels[number].metres + labels[number].turnMetres else { return }
            labels[number] = label
            heap.push(number, cost: cost)
        } else {
            table.add(label.arc, labels.count)
            labels.append(label)
            heap.push(labels.count - 1, cost: cost)
        }
    }
}
