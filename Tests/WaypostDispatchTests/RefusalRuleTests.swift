import Testing
import Waypost
import WaypostDispatch

@Suite struct RefusalRuleTests {
    /// A lane of records from 0 on, and a server, one attempt after the other.
    private struct Trial {
        var rule = RefusalRule()
        var pending: [Int]
        var accepted: [Int] = []
        var dead: [Int] = []
        var attempts = 0
        var holds = 0

        init(count: Int) { pending = Array(0..<count) }

        /// Sends until all is settled, or the rule holds so often.
        mutating func run(batch: Int, holds limit: Int, refuses: (Int, Int) -> Bool) {
            while !pending.isEmpty, holds < limit, attempts < 100_000 {
                let window = min(pending.count, rule.standingCount + batch)
                guard case .send(let range) = rule.plan(count: window) else {
                    rule.pause()
                    holds += 1
                    continue
                }
                let records = pending[range]
                attempts += 1
                // Asked until one is refused: a server that refuses everything is asked once per attempt.
                if records.contains(where: { refuses($0, holds) }) {
                    if rule.refuse(range, reason: "400") { holds += 1 }
                } else {
                    accepted += records
                    rule.accept(range)
                }
                let settled = rule.takeSettled()
                for (place, fate) in settled.map({ ($0.place, $0.fate) }) {
                    if case .dead = fate { dead.append(pending[place]) }
                }
                for place in settled.map(\.place).reversed() { pending.remove(at: place) }
            }
        }
    }

    @Test(
        arguments: [
            (10, [], 8), (10, [0], 8), (10, [9], 4), (10, [4], 8), (100, [0, 1], 50), (100, [50, 51], 100), (100, [3, 40, 41, 99], 100),
            (1, [], 1), (40, [10, 11, 12, 13, 14], 8), (60, Array(20..<40), 20),
        ] as [(Int, [Int], Int)])
    func findsTheOnesToBlameAndDeliversAllOthers(count: Int, bad: [Int], batch: Int) {
        var trial = Trial(count: count)
        trial.run(batch: batch, holds: 40) { record, _ in bad.contains(record) }
        // The last record of all is confirmed only by another one after it.
        let provable = bad.filter { bad.last != count - 1 || $0 < (0..<count).last { !bad.contains($0) } ?? 0 }
        #expect(trial.dead == provable)
        #expect(Set(trial.accepted) == Set(0..<count).subtracting(bad))
        #expect(trial.accepted.count == count - bad.count, "some twice")
    }

    @Test func takesFewAttemptsToFindOneAmongMany() {
        var trial = Trial(count: 1_000)
        trial.run(batch: 100, holds: 5) { record, _ in record == 537 }
        #expect(trial.dead == [537] && trial.holds == 0)
        #expect(trial.accepted == Array(0..<537) + [538] + Array(539..<1_000))
        #expect(trial.attempts < 40, "\(trial.attempts)")
    }

    @Test func killsNothingWhenTheServerRefusesEverythingForHours() {
        for hours in [1, 4, 40, 400] {
            var trial = Trial(count: 2_000)
            trial.run(batch: 100, holds: hours + 200) { _, holds in holds < hours }
            #expect(trial.dead == [])
            #expect(trial.accepted.count == 2_000 && Set(trial.accepted).count == 2_000)
            #expect(trial.pending == [])
        }
    }

    /// It begins to take records between any two attempts: nothing is dead, and everything arrives.
    @Test func killsNothingAtWhateverMomentTheServerRecovers() {
        for moment in 0..<60 {
            var trial = Trial(count: 50)
            var answers = 0
            trial.run(batch: 16, holds: 100) { _, _ in
                answers += 1
                return answers <= moment
            }
            #expect(trial.dead == [], "moment \(moment)")
            #expect(Set(trial.accepted) == Set(0..<50), "moment \(moment)")
        }
    }

    @Test func holdsTheOnlyRecordAndTriesItAgainWithTheNext() {
        var rule = RefusalRule()
        #expect(rule.plan(count: 1) == .send(0..<1))
        _ = rule.refuse(0..<1, reason: "400")
        #expect(rule.plan(count: 1) == .hold)
        rule.pause()
        #expect(rule.plan(count: 1) == .send(0..<1))
        _ = rule.refuse(0..<1, reason: "400")
        #expect(rule.plan(count: 2) == .send(1..<2))
        rule.accept(1..<2)
        #expect(rule.takeSettled() == [.init(1, .accepted)])
        #expect(rule.plan(count: 1) == .send(0..<1))
        _ = rule.refuse(0..<1, reason: "bad latitude")
        #expect(rule.takeSettled() == [.init(0, .dead(reason: "bad latitude"))])
    }

    @Test func countsARecordOfAnotherLaneAsAccepted() {
        var rule = RefusalRule()
        _ = rule.refuse(0..<1, reason: "400")
        rule.noteAcceptedElsewhere()
        #expect(rule.plan(count: 1) == .send(0..<1))
        _ = rule.refuse(0..<1, reason: "no")
        #expect(rule.takeSettled() == [.init(0, .dead(reason: "no"))])
    }

    @Test func killsWhatTheServerNamesAtOnce() {
        var rule = RefusalRule()
        rule.accept(0..<3, refusing: [1: "too old"])
        #expect(rule.takeSettled() == [.init(0, .accepted), .init(1, .dead(reason: "too old")), .init(2, .accepted)])
    }

    /// Any mix of bad records, outages and batch sizes: every good record arrives, only bad ones die, and it comes to an end.
    @Test func holdsForRandomServers() {
        var generator = SeededGenerator(seed: 20_261_121)
        for round in 0..<400 {
            let count = Int.random(in: 1...120, using: &generator)
            let bad = Set((0..<count).filter { _ in Int.random(in: 0..<12, using: &generator) == 0 })
            let outage = Int.random(in: 0...6, using: &generator)
            var trial = Trial(count: count)
            trial.run(batch: Int.random(in: 1...64, using: &generator), holds: 200) { record, holds in
                holds < outage || bad.contains(record)
            }
            #expect(Set(trial.dead).isSubset(of: bad), "round \(round)")
            #expect(Set(trial.accepted) == Set(0..<count).subtracting(bad), "round \(round)")
            #expect(Set(trial.pending).subtracting(trial.accepted).isSubset(of: bad), "round \(round)")
            #expect(trial.attempts < 20 * count + 2_000, "round \(round): \(trial.attempts)")
        }
    }
}
