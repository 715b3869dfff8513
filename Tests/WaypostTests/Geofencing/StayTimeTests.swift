import Testing
import WaypostTestKit

@testable import Waypost

/// A dwell comes `dwellSeconds` after the enter: live by the machine's clock, of a recording by its own time.
struct StayTimeTests {
    private let home = RandomFences.regions[0]

    private func monitor(_ rule: BorderRule) throws -> GeofenceMonitor {
        let fence = Geofence(id: "yard", shape: try .circle(centre: home, radiusMetres: 100), dwellSeconds: 20)
        return GeofenceMonitor(fences: FenceIndex([fence]), rule: rule)
    }

    /// 400 m in 27 s, then at rest in the yard until the 100th second.
    private func drive(isLive: Bool = true, pace: Int64 = 1_000, _ receiver: (Int64) -> Int64?) -> [Position] {
        var timeline = FixTimeline()
        return (0..<110).map { second in
            let east = second < 100 ? max(0, 400 - 15 * Double(second)) : 15 * Double(second - 92)
            let place = LocalFrame(origin: home).coordinate(PlanePoint(eastMetres: east + 0.01 * Double(second % 3), northMetres: 0))
            let isMoving = second < 27 || second >= 100
            var fix = Position.fix(place, second: 0, accuracy: 5, speed: isMoving ? 15 : 0, course: second < 50 ? 270 : 90)
            fix.time = receiver(Int64(second)).map { UTCTime(millisecondsSince1970: 1_800_000_000_000 + $0 * 1_000) }
            if isLive { fix.moment.milliseconds = timeline.moment(of: fix.time, at: 5_000 + Int64(second) * pace) }
            return fix
        }
    }

    /// The number of the fix at which each event came.
    private func seconds(_ fixes: [Position], _ monitor: inout GeofenceMonitor) -> [GeofenceEvent.Kind: Int] {
        var seconds: [GeofenceEvent.Kind: Int] = [:]
        for (second, fix) in fixes.enumerated() {
            for event in monitor.process(fix) {
                #expect(seconds.updateValue(second, forKey: event.kind) == nil)
            }
        }
        return seconds
    }

    static let receivers: [(name: String, time: @Sendable (Int64) -> Int64?)] = [
        ("right", { $0 }),
        ("1 day ahead until it is inside", { $0 < 32 ? $0 + 86_400 : $0 }),
        ("1 day ahead at first", { $0 < 10 ? $0 + 86_400 : $0 }),
        ("ahead by 1 day inside", { $0 < 32 ? $0 : $0 + 86_400 }),
        ("back by 1 day inside", { $0 < 32 ? $0 : $0 - 86_400 }),
        ("back by 1 h inside", { $0 < 32 ? $0 : $0 - 3_600 }),
        ("back by 30 s inside", { $0 < 32 ? $0 : $0 - 30 }),
        ("ahead by 30 s with the enter", { $0 < 21 ? $0 : $0 + 30 }),
        ("the date comes 11 s after the enter", { $0 < 32 ? nil : $0 }),
        ("never a date", { _ in nil }),
        ("stands still", { $0 < 30 ? $0 : 30 }),
        ("runs backwards", { $0 < 24 ? $0 : 48 - $0 }),
    ]

