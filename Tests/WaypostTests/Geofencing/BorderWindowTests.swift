import Testing
import WaypostTestKit

@testable import Waypost

/// `exact` counts crossings in a window of borders; places held against every fence say the same.
struct BorderWindowTests {
    /// Town, antimeridian, near a pole and on it, where the windows end, and half way round the Earth.
    private static let regions =
        RandomFences.regions
        + [(-0.001, 0.001), (89.9985, 30.0)].map { Coordinate(cuttingLatitudeDegrees: $0.0, wrappingLongitudeDegrees: $0.1) }

    /// On the grid of seven decimals, where ways end on corners and lead along edges.
    private func grid(_ place: Coordinate) -> Coordinate {
        Coordinate(
            cuttingLatitudeDegrees: (place.latitudeDegrees * 1e7).rounded() / 1e7,
            wrappingLongitudeDegrees: (place.longitudeDegrees * 1e7).rounded() / 1e7)
    }

    /// Steps of all sizes, some that end on corners of fences or go nowhere, among few fences and among many.
    @Test(arguments: regions, [6, 200])
    func findsTheFencesThatHoldAPlace(region: Coordinate, count: Int) throws {
        var random = SeededGenerator(seed: UInt64(71 + count))
        var fences = try (0..<count).map { try RandomFences.fence($0, near: region, &random) }
        fences.append(Geofence(id: "wide", shape: try .circle(centre: region, radiusMetres: 150_000)))
        var corners: [Coordinate] = []
        for place in fences.indices where place % 2 == 0 {
            guard case .polygons(let rings) = fences[place].shape, rings.ringsPerPolygon == [1] else { continue }
            fences[place].shape = try .polygon(rings.corners.map { $0.map(grid) })
            corners += rings.corners[0].map(grid)
        }
        var monitor = GeofenceMonitor(fences: FenceIndex(fences), rule: .exact)
        var inside: Set<String> = []
        var place = region
        var heading = 0.0
        var crossings = 0
        for second in 0..<500 {
            heading += Double.random(in: -40...40, using: &random)
            switch Int.random(in: 0..<20, using: &random) {
            case 0: place = corners.randomElement(using: &random) ?? place
            case 1: break
            case 2: place = RandomFences.place(near: region, within: second % 50 == 0 ? 300_000 : 3_000, &random)
            default:
                let metres = [0.01, 3, 30, 300][second / 50 % 4] * Double.random(in: 0.1...1, using: &random)
                place = Geodesic.end(from: place, azimuthDegrees: heading, distanceMetres: metres).coordinate
                if second % 2 == 0 { place = grid(place) }
            }
            for event in monitor.process(.fix(place, second: Double(second))) {
                switch event.kind {
                case .enter: #expect(inside.insert(event.fenceID).inserted)
                case .exit: #expect(inside.remove(event.fenceID) != nil)
                case .pass, .dwell: break
                }
                crossings += 1
            }
            if second == 0 { inside = Set(monitor.fencesInside.map(\.id)) }
            let holding = fences.filter { $0.shape.contains(place) }
            #expect(inside == Set(holding.map(\.id)), "second \(second) at \(place)")
            #expect(monitor.fencesInside.map(\.id) == holding.map(\.id), "second \(second) at \(place)")
        }
        #expect(crossings > 5)
    }

    /// What leads through between two fixes is a pass, in one fence or the other.
    @Test func findsWhatIsPassedThroughInOneStep() throws {
        func place(_ east: Double, _ north: Double) -> Coordinate {
            Coordinate(cuttingLatitudeDegrees: 47 + north / 1e5, wrappingLongitudeDegrees: 8 + east / 1e5)
        }
        let strip = try FenceShape.polygon([[place(10, -50), place(11, -50), place(11, 50), place(10, 50)]])
        let disc = try FenceShape.circle(centre: place(10.5, 0), radiusMetres: 0.3)
        var monitor = GeofenceMonitor(
            fences: FenceIndex([Geofence(id: "strip", shape: strip), Geofence(id: "disc", shape: disc)]), rule: .exact)
        var events: [GeofenceEvent] = []
        for step in 0..<10 { events += monitor.process(.fix(place(Double(step) * 3, 0.001), second: Double(step))) }
        #expect(monitor.window.isOpen)
        #expect(events.map(\.kind) == [.pass, .pass])
        #expect(Set(events.map(\.fenceID)) == ["strip", "disc"])
        let crossed = events.first { $0.fenceID == "strip" }?.crossedAt?.millisecondsSince1970
        #expect(crossed == events.first?.time?.advanced(byMilliseconds: -667).millisecondsSince1970)
    }

