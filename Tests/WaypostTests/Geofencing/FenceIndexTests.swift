import Testing
import WaypostTestKit

@testable import Waypost

struct FenceIndexTests {
    @Test func findsWhatALinearSearchFindsWhileFencesComeAndGo() throws {
        var random = SeededGenerator(seed: 21)
        var index = FenceIndex()
        var plain: [String: Geofence] = [:]
        for round in 0..<1_500 {
            let region = RandomFences.regions[round % RandomFences.regions.count]
            // Ids repeat: some additions replace.
            let fence = try RandomFences.fence(round, near: region, &random)
            var named = fence
            named.id = "\(Int.random(in: 0..<600, using: &random))"
            index.add(named)
            plain[named.id] = named
            if round % 3 == 0, let gone = plain.keys.sorted().randomElement(using: &random) {
                #expect(index.remove(id: gone) == plain.removeValue(forKey: gone))
            }
            guard round % 50 == 0 else { continue }
            let place = RandomFences.place(near: region, within: 3_000, &random)
            for metres in [0.0, 100, 2_000, 1e7] {
                let found = index.fences(within: metres, of: place)
                let expected = plain.values.filter { $0.shape.signedDistanceMetres(to: place) <= metres }
                #expect(Set(found.map(\.fence.id)) == Set(expected.map(\.id)), "within \(metres) m of \(place)")
                #expect(found.map { abs($0.signedDistanceMetres) } == found.map { abs($0.signedDistanceMetres) }.sorted())
            }
        }
        #expect(index.count == plain.count)
        #expect(Set(index.fences) == Set(plain.values))
        #expect(index.remove(id: "none") == nil)
    }

    @Test func keepsTheLastOfSeveralWithOneID() throws {
        let here = RandomFences.regions[0]
        let small = Geofence(id: "a", shape: try .circle(centre: here, radiusMetres: 10))
        let large = Geofence(id: "a", shape: try .circle(centre: here, radiusMetres: 1_000))
        let index = FenceIndex([small, large])
        #expect(index.count == 1)
        #expect(index["a"] == large)
    }
}
