import Testing
import WaypostTestKit

@testable import Waypost

/// The quick ways of the engine against the slow and exact ones.
struct FenceEngineTests {
    /// Four edges at a time on the grid, chords for circles: the side must be the exact one, the clearance a lower bound.
    @Test(arguments: RandomFences.regions)
    func sidesAndClearancesHold(region: Coordinate) throws {
        var random = SeededGenerator(seed: 61)
        for number in 0..<100 {
            var fence = try RandomFences.fence(number, near: region, &random)
            if number % 2 == 0, case .polygons(let rings) = fence.shape, rings.ringsPerPolygon.count == 1 {
                // On the grid of seven decimals, the other half of the polygons is not.
                fence.shape = try .polygon(rings.corners.map { $0.map { grid($0) } })
            }
            let figure = FenceFigure(fence.shape)
            defer { withExtendedLifetime(fence) {} }
            let home = FenceProbe(region)
            for round in 0..<60 {
                var place = RandomFences.place(near: region, within: [50, 3_000, 30_000, 3e6][round % 4], &random)
                if round % 3 == 0 { place = grid(place) }
                let probe = FenceProbe(place, near: home)
                let signed = fence.shape.signedDistanceMetres(to: place)
                let (isInside, clearance) = figure.side(probe) ?? fence.shape.preciseSide(probe)
                #expect(isInside == fence.shape.contains(place), "fence \(number) at \(place)")
                #expect(clearance <= abs(signed) + 1e-6, "fence \(number) at \(place)")
                // Near by the bound is tight: a fence is not looked at more often than needed.
                if abs(signed) < 1_000, abs(region.latitudeDegrees) < 80 {
                    #expect(clearance > 0.9 * abs(signed) - 0.1, "fence \(number) at \(place)")
                }
            }
        }
    }

    /// Places on corners, edges and their meridians, where a rounding would show.
    @Test func cornersAndTheirMeridiansBelongToTheRing() throws {
        var random = SeededGenerator(seed: 62)
        for _ in 0..<50 {
            let corners = RandomFences.star(RandomFences.regions[0], 300, corners: 21, &random).map { grid($0) }
            let shape = try FenceShape.polygon([corners])
            // A figure is only good as long as its shape lives.
            let figure = FenceFigure(shape)
            defer { withExtendedLifetime(shape) {} }
            for corner in corners {
                #expect(figure.side(FenceProbe(corner))?.isInside == true)
                for north in [-1e-6, 1e-6, 0.01] {
                    let beside = Coordinate(
                        cuttingLatitudeDegrees: corner.latitudeDegrees + north, wrappingLongitudeDegrees: corner.longitudeDegrees)
                    #expect(figure.side(FenceProbe(beside))?.isInside == windingHolds(corners, beside))
                }
            }
        }
    }

    /// By whole numbers of 1e-7 degrees: no rounding at all.
    private func windingHolds(_ corners: [Coordinate], _ place: Coordinate) -> Bool {
        func steps(_ degrees: Double) -> Int { Int((degrees * 1e7).rounded()) }
        let (x, y) = (steps(place.longitudeDegrees), steps(place.latitudeDegrees))
        var isIn = false
        for (a, b) in zip(corners, corners.dropFirst() + corners.prefix(1)) {
            let (ax, ay, bx, by) = (
                steps(a.longitudeDegrees), steps(a.latitudeDegrees), steps(b.longitudeDegrees), steps(b.latitudeDegrees)
            )
            guard (ax <= x) != (bx <= x) else { continue }
            let area = (bx - ax) * (y - ay) - (by - ay) * (x - ax)
            if area == 0 { return true }
            if (area < 0) == (bx > ax) { isIn.toggle() }
        }
        return isIn
    }

    private func grid(_ place: Coordinate) -> Coordinate {
        Coordinate(
            cuttingLatitudeDegrees: (place.latitudeDegrees * 1e7).rounded() / 1e7,
            wrappingLongitudeDegrees: (place.longitudeDegrees * 1e7).rounded() / 1e7)
    }

