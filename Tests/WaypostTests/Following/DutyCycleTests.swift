import Testing
import Waypost

@Suite struct DutyCycleTests {
    @Test func isOffUntilSomebodyNeedsSomething() {
        var cycle = DutyCycle()
        #expect(!cycle.receiverIsOn)
        #expect(cycle.deadline == nil)
        cycle.need(.samples, at: 5)
        #expect(cycle.receiverIsOn)
        cycle.need(.nothing, at: 6)
        #expect(!cycle.receiverIsOn)
        #expect(cycle.sleepsUntil == nil)
    }

    @Test func staysOnWhileEverythingIsNeeded() {
        var cycle = DutyCycle()
        cycle.need(.everything, at: 0)
        cycle.sampled(nextIn: 300_000, at: 1_000)
        #expect(cycle.receiverIsOn)
        #expect(cycle.deadline == nil)
        let hasGivenUp = cycle.tick(at: 1_000_000)
        #expect(!hasGivenUp)
    }

    @Test func sleepsBetweenSamples() {
        var cycle = DutyCycle()
        cycle.need(.samples, at: 0)
        cycle.sampled(nextIn: 120_000, at: 2_000)
        #expect(!cycle.receiverIsOn)
        #expect(cycle.sleepsUntil == 122_000)
        cycle.tick(at: 121_999)
        #expect(!cycle.receiverIsOn)
        cycle.tick(at: 122_000)
        #expect(cycle.receiverIsOn)
        #expect(cycle.deadline == 122_000 + DutyCycle.patienceMilliseconds)
    }

    @Test func neverSleepsLongerThanFiveMinutes() {
        var cycle = DutyCycle()
        cycle.need(.samples, at: 0)
        cycle.sampled(nextIn: 86_400_000, at: 0)
        #expect(cycle.sleepsUntil == DutyCycle.longestSleepMilliseconds)
    }

    @Test func staysOnWhenTheNextFixIsNeededSoon() {
        var cycle = DutyCycle()
        cycle.need(.samples, at: 0)
        cycle.sampled(nextIn: DutyCycle.shortestSleepMilliseconds - 1, at: 10_000)
        #expect(cycle.receiverIsOn)
        // A sample that succeeded is no reason to lose patience.
        #expect(cycle.deadline == 10_000 + DutyCycle.patienceMilliseconds)
    }

    @Test func givesUpOnASampleThatBringsNothing() {
        var cycle = DutyCycle()
        cycle.need(.samples, at: 0)
        let hasGivenUp = cycle.tick(at: DutyCycle.patienceMilliseconds)
        #expect(hasGivenUp)
        #expect(!cycle.receiverIsOn)
        #expect(cycle.sleepsUntil == DutyCycle.patienceMilliseconds + DutyCycle.longestSleepMilliseconds)
    }

    @Test func wakesAtOnceForSomebodyWhoNeedsEverything() {
        var cycle = DutyCycle()
        cycle.need(.samples, at: 0)
        cycle.sampled(nextIn: 300_000, at: 0)
        cycle.need(.everything, at: 50_000)
        #expect(cycle.receiverIsOn)
        cycle.need(.samples, at: 60_000)
        #expect(cycle.receiverIsOn)
        cycle.sampled(nextIn: 100_000, at: 61_000)
        #expect(cycle.sleepsUntil == 161_000)
    }

    @Test(arguments: [
        (40_000, 40_000, 50_000, true), (100_000, 100_000, 50_000, false), (0, 0, 10_000, true), (20_000, 20_000, 10_000, false),
    ])
    func countsANewNeedFromTheLastSample(next: Int, expected: Int, now: Int, isOn: Bool) {
        var cycle = DutyCycle()
        cycle.need(.samples, at: 0)
        cycle.sampled(nextIn: 300_000, at: 0)
        cycle.reschedule(nextIn: Int64(next), at: Int64(now))
        #expect(cycle.receiverIsOn == isOn)
        if !isOn { #expect(cycle.sleepsUntil == Int64(expected)) }
    }
}
