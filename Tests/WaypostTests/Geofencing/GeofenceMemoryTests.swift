import Testing
import WaypostTestKit

@testable import Waypost

/// What a monitor keeps depends on the fences round it, not on how long it has run; a million fixes: `measure.sh fence_soak`.
struct GeofenceMemoryTests {
    @Test(arguments: BorderRule.allCases)
    func keepsNoMoreAfterManyRoundsThanAfterAFew(rule: BorderRule) throws {
        var random = SeededGenerator(seed: 71)
        let region = RandomFences.regions[0]
        let fences = try (0..<150).map { try RandomFences.fence($0, near: region, &random) }
        let there = RandomFences.path(near: region, count: 200, &random)
        let round = there + there.reversed()
        var monitor = GeofenceMonitor(fences: FenceIndex(fences), rule: rule)
        var most: [(held: Int, stored: Int)] = []
        for lap in 0..<16 {
            var (held, stored) = (0, 0)
            for (second, place) in round.enumerated() {
                _ = monitor.process(.fix(place, second: Double(lap * round.count + second)))
                held = max(held, heldEntries(monitor))
            }
            stored = monitor.progress.encoded().count
            most.append((held, stored))
        }
        let (early, late) = (most[..<4], most[4...])
        let (heldEarly, heldLate) = (early.map(\.held).max() ?? 0, late.map(\.held).max() ?? .max)
        #expect(heldEarly > 0 && heldLate <= heldEarly + heldEarly / 4, "\(heldEarly) entries, then \(heldLate)")
        let (storedEarly, storedLate) = (early.map(\.stored).max() ?? 0, late.map(\.stored).max() ?? .max)
        #expect(storedLate <= storedEarly + storedEarly / 4, "\(storedEarly) bytes, then \(storedLate)")
    }

    /// All that a monitor has beside one entry a fence.
    private func heldEntries(_ monitor: GeofenceMonitor) -> Int {
        monitor.neighbourhood.gathered.count + monitor.visits.count + monitor.crossings.count + monitor.nearSince.count
            + monitor.soughtSince.count + monitor.late.count + monitor.fresh.count + monitor.estimator.way.points.count
    }

    /// They are a tenth of what 100 000 fences take.
    @Test func makesBordersOnlyForTheRuleThatUsesThem() throws {
        var random = SeededGenerator(seed: 73)
        let fences = try (0..<200).map { try RandomFences.fence($0, near: RandomFences.regions[$0 % 5], &random) }
        var index = FenceIndex(fences)
        #expect(!index.hasBorders)
        var monitor = GeofenceMonitor(fences: index)
        _ = monitor.replaceFences(with: Array(fences.dropFirst(150)))
        #expect(!monitor.index.hasBorders)
        #expect(GeofenceMonitor(fences: index, rule: .exact).index.hasBorders)
        #expect(!GeofenceMonitor(fences: index, rule: .exact, maxActive: 5).index.hasBorders)
        index.prepare(for: .robust)
        #expect(!index.hasBorders)
    }

    /// Slots follow the place on the Earth; whoever asks gets fences in the order in which they came.
    @Test func givesFencesInTheOrderInWhichTheyCame() throws {
        var random = SeededGenerator(seed: 72)
        let fences = try (0..<200).map { try RandomFences.fence($0, near: RandomFences.regions[$0 % 5], &random) }
        var index = FenceIndex(fences)
        #expect(index.fences.map(\.id) == fences.map(\.id))
        var moved = fences[3]
        moved.id = "7"
        index.add(moved)
        index.remove(id: "5")
        var ids = fences.map(\.id).filter { id in id != "7" && id != "5" }
        ids.append("7")
        #expect(index.fences.map(\.id) == ids)
        #expect(FenceIndex(fences + [moved]).fences.last == moved)
    }
}
