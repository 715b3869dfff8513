import Testing
import WaypostTestKit

@testable import Waypost

/// Borders where numbers end: from pole to pole, unrolled as far as the grid reaches, beside their rings, and round circles of many kilometres.
struct BorderExtremesTests {
    private func place(_ longitude: Double, _ latitude: Double) -> Coordinate {
        Coordinate(cuttingLatitudeDegrees: latitude, wrappingLongitudeDegrees: longitude)
    }

    /// Holds `exact`, in a window where a border is near, against the fences themselves; gives what happened.
    @discardableResult
    private func follow(_ shapes: [FenceShape], _ way: [Coordinate], isNear: Bool = true) -> [GeofenceEvent.Kind] {
        let fences = shapes.enumerated().map { Geofence(id: "\($0.offset)", shape: $0.element) }
        var monitor = GeofenceMonitor(fences: FenceIndex(fences), rule: .exact)
        var kinds: [GeofenceEvent.Kind] = []
        for (second, place) in way.enumerated() {
            kinds += monitor.process(.fix(place, second: Double(second))).map(\.kind)
            #expect(monitor.fencesInside.map(\.id) == fences.filter { $0.shape.contains(place) }.map(\.id), "\(place)")
        }
        #expect(monitor.window.isOpen == isNear)
        return kinds
    }

    /// Half a turn of latitudes does not fit 32 bits; a time zone is as high, and so are two fences on both poles together.
    @Test func takesFencesFromPoleToPole() throws {
        let way = [7.499, 7.4995, 7.5005, 7.501].map { place($0, 47) }
        let strip = try FenceShape.polygon([[place(7.5, -90), place(9, -90), place(9, 90), place(7.5, 90)]])
        #expect(follow([strip], way) == [.enter])
        let zone = try FenceShape.polygon([[(7.5, -90), (22.5, -90), (22.5, 0), (22.5, 90), (7.5, 90), (7.5, 0)].map { place($0.0, $0.1) }])
        #expect(follow([zone], way) == [.enter])
        #expect(follow([zone], [89.9898, 89.98985, 89.9899].map { place(7.49, $0) } + [place(7.51, 89.9899)]) == [.enter])
        #expect(follow([zone], [-89.9898, -89.98985, -89.9899].map { place(22.51, $0) } + [place(22.49, -89.9899)]) == [.enter])
        let poles = try [-90.0, 90].map { pole in
            try FenceShape.polygon([[place(0, pole), place(10, pole), place(10, pole * 8 / 9), place(0, pole * 8 / 9)]])
        }
        #expect(follow(poles, way, isNear: false).isEmpty)
        #expect(follow(poles, [-79.9990, -79.9995, -80.0005].map { place(5, $0) }) == [.enter])
        // Off the grid, the boxes of groups are of floats, which may lie beyond the pole.
        let wide = try FenceShape.polygon([[(0, -90), (20, -90), (40, -90), (40, -80), (20, -80), (0, -80)].map { place($0.0, $0.1) }])
        let high = try FenceShape.polygon([[(0, 89.99999991), (20, 89.9), (40, 89.9), (40, 80), (0, 80)].map { place($0.0, $0.1) }])
        #expect(follow([wide, high], way, isNear: false).isEmpty)
    }

    /// At a pole itself there is no map, and no distance on it; the way there and back is as any other, under both rules.
    @Test(arguments: [90.0, -90], [BorderRule.exact, .robust])
    func goesOnBeyondAPole(pole: Double, rule: BorderRule) throws {
        let side = pole / 90
        let ring = try FenceShape.polygon([[0.0, 90, 180, -90].map { place($0, side * 89.9) }])
        let circle = try FenceShape.circle(centre: place(20, side * 89.999), radiusMetres: 20_000)
        let ways: [(way: [(Double, Double)], kinds: [GeofenceEvent.Kind])] = [
            ([(10, 53), (0, 90), (10, 53), (11, 53)], [.enter, .exit]), ([(10, 53), (0, 90), (170, 53), (170, 52)], [.enter, .exit]),
            ([(0, 89.95), (0, 90), (0, 89.85), (0, 89.7), (0, 89.6), (0, 89.5)], [.exit]),
            ([(0, 89.5), (0, 89.7), (0, 89.95), (0, 90), (180, 90), (180, 89.95), (180, 89.7), (180, 89.5)], [.enter, .exit]),
        ]
        for (way, kinds) in ways {
            var monitor = GeofenceMonitor(
                fences: FenceIndex([ring, circle].enumerated().map { Geofence(id: "\($0.offset)", shape: $0.element) }), rule: rule)
            var found: [String: [GeofenceEvent.Kind]] = [:]
            for (index, point) in way.enumerated() {
                // No faster than a robust rule believes.
                let second = Double(index) * 100_000
                for event in monitor.process(.fix(place(point.0, side * point.1), second: second)) {
                    found[event.fenceID, default: []].append(event.kind)
                }
            }
            #expect(found == ["0": kinds, "1": kinds], "\(way)")
        }
    }

    /// Corners unrolled over the antimeridian up to 214.7483647 degrees; ways beyond that, on either side.
    @Test(arguments: [1.0, -1])
    func countsCrossingsAsFarAsTheGridReaches(side: Double) throws {
        let ring = [(150.0, 10.0), (180, 10), (200, 10), (214.74, 10), (214.74, 11), (200, 11), (180, 11), (150, 11)]
        let shape = try FenceShape.polygon([ring.map { place(side * $0.0, $0.1) }])
        let way = [214.73, 214.735, 214.73999, 214.75, 214.751, 214.739].map { place(side * $0, 10.5) }
        #expect(follow([shape], way) == [.exit, .enter])
    }

    /// A hole that does not lie in its ring takes nothing away from it.
    @Test func isNotInsideOfAHoleBesideItsRing() throws {
        func square(_ west: Double, _ south: Double, _ size: Double) -> [Coordinate] {
            [(west, south), (west + size, south), (west + size, south + size), (west, south + size)].map { place($0.0, $0.1) }
        }
        let shape = try FenceShape.polygon([square(8, 47, 0.001), square(8.0012, 47.0002, 0.0002)])
        let kinds = follow([shape], [8.00105, 8.00115, 8.00125, 8.0015].map { place($0, 47.0003) })
        #expect(!kinds.contains(.enter) && !kinds.contains(.exit))
    }

    /// Chords are shorter than arcs: by 0.75 m of 90 km.
    @Test func findsTheBorderOfACircleOfManyKilometres() throws {
        let centre = place(8, 47)
        let way = [90_003.0, 90_001, 90_000.2, 89_999.95, 89_999.9].map {
            Geodesic.end(from: centre, azimuthDegrees: 90, distanceMetres: $0).coordinate
        }
        #expect(follow([try .circle(centre: centre, radiusMetres: 90_000)], way) == [.enter])
    }
}
