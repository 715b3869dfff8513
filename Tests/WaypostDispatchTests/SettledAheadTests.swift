import Testing
import Waypost

@testable import WaypostDispatch

@Suite struct SettledAheadTests {
    /// Against a set of numbers.
    @Test func holdsForRandomStretches() {
        var generator = SeededGenerator(seed: 20_261_122)
        for round in 0..<300 {
            var (settled, oracle) = (SettledAhead(), Set<UInt64>())
            for _ in 0..<Int.random(in: 1...60, using: &generator) {
                if Int.random(in: 0..<10, using: &generator) == 0 {
                    // What is not behind that number as a whole.
                    let number = UInt64.random(in: 0...120, using: &generator)
                    let kept = settled.stretches.filter { $0.through > number }
                    settled.forget(through: number)
                    oracle = oracle.filter { value in kept.contains { $0.after < value && value <= $0.through } }
                } else {
                    let after = UInt64.random(in: 0...120, using: &generator)
                    let through = after + UInt64.random(in: 0...12, using: &generator)
                    settled.insert(.init(after: after, through: through))
                    oracle.formUnion(after + 1..<through + 1)
                }
                #expect((0...140).allSatisfy { settled.contains($0) == oracle.contains($0) }, "round \(round)")
                // In order, none empty, none touches the next.
                let numbers = settled.stretches.flatMap { [$0.after, $0.through] }
                #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }, "round \(round): \(numbers)")
            }
        }
    }

    @Test func forgetsWhatACursorHas() {
        var settled = SettledAhead([.init(after: 2, through: 4), .init(after: 8, through: 10), .init(after: 20, through: 30)])
        settled.forget(settledBy: PositionCursor(live: 25, stretches: [.init(after: 7, through: 9)]))
        #expect(settled.stretches == [.init(after: 8, through: 10), .init(after: 20, through: 30)])
        settled.forget(settledBy: PositionCursor(live: 30))
        #expect(settled == SettledAhead())
    }

    /// What a destination has is not what the next one has, nor what comes after it is forgotten.
    @Test func endsWithItsRow() async throws {
        let fixture = try DispatchFixture()
        let half = ScriptedDestination { records in
            let received = records.filter { $0.sequence % 2 == 0 }
            let rest = DeliveryOutcome.temporary(reason: "no word", retryAfter: nil)
            return received.isEmpty ? rest : .partly(received: Set(received.map(\.id)), answer: "200", then: rest)
        }
        let dispatcher = try await fixture.dispatcher([("old", half), ("new", half)])
        try await dispatcher.accept((1...6).map(DispatchFixture.call))
        _ = try await dispatcher.dispatch("old")
        #expect(try await dispatcher.outbox.state(of: "old").settledEvents.stretches.count == 3)
        #expect(try await dispatcher.outbox.state(of: "old").waitingEventCount == 3)
        try await dispatcher.move("old", to: "new")
        #expect(try await dispatcher.outbox.state(of: "old").settledEvents == SettledAhead())
        #expect(try await dispatcher.outbox.state(of: "new").waitingEventCount == 6)
        _ = try await dispatcher.dispatch("new")
        #expect(try await dispatcher.outbox.state(of: "new").waitingEventCount == 3)
        _ = try await dispatcher.discard("new")
        let state = try await dispatcher.outbox.state(of: "new")
        #expect(state.waitingEventCount == 0 && state.settledEvents == SettledAhead())
    }
}