    /// A way over a corner, along an edge or up to one is for exact arithmetic.
    @Test func leavesOpenWhatRoundingsCouldDecide() {
        let edge = ((longitude: 8.0, latitude: 47.0), (longitude: 8.001, latitude: 47.0))
        func crossings(_ ax: Double, _ ay: Double, _ bx: Double, _ by: Double) -> WayCrossings.Found {
            var crossings = WayCrossings(LonLatEdge(ax: ax, ay: ay, bx: bx, by: by), turn: 0)
            crossings.add(edge.0, edge.1)
            return crossings.found
        }
        let through = crossings(8.0005, 46.999, 8.0005, 47.003)
        #expect(through.count == 1 && !through.isOpen)
        #expect(abs(through.crossing.first - 0.25) < 1e-9)
        for (ax, ay, bx, by) in [(8.0, 46.999, 8.0, 47.001), (8.0002, 47.0, 8.0007, 47.0), (8.0005, 46.999, 8.0005, 47.0)] {
            let doubtful = crossings(ax, ay, bx, by)
            #expect(doubtful.count == 0 && doubtful.isOpen, "\(ax) \(ay) \(bx) \(by)")
        }
        for (ax, ay, bx, by) in [(8.0, 46.9, 8.001, 46.99), (8.002, 46.999, 8.002, 47.001), (8.0005, 47.0001, 8.0005, 47.1)] {
            let beside = crossings(ax, ay, bx, by)
            #expect(beside.count == 0 && !beside.isOpen, "\(ax) \(ay) \(bx) \(by)")
        }
    }

    /// A hole is written on the side of the antimeridian on which its ring is.
    @Test func keepsAHoleBesideItsRing() throws {
        func ring(_ size: Double, from first: Double) -> [Coordinate] {
            [(first, 0.0), (179.999 - size, -size), (-179.999 + size, size)].map {
                Coordinate(cuttingLatitudeDegrees: $0.1, wrappingLongitudeDegrees: $0.0)
            }
        }
        let shape = try FenceShape.polygon([ring(0.01, from: -179.99), ring(0.002, from: 179.9995)])
        guard case .polygons(let rings) = shape else { return #expect(Bool(false), "not polygons") }
        #expect(rings.table.header.pointee.isLocal)
        #expect(rings.east - rings.west < 0.1)
        #expect(rings.corners[1][0].longitudeDegrees == 179.9995)
    }

    /// Pieces of borders stay where they were until the trees are made anew; what is removed says nothing meanwhile, and nothing after.
    @Test func forgetsWhatIsRemovedWhileTreesKnowIt() throws {
        var random = SeededGenerator(seed: 5)
        let middle = Coordinate(cuttingLatitudeDegrees: 47.4, wrappingLongitudeDegrees: 8.5)
        func fence(_ id: Int) throws -> Geofence {
            let centre = RandomFences.place(near: middle, within: 150, &random)
            return Geofence(id: "\(id)", shape: try .polygon([RandomFences.star(centre, 60, corners: 30, &random)]))
        }
        var monitor = GeofenceMonitor(fences: FenceIndex(try (0..<400).map(fence)), rule: .exact)
        var alive = Set((0..<400).map(String.init))
        var place = middle
        for second in 0..<400 {
            let gone = try #require(alive.randomElement(using: &random))
            alive.remove(gone)
            _ = monitor.remove(id: gone)
            if second % 3 == 0 {
                alive.insert("\(400 + second)")
                _ = monitor.add(try fence(400 + second))
            }
            for step in 0..<3 {
                place = RandomFences.place(near: second % 20 == 0 ? middle : place, within: 12, &random)
                let events = monitor.process(.fix(place, second: Double(3 * second + step)))
                #expect(events.allSatisfy { alive.contains($0.fenceID) })
            }
            #expect(monitor.window.isOpen)
            let inside = monitor.index.fences.filter { $0.shape.contains(place) }
            #expect(monitor.fencesInside.map(\.id) == inside.map(\.id), "second \(second)")
        }
    }

    /// Visits that begin with one fix are numbered by when they did, then by the ids: of fences that are passed, too.
    @Test func numbersTheVisitsOfAFixInTheirOrder() throws {
        func place(_ east: Double) -> Coordinate { Coordinate(cuttingLatitudeDegrees: 47, wrappingLongitudeDegrees: 8 + east / 1e5) }
        func strip(_ id: String, _ west: Double, _ east: Double) throws -> Geofence {
            let corners = [(west, -1.0), (east, -1), (east, 1), (west, 1)].map {
                Coordinate(cuttingLatitudeDegrees: 47 + $0.1 / 1e3, wrappingLongitudeDegrees: 8 + $0.0 / 1e5)
            }
            return Geofence(id: id, shape: try .polygon([corners]))
        }
        let fences = try [strip("z", 12, 40), strip("b", 14, 15), strip("c", 12, 50), strip("a", 11, 60), strip("d", 16, 17)]
        var monitor = GeofenceMonitor(fences: FenceIndex(fences), rule: .exact)
        var events: [GeofenceEvent] = []
        for step in 0..<3 { events += monitor.process(.fix(place(Double(step) * 10), second: Double(step) * 10)) }
        #expect(monitor.window.isOpen)
        #expect(events.map(\.fenceID) == ["a", "c", "z", "b", "d"])
        #expect(events.map(\.visit) == [1, 2, 3, 4, 5])
        #expect(monitor.visits.values.map(\.number).sorted() == [1, 2, 3])
        #expect(monitor.process(.fix(place(100), second: 30)).map(\.visit) == [3, 2, 1])
    }
}
