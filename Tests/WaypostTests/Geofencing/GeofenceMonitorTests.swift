import Testing
import WaypostTestKit

@testable import Waypost

struct GeofenceMonitorTests {
    private let home = RandomFences.regions[0]

    private func circle(_ id: String = "yard", radius: Double = 100, dwell: Double? = nil) throws -> Geofence {
        Geofence(id: id, shape: try .circle(centre: home, radiusMetres: radius), dwellSeconds: dwell)
    }

    private func at(_ east: Double, _ second: Double) -> Position {
        .fix(LocalFrame(origin: home).coordinate(PlanePoint(eastMetres: east, northMetres: 0)), second: second)
    }

    private func words(_ events: [GeofenceEvent]) -> [String] { events.map { "\($0.kind) \($0.fenceID) \($0.visit) \($0.reason)" } }

    /// Every fence against every fix, as the rule says it.
    @Test(arguments: RandomFences.regions)
    func findsExactlyWhatBruteForceFinds(region: Coordinate) throws {
        var random = SeededGenerator(seed: 31)
        let fences = try (0..<120).map { try RandomFences.fence($0, near: region, &random) }
        let path = RandomFences.path(near: region, count: 1_500, &random)
        var monitor = GeofenceMonitor(fences: FenceIndex(fences), rule: .exact)
        var inside = Set(fences.filter { $0.shape.contains(path[0]) }.map(\.id))
        #expect(monitor.process(.fix(path[0], second: 0)).isEmpty)
        for (second, place) in path.enumerated().dropFirst() {
            let way = LonLatEdge(from: path[second - 1], to: place)
            var expected: Set<String> = []
            for fence in fences {
                let isIn = fence.shape.contains(place)
                if isIn != inside.contains(fence.id) {
                    expected.insert("\(isIn ? "enter" : "exit") \(fence.id)")
                    if isIn { inside.insert(fence.id) } else { inside.remove(fence.id) }
                } else if !isIn, fence.shape.crossing(way) != nil {
                    expected.insert("pass \(fence.id)")
                }
            }
            let events = monitor.process(.fix(place, second: Double(second)))
            #expect(Set(events.map { "\($0.kind) \($0.fenceID)" }) == expected, "fix \(second)")
            #expect(events.count == expected.count)
        }
        #expect(monitor.index.count == fences.count)
    }

    @Test func givesInterpolatedTimesOfAPass() throws {
        var monitor = GeofenceMonitor(fences: FenceIndex([try circle()]), rule: .exact)
        #expect(monitor.process(at(-300, 0)).isEmpty)
        let event = try #require(monitor.process(at(300, 10)).first)
        #expect(event.kind == .pass)
        let start = try #require(at(0, 0).time).millisecondsSince1970
        #expect(abs(try #require(event.crossedAt).millisecondsSince1970 - start - 3_333) <= 2)
        #expect(abs(try #require(event.leftAt).millisecondsSince1970 - start - 6_667) <= 2)
        #expect(event.time == at(0, 10).time)
    }

    @Test func takesTheFirstStateSilently() throws {
        for rule in BorderRule.allCases {
            var monitor = GeofenceMonitor(fences: FenceIndex([try circle()]), rule: rule)
            #expect(monitor.process(at(0, 0)).isEmpty)
            #expect(words(monitor.process(at(500, 60))) == ["exit yard 1 crossed"])
            // One that is added later, too.
            #expect(monitor.add(try circle("all", radius: 1_000)).isEmpty)
            #expect(monitor.process(at(501, 61)).isEmpty)
            #expect(words(monitor.process(at(5_000, 110))) == ["exit all 2 crossed"])
        }
    }

    @Test func givesAnEndToStaysInFencesThatGoOrMove() throws {
        var monitor = GeofenceMonitor(
            fences: FenceIndex([try circle("a"), try circle("b"), try circle("c"), try circle("d")]), rule: .exact)
        _ = monitor.process(at(-500, 0))
        let visits = Dictionary(uniqueKeysWithValues: monitor.process(at(0, 1)).map { ($0.fenceID, $0.visit) })
        #expect(Set(visits.values) == [1, 2, 3, 4])
        func exit(_ id: String, _ reason: String) -> [String] { ["exit \(id) \(visits[id] ?? 0) \(reason)"] }
        #expect(words(monitor.remove(id: "a")) == exit("a", "removed"))
        // Still inside: nothing to say, and the stay goes on.
        #expect(monitor.add(try circle("b", radius: 50)).isEmpty)
        let moved = Geofence(id: "c", shape: try .circle(centre: at(900, 0).coordinate, radiusMetres: 10))
        #expect(words(monitor.add(moved)) == exit("c", "changed"))
        var expiring = try circle("d")
        expiring.expires = at(0, 5).time
        #expect(monitor.add(expiring).isEmpty)
        #expect(monitor.process(at(1, 4)).isEmpty)
        #expect(words(monitor.process(at(1, 5))) == exit("d", "expired"))
        #expect(words(monitor.process(at(60, 6))) == exit("b", "crossed"))
        #expect(words(monitor.process(at(900, 7))) == ["enter c 5 crossed"])
        #expect(monitor.replaceFences(with: [moved]).isEmpty)
        #expect(monitor.index.count == 1)
    }