    /// A monitor whose fences come and go is the same as one that is made of them at once.
    @Test(arguments: RandomFences.regions.prefix(3))
    func fencesThatComeAndGoLeaveNothingBehind(region: Coordinate) throws {
        var random = SeededGenerator(seed: 63)
        let path = RandomFences.path(near: region, count: 600, &random)
        var current: [String: Geofence] = [:]
        var monitor = GeofenceMonitor(fences: FenceIndex(), rule: .exact)
        var inside: Set<String> = []
        for (second, place) in path.enumerated() {
            if second % 5 == 0 {
                var fence = try RandomFences.fence(second, near: region, &random)
                fence.id = "\(Int.random(in: 0..<60, using: &random))"
                for event in monitor.add(fence) { #expect(event.kind == .exit && inside.remove(event.fenceID) != nil) }
                current[fence.id] = fence
            }
            if second % 7 == 0, let gone = current.keys.sorted().randomElement(using: &random) {
                for event in monitor.remove(id: gone) { #expect(event.kind == .exit && inside.remove(event.fenceID) != nil) }
                current[gone] = nil
            }
            if second == 300 {
                let kept = current.values.filter { _ in Bool.random(using: &random) }
                for event in monitor.replaceFences(with: kept) { #expect(event.kind == .exit && inside.remove(event.fenceID) != nil) }
                current = Dictionary(uniqueKeysWithValues: kept.map { ($0.id, $0) })
            }
            for event in monitor.process(.fix(place, second: Double(second))) {
                switch event.kind {
                case .enter: #expect(inside.insert(event.fenceID).inserted)
                case .exit: #expect(inside.remove(event.fenceID) != nil)
                case .pass, .dwell: break
                }
            }
            inside = Set(monitor.fencesInside.map(\.id))
            #expect(inside == Set(current.values.filter { $0.shape.contains(place) }.map(\.id)), "fix \(second)")
        }
        #expect(Set(monitor.index.fences) == Set(current.values))
    }

    /// A ring of 50 000 corners is made, searched and measured without a look at each of them.
    @Test func takesARingOfFiftyThousandCorners() throws {
        var random = SeededGenerator(seed: 64)
        let ring = RandomFences.star(RandomFences.regions[0], 20_000, corners: 50_000, &random).map { grid($0) }
        let shape = try FenceShape.polygon([ring])
        var monitor = GeofenceMonitor(fences: FenceIndex([Geofence(id: "a", shape: shape)]), rule: .exact)
        let path = RandomFences.path(near: RandomFences.regions[0], count: 500, &random)
        for (second, place) in path.enumerated() { #expect(monitor.process(.fix(place, second: Double(second))).isEmpty) }
        #expect(monitor.fencesInside.count == 1)
    }

    /// Discs on which a fix is quiet: no way in them is longer than they say.
    @Test(arguments: RandomFences.regions)
    func discsOfTravelAreConvexAndNotTooWide(region: Coordinate) throws {
        var random = SeededGenerator(seed: 65)
        for round in 0..<400 {
            let metres = [5.0, 300, 20_000][round % 3]
            let middle = RandomFences.place(near: region, within: 5_000, &random)
            let disc = TravelDisc(round: FenceProbe(middle), metres: metres)
            let (a, b) = (
                RandomFences.place(near: middle, within: metres, &random), RandomFences.place(near: middle, within: metres, &random)
            )
            let way = LonLatEdge(from: a, to: b)
            let bounds = disc.bounds(of: way)
            for share in stride(from: 0.0, through: 1, by: 0.125) {
                let distance = Geodesic.distanceMetres(from: middle, to: way.place(share))
                if disc.contains(a), disc.contains(b) { #expect(distance < metres) }
                if let bounds { #expect(distance <= bounds.furthestMetres + 1e-6) }
            }
            if let bounds { #expect(Geodesic.distanceMetres(from: a, to: b) <= bounds.longestMetres + 1e-6) }
        }
    }
}
