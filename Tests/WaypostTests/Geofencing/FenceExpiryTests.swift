import Testing
import WaypostTestKit

@testable import Waypost

/// A date that is not confirmed expires no fence, and a fence that a wrong date has ended lives again.
struct FenceExpiryTests {
    private let home = RandomFences.regions[0]
    private static let year: Int64 = 365 * 86_400

    /// A fence that ends half a year after the first fix.
    private func fence() throws -> Geofence {
        let end = try #require(Position.fix(home, second: Double(FenceExpiryTests.year / 2)).time)
        return Geofence(id: "yard", shape: try .circle(centre: home, radiusMetres: 100), expires: end)
    }

    /// Live fixes, one a second; the date says so many seconds more than it is, or nothing.
    private func events(
        of seconds: Range<Int>, by monitor: inout GeofenceMonitor, east: (Int) -> Double = { _ in 0 },
        ahead: (Int) -> Int64?
    ) -> [String] {
        var words: [String] = []
        for second in seconds {
            let place = LocalFrame(origin: home).coordinate(PlanePoint(eastMetres: east(second), northMetres: 0.01 * Double(second % 3)))
            var fix = Position.fix(place, second: Double(second))
            fix.time = ahead(second).flatMap { fix.time?.advanced(byMilliseconds: $0 * 1_000) }
            fix.moment.milliseconds = 5_000 + Int64(second) * 1_000
            words += monitor.process(fix).map { "\(second) \($0.kind) \($0.reason)" }
        }
        return words
    }

    private func monitor(_ rule: BorderRule) throws -> GeofenceMonitor { GeofenceMonitor(fences: FenceIndex([try fence()]), rule: rule) }

    /// One wrong date among right ones, at any fix, and a stretch of them after an hour's worth of trust.
    @Test(arguments: BorderRule.allCases, [0..<1, 1..<2, 3..<4, 7..<8, 70..<71, 70..<100, 0..<4])
    func aWrongDateEndsNothing(rule: BorderRule, wrong: Range<Int>) throws {
        var monitor = try monitor(rule)
        let stay = events(of: 0..<120, by: &monitor) { wrong.contains($0) ? 10 * FenceExpiryTests.year : 0 }
        #expect(stay.isEmpty, "\(stay)")
        #expect(monitor.fencesInside.count == 1)
        let exit = events(of: 120..<200, by: &monitor, east: { Double($0 - 120) * 10 }, ahead: { _ in 0 })
        #expect(exit.count == 1 && exit[0].hasSuffix("exit crossed"), "\(exit)")
    }

    /// A wrong date that is confirmed at the start, as nothing contradicts it, and contradicted later.
    @Test(arguments: BorderRule.allCases) func livesAgainWhenTheDateIsRightAgain(rule: BorderRule) throws {
        var monitor = try monitor(rule)
        let start = events(of: 0..<3, by: &monitor) { _ in nil }
        #expect(start.isEmpty)
        let end = events(of: 3..<20, by: &monitor) { _ in 10 * FenceExpiryTests.year }
        #expect(end.count == 1 && end[0].hasSuffix("exit expired"), "\(end)")
        let back = events(of: 20..<60, by: &monitor) { _ in 0 }
        #expect(back.count == 1 && back[0].hasSuffix("enter crossed"), "\(back)")
        #expect(monitor.index.count == 1)
    }

    @Test(arguments: BorderRule.allCases) func aConfirmedDateEndsAStay(rule: BorderRule) throws {
        var monitor = try monitor(rule)
        let stay = events(of: 0..<70, by: &monitor) { _ in FenceExpiryTests.year / 2 - 80 }
        let end = events(of: 70..<100, by: &monitor) { _ in FenceExpiryTests.year / 2 - 80 }
        #expect(stay.isEmpty && end == ["80 exit expired"], "\(stay) \(end)")
        let later = events(of: 100..<160, by: &monitor, east: { Double($0 - 100) * 10 }, ahead: { _ in FenceExpiryTests.year })
        #expect(later.isEmpty, "\(later)")
        #expect(monitor.index.count == 0)
        // Read again, it is still over.
        #expect(monitor.replaceFences(with: [try fence()]).isEmpty)
        #expect(monitor.index.count == 0)
    }

    /// After a restart nobody hears of a fence that is over.
    @Test(arguments: BorderRule.allCases) func aFenceThatIsOverStaysSilentAfterARestart(rule: BorderRule) throws {
        for isInside in [false, true] {
            var monitor = try monitor(rule)
            let told = events(
                of: 0..<60, by: &monitor, east: { isInside ? 0 : Double($0 - 30) * 20 }, ahead: { _ in FenceExpiryTests.year })
            #expect(told.isEmpty, "\(told)")
        }
    }
}