    /// What was not watched has no time of its own; the fix at which it was found has.
    @Test(arguments: BorderRule.allCases)
    func givesNoCrossingTimeInsideOfALoss(rule: BorderRule) throws {
        var monitor = GeofenceMonitor(fences: FenceIndex([try circle(radius: 100)]), rule: rule)
        for second in 0..<10 { #expect(monitor.process(at(300, Double(second))).isEmpty) }
        monitor.lose(at: at(0, 10).time)
        var events: [GeofenceEvent] = []
        for second in 20..<60 { events += monitor.process(at(0, Double(second))) }
        #expect(events.map(\.kind) == [.enter])
        // `robust` may have seen it on the other side before it was sure.
        let first = try #require(at(0, 20).time).millisecondsSince1970
        #expect(events.first?.crossedAt == nil || rule == .robust)
        #expect((events.first?.crossedAt?.millisecondsSince1970 ?? first) >= first)
    }

    /// A straight line across a privacy zone would say where the device was.
    @Test(arguments: BorderRule.allCases, [false, true])
    func guessesNoPassWherePositionsAreWithheld(rule: BorderRule, isKilled: Bool) throws {
        let index = FenceIndex([try circle()])
        var monitor = GeofenceMonitor(fences: index, rule: rule)
        for second in 0..<10 { #expect(monitor.process(at(-400, Double(second))).isEmpty) }
        monitor.withhold()
        if isKilled {
            var successor = GeofenceMonitor(fences: index, rule: rule)
            #expect(successor.restore(monitor.state).isEmpty)
            monitor = successor
        }
        for second in 40..<60 { #expect(monitor.process(at(400, Double(second))).isEmpty) }
        // What the next fixes show is no guess.
        var events: [GeofenceEvent] = []
        for second in 60..<120 { events += monitor.process(at(400 - 400 * min(1, Double(second - 60) / 20), Double(second))) }
        #expect(events.map(\.kind) == [.enter])
    }

    /// In the order of the times, then of the ids, whatever order the index gives; and the same after a restart.
    @Test func numbersTheVisitsOfOneFixByTimeAndName() throws {
        let fences = try ["b", "c", "a"].map { try circle($0, radius: $0 == "c" ? 200 : 100) }
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            let index = FenceIndex(order.map { fences[$0] })
            var monitor = GeofenceMonitor(fences: index, rule: .exact)
            #expect(monitor.process(at(300, 0)).isEmpty)
            var successor = GeofenceMonitor(fences: index, rule: .exact)
            #expect(successor.restore(monitor.state).isEmpty)
            #expect(words(monitor.process(at(50, 1))) == ["enter c 1 crossed", "enter a 2 crossed", "enter b 3 crossed"])
            // These are late, so that all of them have the time of the fix; but they are the same visits.
            #expect(words(successor.process(at(50, 1))) == ["enter a 2 crossed", "enter b 3 crossed", "enter c 1 crossed"])
            #expect(words(monitor.process(at(350, 2))) == ["exit a 2 crossed", "exit b 3 crossed", "exit c 1 crossed"])
        }
    }

    @Test func reportsADwellOncePerStay() throws {
        var monitor = GeofenceMonitor(fences: FenceIndex([try circle(dwell: 60)]), rule: .exact)
        var events: [GeofenceEvent] = []
        for second in 0..<50 { events += monitor.process(at(second < 10 ? -500 : 0, Double(second))) }
        // While the position is lost the stay does not grow.
        monitor.lose(at: at(0, 50).time)
        for second in 100..<300 { events += monitor.process(at(second == 250 ? 500 : 0, Double(second))) }
        #expect(events.map(\.kind) == [.enter, .dwell, .exit, .enter])
        // In at 9.8 s, 50 s of loss: due at 119.8 s.
        #expect(events[1].time == at(0, 120).time)
        #expect(events[1].reason == .stayed && events[1].visit == events[0].visit && events[2].visit == events[0].visit)
    }

    @Test func keepsSilentWhatAFenceDoesNotTell() throws {
        var fence = try circle()
        fence.notifications = [.exit]
        var monitor = GeofenceMonitor(fences: FenceIndex([fence]), rule: .exact)
        _ = monitor.process(at(-500, 0))
        #expect(monitor.process(at(0, 1)).isEmpty)
        #expect(words(monitor.process(at(500, 2))) == ["exit yard 1 crossed"])
        #expect(monitor.process(at(-500, 3)).isEmpty)
    }

    @Test func changesNothingForEstimatedPositions() throws {
        var monitor = GeofenceMonitor(fences: FenceIndex([try circle()]), rule: .exact)
        _ = monitor.process(at(-500, 0))
        var estimated = at(0, 1)
        estimated.status = .deadReckoning
        #expect(monitor.process(estimated).isEmpty)
        #expect(monitor.process(at(0, 2)).map(\.kind) == [.enter])
    }

    @Test func watchesOnlyTheNearestBordersAndTheStays() throws {
        let frame = LocalFrame(origin: home)
        let row = try (0..<20).map { place in
            Geofence(
                id: "\(place)",
                shape: try .circle(centre: frame.coordinate(PlanePoint(eastMetres: Double(place) * 500, northMetres: 0)), radiusMetres: 100)
            )
        }
        let wide = try circle("wide", radius: 100_000)
        var monitor = GeofenceMonitor(fences: FenceIndex(row + [wide]), rule: .exact, maxActive: 2)
        var events: [GeofenceEvent] = []
        for second in 0..<1_000 { events += monitor.process(at(-300 + Double(second) * 10, Double(second))) }
        #expect(events.filter { $0.kind == .enter }.map(\.fenceID) == (0..<20).map { "\($0)" })
        // Along a line 600 m off only the nearest two are looked at, and none is met.
        #expect(events.filter { $0.kind == .exit }.count == 20)
        #expect(words(monitor.process(at(200_000, 2_000))).contains("exit wide 1 crossed"))
    }

    /// The program is killed before and after each fix is stored; its successor has the state of then.
    @Test(arguments: BorderRule.allCases)
    func tellsEveryCrossingOnceHoweverOftenItIsKilled(rule: BorderRule) throws {
        let fence = try circle(dwell: 20)
        let path = (0..<120).map { second -> Position in
            let east = second < 60 ? -300 + Double(second) * 10 : 300 - Double(second - 60) * 10
            var fix = at(east, Double(second))
            fix.speedMetresPerSecond = 10
            fix.courseDegrees = second < 60 ? 90 : 270
            return fix
        }
        for killed in 1..<path.count {
            for isEventStored in [true, false] {
                var told: [String: GeofenceEvent] = [:]
                var monitor = GeofenceMonitor(fences: FenceIndex([fence]), rule: rule)
                for fix in path[..<killed] { for event in monitor.process(fix) { told[event.id] = event } }
                let state = monitor.state
                // The next fix is processed, its events perhaps stored, its state not.
                let lost = monitor.process(path[killed])
                if isEventStored { for event in lost { told[event.id] = event } }
                var successor = GeofenceMonitor(fences: FenceIndex([fence]), rule: rule)
                #expect(successor.restore(state).isEmpty)
                for fix in path[killed...] { for event in successor.process(fix) { told[event.id] = event } }
                let inTime = told.values.sorted {
                    ($0.time?.millisecondsSince1970 ?? 0, $0.id) < ($1.time?.millisecondsSince1970 ?? 0, $1.id)
                }
                let turns = inTime.filter { $0.kind != .dwell }.map(\.kind)
                #expect(turns == [.enter, .exit, .enter, .exit], "killed at \(killed)")
                #expect(Set(inTime.filter { $0.kind == .dwell }.map(\.visit)).count == inTime.filter { $0.kind == .dwell }.count)
            }
        }
    }

    @Test func reportsLateWhatHappenedWhileItWasDown() throws {
        for rule in BorderRule.allCases {
            var monitor = GeofenceMonitor(fences: FenceIndex([try circle(), try circle("gone", radius: 200)]), rule: rule)
            for second in 0..<5 { _ = monitor.process(at(-500, Double(second))) }
            for second in 5..<10 { _ = monitor.process(at(0, Double(second) + 60)) }
            let state = monitor.state
            #expect(state.known.count == 2 && state.progress.stays.count == 2)
            var successor = GeofenceMonitor(fences: FenceIndex([try circle()]), rule: rule)
            let gone = words(successor.restore(state))
            #expect(gone == ["exit gone 2 removed"] || gone == ["exit gone 1 removed"])
            var events: [GeofenceEvent] = []
            for second in 1_000..<1_010 { events += successor.process(at(-5_000, Double(second))) }
            #expect(events.count == 1)
            let event = try #require(events.first)
            #expect(event.kind == .exit && event.isLate && event.crossedAt == nil)
            // From then on it is awake.
            for second in 1_010..<1_020 { events += successor.process(at(0, Double(second) + 60)) }
            #expect(events.map(\.isLate) == [true, false])
        }
    }
}
