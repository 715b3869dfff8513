import Foundation
import Testing
import Waypost

@testable import WaypostDispatch

/// Queues that are moved while the configuration changes, positions are switched off and on, and servers come and go.
@Suite struct MovingTests {
    /// An event of the time in which the target was not in the configuration waits for it after the move, although an older one already did.
    @Test(arguments: [false, true]) func movesWhatCameWhileTheTargetWasRemoved(isOlderMoved: Bool) async throws {
        let fixture = try DispatchFixture()
        let down: @Sendable ([DispatchRecord]) -> DeliveryOutcome = { _ in .unreachable(reason: "gone") }
        let pair = [("new", ScriptedDestination(answer: down)), ("old", ScriptedDestination(answer: down))]
        let first = try await fixture.dispatcher(isOlderMoved ? pair : [pair[0]])
        try await first.finishAttaching()
        try await first.accept([DispatchFixture.call(1)])
        await first.stop()
        let second = try await fixture.dispatcher([pair[1]])
        try await second.finishAttaching()
        try await second.accept([DispatchFixture.call(2)])
        await second.stop()
        let new = ScriptedDestination()
        let third = try await fixture.dispatcher([("new", new)])
        try await third.finishAttaching()
        try await third.accept([DispatchFixture.call(3)])
        try await third.move("old", to: "new")
        #expect(try await third.outbox.state(of: "new").waitingEventCount == 3)
        #expect(try await third.dispatch().word == .good)
        #expect(new.takenNames == ["call 1", "call 2", "call 3"])
        let entries = try await third.ledgerEntries(since: DispatchFixture.start, limit: 10)
        let receipt = DeliveryAccount.Fate.receipt(time: DispatchFixture.start, answer: "200")
        #expect(entries.map { $0.accounts.map(\.fate) } == [[receipt], [receipt], [receipt]])
    }

    /// What was never meant for a destination is not called forgotten, and does not count as dropped.
    @Test func callsUnwantedWhatCameWhileItWasRemoved() async throws {
        let fixture = try DispatchFixture()
        let first = try await fixture.dispatcher([
            ("a", ScriptedDestination()), ("b", ScriptedDestination { _ in .unreachable(reason: "") }),
        ])
        try await first.finishAttaching()
        try await first.accept([DispatchFixture.call(1)])
        await first.stop()
        let second = try await fixture.dispatcher([("a", ScriptedDestination())])
        try await second.finishAttaching()
        try await second.accept([DispatchFixture.call(2)])
        await second.stop()
        let third = try await fixture.dispatcher([("b", ScriptedDestination())])
        try await third.finishAttaching()
        let entries = try await third.ledgerEntries(since: DispatchFixture.start, limit: 10)
        #expect(entries.map { $0.accounts.map(\.fate) } == [[.queued], [.unwanted]])
    }

    /// Beside sets of names.
    @Test(arguments: 0..<24 as Range<UInt64>) func losesNothing(seed: UInt64) async throws {
        let fixture = try DispatchFixture()
        var generator = SeededGenerator(seed: seed)
        let names = ["a", "b", "c"]
        var waiting: [String: Set<String>] = [:]
        var (callCount, second) = (0, 0)
        for run in 0..<10 {
            let configured = run == 9 ? names : names.filter { _ in Bool.random(using: &generator) }
            let servers = configured.map { name in (name, server(run == 9 ? 2 : Int.random(in: 0...2, using: &generator))) }
            let sending = run == 9 ? configured : configured.filter { _ in Int.random(in: 0...3, using: &generator) > 0 }
            let dispatcher = try await fixture.dispatcher([])
            for (name, server) in servers {
                var settings = DestinationSettings(name: name, schedule: .init(interval: .zero, phaseOf: name))
                settings.order = Bool.random(using: &generator) ? .oldest : .live
                settings.batchCount = Int.random(in: 1...4, using: &generator)
                settings.sendsPositions = sending.contains(name)
                try await dispatcher.attach(server, settings)
            }
            try await dispatcher.finishAttaching()
            for name in configured where waiting[name] == nil { waiting[name] = [] }
            var seen: [String: Int] = [:]
            func noteTaken() {
                for (name, server) in servers {
                    waiting[name]?.subtract(server.takenNames.dropFirst(seen[name] ?? 0))
                    seen[name] = server.takenNames.count
                }
            }
            for _ in 0..<6 {
                switch Int.random(in: 0...4, using: &generator) {
                case 0, 1:
                    callCount += 1
                    try await dispatcher.accept([DispatchFixture.call(callCount)])
                    for name in configured { waiting[name]?.insert("call \(callCount)") }
                case 2:
                    let more = second + 1...second + Int.random(in: 1...9, using: &generator)
                    fixture.log.log(more)
                    second = more.upperBound
                    for name in sending { waiting[name]?.formUnion(more.map { "\($0)" }) }
                case 3:
                    _ = try await dispatcher.dispatch()
                    noteTaken()
                default:
                    guard let from = waiting.keys.sorted().randomElement(using: &generator),
                        let other = configured.randomElement(using: &generator), from != other
                    else { continue }
                    try await dispatcher.move(from, to: other)
                    let moved = waiting[from] ?? []
                    waiting[other]?.formUnion(moved)
                    waiting[from] = configured.contains(from) ? [] : nil
                }
                for (name, names) in waiting {
                    let page = try await dispatcher.waiting(for: name, after: nil, limit: 1_000)
                    #expect(Set(page.records.map(\.shortName)) == names, "\(name) in run \(run)")
                }
            }
            if run == 9 {
                for _ in 0..<3 { _ = try await dispatcher.dispatch() }
                noteTaken()
                let left = waiting.filter { !$0.value.isEmpty }
                #expect(left.isEmpty)
                let states = try await dispatcher.statuses().map(\.state)
                #expect(states.allSatisfy { $0.droppedCount == 0 })
            }
            await dispatcher.stop()
        }
    }

    /// A server that is down, takes every other record, or takes all.
    private func server(_ kind: Int) -> ScriptedDestination {
        ScriptedDestination { records in
            switch kind {
            case 0: return .unreachable(reason: "down")
            case 1:
                let received = records.filter { $0.sequence % 2 == 0 }
                let rest = DeliveryOutcome.temporary(reason: "no word", retryAfter: nil)
                return received.isEmpty ? rest : .partly(received: Set(received.map(\.id)), answer: "200", then: rest)
            default: return .good
            }
        }
    }
}
