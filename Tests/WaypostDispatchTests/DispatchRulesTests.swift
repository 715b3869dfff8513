import Testing
import Waypost

@testable import WaypostDispatch

@Suite struct DispatchScheduleTests {
    private func schedule(interval: Int64 = 120_000, phase: Int64 = 7_000, goesAlong: Bool = false) -> DispatchSchedule {
        var settings = DispatchSchedule.Settings(interval: .milliseconds(interval), phaseOf: "box home", goesAlong: goesAlong)
        settings.phase = .milliseconds(phase)
        return DispatchSchedule(settings)
    }

    @Test func neverWakesForAnEmptyQueue() {
        var schedule = schedule()
        #expect(schedule.wake == nil)
        schedule.process(.reachedOther, at: 5)
        schedule.process(.cutoff(1_000_000), at: 5)
        schedule.process(.attempted, at: 6)
        #expect(schedule.wake == nil)
        schedule.process(.waiting, at: 10)
        schedule.process(.empty, at: 20)
        #expect(schedule.wake == nil)
    }

    @Test(
        arguments: [
            (0, 7_000), (6_999, 7_000), (7_000, 127_000), (7_001, 127_000), (126_999, 127_000), (1_000_000, 1_087_000), (-1, 7_000),
            (-120_000, -113_000),
        ] as [(Int64, Int64)])
    func isDueAtItsMomentOfTheInterval(now: Int64, due: Int64) {
        var schedule = schedule()
        schedule.process(.waiting, at: now)
        #expect(schedule.wake == due)
        // What comes later does not put it off.
        schedule.process(.waiting, at: due - 1)
        #expect(schedule.wake == due)
        schedule.process(.attempted, at: due)
        #expect(schedule.wake == due + 120_000)
    }

    @Test(arguments: [(0, false), (500, true), (999, true)] as [(Int64, Bool)])
    func sendsOnlyOnDemandBelowASecondAndWarnsOfAFraction(interval: Int64, warns: Bool) {
        var schedule = schedule(interval: interval, phase: 0)
        schedule.process(.waiting, at: 10)
        #expect(schedule.wake == nil && schedule.settings.isManual)
        #expect((schedule.settings.warning != nil) == warns)
    }

    @Test func goesAlongWhenItMayAndSomethingWaits() {
        var (along, alone) = (schedule(goesAlong: true), schedule())
        for now in [100, 200] as [Int64] {
            along.process(.reachedOther, at: now)
            #expect(along.wake == nil)
        }
        along.process(.waiting, at: 300)
        alone.process(.waiting, at: 300)
        along.process(.reachedOther, at: 400)
        alone.process(.reachedOther, at: 400)
        #expect(along.wake == 400 && alone.wake == 7_000)
    }

    @Test func isGoneBeforeTheCutoffAndOnceMoreForWhatCameSince() {
        var schedule = schedule(interval: 3_600_000, phase: 0)
        schedule.process(.cutoff(1_000_000), at: 100)
        schedule.process(.waiting, at: 200)
        #expect(schedule.wake == 700_000)
        schedule.process(.attempted, at: 700_000)
        #expect(schedule.wake == 970_000)
        schedule.process(.attempted, at: 970_001)
        #expect(schedule.wake == 3_600_000)
    }

    @Test func spreadsAFleetOverTheInterval() {
        let phases = (0..<1_000).map { DispatchSchedule.Settings(phaseOf: "van-\($0) home").phase }
        for tenth in 0..<10 {
            let count = phases.count { $0.milliseconds / 12_000 == tenth }
            #expect((60...140).contains(count), "\(count) of 1000 boxes in tenth \(tenth)")
        }
        #expect(DispatchSchedule.Settings(phaseOf: "van-1 home").phase == phases[1])
    }
}

@Suite struct RetryRuleTests {
    @Test func doublesUpToFiveMinutesWithFullJitter() {
        var generator = SeededGenerator(seed: 7)
        var delays: [[Int64]] = Array(repeating: [], count: 12)
        for _ in 0..<400 {
            var rule = RetryRule()
            for attempt in 0..<12 {
                rule.process(.temporary(retryAfter: nil), at: 50, using: &generator)
                delays[attempt].append((rule.notBefore ?? 0) - 50)
            }
        }
        for (attempt, delays) in delays.enumerated() {
            let span: Int64 = min(300_000, 1_000 << Int64(attempt))
            #expect(delays.allSatisfy { (1_000...max(1_000, span)).contains($0) }, "attempt \(attempt)")
            if span > 8_000 {
                let mean = delays.reduce(0, +) / 400
                #expect((span * 2 / 5...span * 3 / 5).contains(mean), "attempt \(attempt): \(mean) of \(span)")
            }
        }
    }

    @Test func keepsToRetryAfterButNotForEver() {
        var generator = SeededGenerator(seed: 1)
        var rule = RetryRule()
        rule.process(.temporary(retryAfter: .seconds(77)), at: 0, using: &generator)
        #expect((77_000...78_000).contains(rule.notBefore ?? 0))
        rule.process(.temporary(retryAfter: .seconds(86_400 * 365)), at: 0, using: &generator)
        #expect((3_600_000...3_601_000).contains(rule.notBefore ?? 0))
        rule.process(.temporary(retryAfter: .seconds(-5)), at: 0, using: &generator)
        #expect((1_000...4_000).contains(rule.notBefore ?? 0))
    }

    @Test func triesEveryQuarterOfAnHourWhatSomebodyHasToMend() {
        var generator = SeededGenerator(seed: 1)
        var rule = RetryRule()
        for _ in 0..<1_000 {
            rule.process(.denied, at: 1_000, using: &generator)
            #expect((676_000...1_126_000 as ClosedRange<Int64>).contains(rule.notBefore ?? 0))
        }
        rule.process(.reached, at: 2_000, using: &generator)
        #expect(rule.notBefore == nil && rule.failureCount == 0)
    }
}

@Suite struct PositionCursorTests {
    @Test func leavesStretchesForLaterAndJoinsThoseThatTouch() {
        var cursor = PositionCursor(live: 10)
        cursor.leaveForLater(through: 50)
        cursor.leaveForLater(through: 80)
        #expect(cursor == PositionCursor(live: 80, stretches: [.init(after: 10, through: 80)]))
        cursor.settle(.live, through: 90)
        cursor.leaveForLater(through: 120)
        cursor.settle(.history, through: 40)
        #expect(cursor == PositionCursor(live: 120, stretches: [.init(after: 40, through: 80), .init(after: 90, through: 120)]))
        cursor.settle(.history, through: 80)
        #expect(cursor.next(in: .history) == .init(after: 90, through: 120))
        cursor.settle(.history, through: 120)
        #expect(cursor.next(in: .history) == nil && cursor.live == 120)
    }

    @Test func neverGoesBackAndKeepsABoundedNumberOfStretches() {
        var cursor = PositionCursor(live: 100)
        cursor.leaveForLater(through: 60)
        cursor.settle(.live, through: 60)
        #expect(cursor == PositionCursor(live: 100))
        for step in 1...200 as ClosedRange<UInt64> {
            cursor.leaveForLater(through: 100 + step * 10)
            cursor.settle(.live, through: 105 + step * 10)
        }
        #expect(cursor.stretches.count == PositionCursor.maximumStretchCount)
        // Nothing that was left is lost: the first stretch reaches from the first to where the second begins.
        #expect(cursor.stretches.first?.after == 100 && cursor.stretches.last?.through == 2_100)
    }
}
