/// A way over roads from one place to another.
public struct RoadRoute: Sendable, Equatable {
    /// The places along it: it begins and ends on the roads nearest to the wanted places.
    public var coordinates: [Coordinate]
    /// Its length in metres.
    public var lengthMetres: Double
    /// How long it takes at the usual speeds, in seconds; without traffic and lights.
    public var seconds: Double
    /// The roads in order.
    public var parts: [Part]
    /// How far each of the wanted places is from the road on which the route has it, in metres, in their order.
    public var offsetsMetres: [Double] = []

    /// The part of a route that is on one road.
    public struct Part: Sendable, Equatable {
        /// The road.
        public var road: Road
        /// Where it begins in ``RoadRoute/coordinates``.
        public var firstIndex: Int
    }
}

/// Why there is no route.
public enum RouteError: Error, Sendable, Equatable {
    /// No road of that mode is near the place with that index, of those that were given.
    case noRoad(place: Int)
    /// No way leads from the place with that index to the next one.
    case noWay(from: Int)
}

extension Roads {
    /// The quickest way from the first of the places over the others to the last, legal for the mode.
    ///
    /// Roads with limited access are used to arrive and to leave, not to pass through.
    /// - Parameters:
    ///   - places: two or more.
    ///   - mode: how the device travels.
    /// - Errors: no road within 500 m of a place, or no way.
    /// - Cost: A* (P. E. Hart, N. J. Nilsson, B. Raphael, 1968): about a quarter of a microsecond for each arc that may lie on the way; memory for
    ///   these only.
    public func route(_ places: [Coordinate], mode: TravelMode) throws(RouteError) -> RoadRoute {
        precondition(places.count >= 2, "a route has a start and an end")
        var route = RoadRoute(coordinates: [], lengthMetres: 0, seconds: 0, parts: [])
        var starts = RouteSearch.spots(near: places[0], self, mode)
        if starts.isEmpty { throw .noRoad(place: 0) }
        for index in 1..<places.count {
            let ends = RouteSearch.spots(near: places[index], self, mode)
            if ends.isEmpty { throw .noRoad(place: index) }
            guard let leg = RouteSearch(roads: self, mode: mode).leg(from: starts, to: ends, near: places[index]) else {
                throw .noWay(from: index - 1)
            }
            leg.append(to: &route, self, mode)
            if index == 1 { route.offsetsMetres.append(leg.start.distanceMetres) }
            route.offsetsMetres.append(leg.end.distanceMetres)
            // The next leg begins where this one has ended; turning round there is allowed.
            starts = ends.filter { $0.edge.number == leg.end.edge.number }
        }
        return route
    }
}

/// A place on an edge where a route may begin or end.
struct RouteSpot {
    var edge: RoadEdge
    var isOpen: (forward: Bool, backward: Bool)
    /// From the edge's own start.
    var alongMetres: Double
    var distanceMetres: Double

    func alongMetres(on arc: RoadArc) -> Double { arc.isReversed ? max(edge.lengthMetres - alongMetres, 0) : alongMetres }

    var arcs: [RoadArc] {
        [false, true].filter { $0 ? isOpen.backward : isOpen.forward }.map { RoadArc(edge: edge.number, isReversed: $0) }
    }
}

/// A part of a route, from one wanted place to the next.
struct RouteLeg {
    var arcs: [RoadArc]
    var start: RouteSpot
    var end: RouteSpot
    var turnSeconds: Double

    /// Adds the leg to a route, of which the last place is where this one begins.
    func append(to route: inout RoadRoute, _ roads: Roads, _ mode: TravelMode) {
        route.seconds += turnSeconds
        for (index, arc) in arcs.enumerated() {
            let edge = roads.edge(arc.edge)
            let from = index == 0 ? start.alongMetres(on: arc) : 0
            let to = index == arcs.count - 1 ? end.alongMetres(on: arc) : edge.lengthMetres
            let road = roads.road(ofEdge: edge)
            let piece = RouteLeg.piece(of: edge, arc, from, to, roads)
            if route.parts.last.map({ $0.road.wayNumber != road.wayNumber }) ?? true {
                route.parts.append(RoadRoute.Part(road: road, firstIndex: max(route.coordinates.count - 1, 0)))
            }
            for coordinate in piece where coordinate != route.coordinates.last { route.coordinates.append(coordinate) }
            route.lengthMetres += max(to - from, 0)
            route.seconds += max(to - from, 0) / mode.speedMetresPerSecond(limitKilometresPerHour: road.kilometresPerHour)
        }
    }

    /// The places of an arc between two lengths from its start.
    private static func piece(of edge: RoadEdge, _ arc: RoadArc, _ from: Double, _ to: Double, _ roads: Roads) -> [Coordinate] {
        var places: [RoadPlace] = []
        roads.appendPlaces(of: edge, to: &places)
        if arc.isReversed { places.reverse() }
        let plane = RoadPlane(around: places[0])
        let points = places.map { plane.point($0) }
        let whole = zip(points, points.dropFirst()).reduce(0) { $0 + PlanePoint.metres($1.0, $1.1) }
        // The shape is a little shorter than the road from which it was made.
        let scale = edge.lengthMetres > 0 ? whole / edge.lengthMetres : 1
        // An edge of a damaged file may have no shape, or a start behind its end.
        guard points.count > 1 else { return [places[0].coordinate] }
        let first = min(max(from * scale, 0), whole)
        let last = min(max(to * scale, first), whole)
        var piece: [Coordinate] = []
        var metres = 0.0
        for (index, (start, end)) in zip(points, points.dropFirst()).enumerated() {
            let length = PlanePoint.metres(start, end)
            func place(_ at: Double) -> Coordinate {
                let part = length > 0 ? min(max((at - metres) / length, 0), 1) : 0
                if part == 0 { return places[index].coordinate }
                if part == 1 { return places[index + 1].coordinate }
                return plane.coordinate(
                    PlanePoint(
                        eastMetres: start.eastMetres + part * (end.eastMetres - start.eastMetres),
                        northMetres: start.northMetres + part * (end.northMetres - start.northMetres)))
            }
            if metres + length >= first, metres <= last {
                if piece.isEmpty { piece.append(place(first)) }
                piece.append(place(last))
            }
            metres += length
        }
        return piece
    }
}

extension PlanePoint {
    /// The distance of two points.
    @inline(__always)
    static func metres(_ first: PlanePoint, _ second: PlanePoint) -> Double {
        PlanePoint(eastMetres: second.eastMetres - first.eastMetres, northMetres: second.northMetres - first.northMetres).distanceMetres
    }
}