    @Test(arguments: receivers.indices, [BorderRule.robust, .exact]) func aLiveDwellComesByTheClock(index: Int, rule: BorderRule) throws {
        let (name, time) = StayTimeTests.receivers[index]
        var monitor = try monitor(rule)
        let seconds = seconds(drive(time), &monitor)
        let (enter, dwell, exit) = (try #require(seconds[.enter]), try #require(seconds[.dwell], "\(name)"), try #require(seconds[.exit]))
        #expect((18...23).contains(dwell - enter), "\(name): \(seconds)")
        #expect((99...104).contains(exit), "\(name): \(seconds)")
    }

    /// The state is saved at any fix, and a successor goes on with it.
    @Test(arguments: receivers.indices) func aDwellSurvivesARestart(index: Int) throws {
        let (name, time) = StayTimeTests.receivers[index]
        for restart in [34, 38] {
            var first = try monitor(.robust)
            let fixes = drive(time)
            var seconds = seconds(Array(fixes[..<restart]), &first)
            var second = try monitor(.robust)
            let progress = try GeofenceProgress(decoding: first.state.progress.encoded())
            #expect(second.restore(GeofenceMonitorState(known: first.state.known, progress: progress)).isEmpty)
            // The successor's timeline is another one.
            var timeline = FixTimeline()
            for (number, fix) in fixes.enumerated().dropFirst(restart) {
                var fix = fix
                fix.moment.milliseconds = timeline.moment(of: fix.time, at: 5_000 + Int64(number) * 1_000)
                for event in second.process(fix) { seconds[event.kind] = number }
            }
            let (enter, dwell) = (try #require(seconds[.enter]), try #require(seconds[.dwell], "\(name) \(restart)"))
            #expect((18...23).contains(dwell - enter), "\(name) \(restart): \(seconds)")
        }
    }

    /// The tracker is away for 7 s, and the receiver has another date afterwards, for a while or for good.
    @Test(arguments: [-86_400, -60, -18, 10, 60, 3_600, 86_400] as [Int64], [1, 3, 12, 1_000, -1] as [Int64])
    func aRestartWithAnotherDateKeepsTheDwell(jump: Int64, seconds: Int64) throws {
        var first = try monitor(.robust)
        let fixes = drive { second in
            // Before the restart, or for so long after it.
            let isOther = seconds < 0 ? second < 26 : (33..<(33 + seconds)).contains(second)
            return isOther ? second + jump : second
        }
        var events = self.seconds(Array(fixes[..<26]), &first)
        var second = try monitor(.robust)
        let progress = try GeofenceProgress(decoding: first.state.progress.encoded())
        _ = second.restore(GeofenceMonitorState(known: first.state.known, progress: progress))
        var timeline = FixTimeline()
        for number in 33..<fixes.count {
            var fix = fixes[number]
            fix.moment.milliseconds = timeline.moment(of: fix.time, at: 5_000 + Int64(number) * 1_000)
            for event in second.process(fix) { events[event.kind] = number }
        }
        let (enter, dwell, exit) = (try #require(events[.enter]), try #require(events[.dwell]), try #require(events[.exit]))
        #expect((18...23).contains(dwell - enter) && (99...104).contains(exit), "\(events)")
    }

    /// After a start of the machine its clock says nothing of the time before.
    @Test func aNewBootForgetsTheClock() throws {
        var monitor = try monitor(.robust)
        _ = seconds(Array(drive { $0 }[..<34]), &monitor)
        var progress = monitor.state.progress
        progress.noteBoot(7)
        var read = try GeofenceProgress(decoding: progress.encoded())
        read.forgetOtherBoots(than: 7)
        #expect(read == progress)
        read.forgetOtherBoots(than: 8)
        #expect(read != progress)
    }

    static let jumps: [@Sendable (Int64) -> Int64?] = [
        { $0 < 12 ? $0 : $0 + 4 }, { $0 < 12 ? $0 : $0 + 7 }, { $0 < 12 ? $0 : $0 + 11 }, { $0 == 12 ? $0 + 3_600 : $0 }, { _ in 0 },
        { -$0 }, { $0 % 2 == 0 ? $0 : $0 + 60 }, { $0 + $0 * 7 % 2 }, { $0 < 12 ? $0 : $0 - 4 },
    ]

    /// Small fences beside each other on the way of a drive whose date jumps, once or at each fix.
    @Test(arguments: jumps.indices, [BorderRule.robust, .exact])
    func noBorderIsCrossedEarlyBecauseTheDateJumps(jump: Int, rule: BorderRule) throws {
        let frame = LocalFrame(origin: home)
        let fences = try (0..<20).map { number in
            let centre = frame.coordinate(PlanePoint(eastMetres: 400 - 15 * (Double(number) + 0.5), northMetres: 0))
            return Geofence(id: "\(number)", shape: try .circle(centre: centre, radiusMetres: 5))
        }
        func passed(_ receiver: (Int64) -> Int64?) -> [String: Int] {
            var monitor = GeofenceMonitor(fences: FenceIndex(fences), rule: rule)
            var passed: [String: Int] = [:]
            for (second, fix) in drive(receiver)[..<24].enumerated() {
                for event in monitor.process(fix) where event.kind == .pass || event.kind == .exit {
                    #expect(passed.updateValue(second, forKey: event.fenceID) == nil, "\(event.fenceID) twice")
                }
            }
            return passed
        }
        let (expected, found) = (passed { $0 }, passed(StayTimeTests.jumps[jump]))
        #expect(expected.count >= 18 && Set(found.keys) == Set(expected.keys), "\(found)")
        #expect(found.allSatisfy { abs($0.value - (expected[$0.key] ?? 99)) <= 2 }, "\(found) \(expected)")
    }

    /// While the position is lost a stay does not grow, wherever the receiver's time jumps.
    @Test func aLossIsMeasuredByTheClock() throws {
        var monitor = try monitor(.robust)
        var seconds: [GeofenceEvent.Kind: Int] = [:]
        for (second, fix) in drive({ $0 < 45 ? $0 + 86_400 : $0 }).enumerated() where !(30..<45).contains(second) {
            if second == 45 { monitor.lose(at: nil) }
            for event in monitor.process(fix) { seconds[event.kind] = second }
        }
        let (enter, dwell) = (try #require(seconds[.enter]), try #require(seconds[.dwell]))
        #expect((33...39).contains(dwell - enter), "\(seconds)")
    }

    /// Fixes that come later after a pause lead to no border that was not reached, and away from none that was.
    @Test(arguments: [2_500, 4_000] as [Int64], [7, 12, 16]) func noBorderMovesWhenFixesComeLaterThanBefore(
        pause: Int64, second: Int
    ) throws {
        let frame = LocalFrame(origin: home)
        let fences = try (0..<20).map { number in
            let centre = frame.coordinate(PlanePoint(eastMetres: 400 - 15 * (Double(number) + 0.5), northMetres: 0))
            return Geofence(id: "\(number)", shape: try .circle(centre: centre, radiusMetres: 5))
        }
        func passed(_ pause: Int64) -> [String: Int] {
            var (monitor, timeline) = (GeofenceMonitor(fences: FenceIndex(fences), rule: .robust), FixTimeline())
            var passed: [String: Int] = [:]
            for (number, fix) in drive({ $0 })[..<24].enumerated() {
                var fix = fix
                let clock = 50_000 + Int64(number) * 1_000 + (number < second ? 0 : pause)
                fix.moment.milliseconds = timeline.moment(of: fix.time, at: clock)
                for event in monitor.process(fix) where event.kind == .pass || event.kind == .exit {
                    #expect(passed.updateValue(number, forKey: event.fenceID) == nil, "\(event.fenceID) twice")
                }
            }
            return passed
        }
        #expect(passed(pause) == passed(0))
    }

    /// The device came in while nothing ran: nobody knows when, and its dwell is not told before it has stayed that long.
    @Test(arguments: [30, 40, 48]) func aStayThatBeganWhileNothingRanCountsFromItsFirstFix(gap: Int) throws {
        var monitor = try monitor(.robust)
        let fixes = drive { $0 }
        let seconds = seconds(fixes, &monitor)
        let enter = try #require(seconds[.enter])
        var first = try self.monitor(.robust)
        let last = enter - 4
        for fix in fixes[...last] { _ = first.process(fix) }
        var second = try self.monitor(.robust)
        _ = second.restore(first.state)
        second.interrupt()
        var told: [GeofenceEvent.Kind: Int] = [:]
        // It stands where it would be by now.
        for number in 0..<60 {
            var fix = fixes[min(enter + 3, fixes.count - 1)]
            fix.time = fixes[last].time?.advanced(byMilliseconds: Int64(gap + number) * 1_000)
            fix.moment.milliseconds = fixes[last].moment.milliseconds.map { $0 + Int64(gap + number) * 1_000 }
            for event in second.process(fix) { told[event.kind] = told[event.kind] ?? number }
        }
        #expect(try (20...24).contains(#require(told[.dwell])), "\(told)")
    }

    /// Ten fixes a second at 40 m/s, and the first one after a kill, or after a loss, comes just before the border: the gap is no rhythm.
    ///
    /// - Parameter replayed: how many fixes the log has after the state; nil for a loss without a kill.
    @Test(arguments: [nil, 0, 1, 2] as [Int?], 0..<10) func aBorderJustAheadOfAGapIsCrossedOnce(replayed: Int?, phase: Int) throws {
        let frame = LocalFrame(origin: home)
        func fix(_ metres: Double) -> Position {
            let milliseconds = Int64(((metres + 300) / 40 * 1_000).rounded())
            let place = frame.coordinate(PlanePoint(eastMetres: metres, northMetres: 5))
            var fix = Position.fix(place, second: 0, accuracy: 3, speed: 40, course: 90)
            fix.time = UTCTime(millisecondsSince1970: 1_800_000_000_000 + milliseconds)
            fix.moment.milliseconds = 5_000_000 + milliseconds
            return fix
        }
        var monitor = try monitor(.robust)
        var kinds: [GeofenceEvent.Kind] = []
        for step in 0..<75 { kinds += monitor.process(fix(-300 + 4 * Double(step))).map(\.kind) }
        if let replayed {
            let state = monitor.state
            monitor = try self.monitor(.robust)
            _ = monitor.restore(state)
            if replayed == 0 { monitor.noteGap() } else { monitor.interrupt() }
            for step in 0..<replayed { kinds += monitor.process(fix(4 * Double(step))).map(\.kind) }
        } else {
            monitor.lose(at: fix(-4).time)
        }
        let border = 99.875
        for step in 0..<30 { kinds += monitor.process(fix(border - 6 + 0.4 * Double(phase) + 4 * Double(step))).map(\.kind) }
        #expect(kinds == [.enter, .exit])
    }

    /// Played at full speed or slowly, the same events.
    @Test func aRecordingHasItsOwnTime() throws {
        var monitor = try monitor(.robust)
        let seconds = seconds(drive(isLive: false) { $0 }, &monitor)
        #expect(try (18...23).contains(#require(seconds[.dwell]) - #require(seconds[.enter])))
    }
}
