import Foundation
import Synchronization
import Testing
import Waypost
import WaypostSystem

@testable import WaypostDispatch

/// What an outbox knows of what it took, dropped and could not keep.
@Suite struct OutboxAccountTests {
    @Test func knowsOverARestartHowFarTheEventsOfTheLogWereTaken() async throws {
        let fixture = try DispatchFixture()
        do {
            let outbox = try fixture.outbox()
            #expect(await outbox.loggedNumber == nil)
            _ = try await outbox.attach("home", newestPosition: 0)
            try await outbox.accept([DispatchFixture.call(1)], loggedThrough: 41)
            try await outbox.accept([DispatchFixture.call(2)])
            try await outbox.setReadOnly(true)
            await #expect(throws: OutboxError.self) { try await outbox.accept([DispatchFixture.call(3)], loggedThrough: 50) }
            try await outbox.setReadOnly(false)
            #expect(await outbox.loggedNumber == 41)
            try await outbox.discard("home", newestPosition: 0)
        }
        do {
            let outbox = try fixture.outbox()
            #expect(await outbox.loggedNumber == 41)
            try await outbox.setOptedOut(true, newestPosition: 0)
            // What nobody wants is behind us, too.
            try await outbox.accept([DispatchFixture.call(4)], loggedThrough: 60)
        }
        #expect(await (try fixture.outbox()).loggedNumber == 60)
    }

    @Test func countsNothingAsDroppedThatComesAfterAll() async throws {
        let fixture = try DispatchFixture()
        var limits = OutboxLimits()
        limits.maximumByteCount = 20_000
        let outbox = try fixture.outbox(limits: limits)
        let dispatcher = Dispatcher(outbox: outbox, supply: fixture.log, device: "box", clock: fixture.clock)
        let destination = BusyDestination {
            for number in 11...300 { try? await outbox.accept([DispatchFixture.call(number)]) }  // The counts below tell.
        }
        try await dispatcher.attach(destination, DestinationSettings(name: "home", schedule: .init(interval: .zero, phaseOf: "home")))
        try await outbox.accept((1...10).map(DispatchFixture.call))
        _ = try await dispatcher.dispatch()
        let state = try await outbox.state(of: "home")
        #expect(state.sentCount + state.droppedCount + state.waitingEventCount == 300 && state.droppedCount > 100)
        #expect(await outbox.limitDropCount == state.droppedCount)
    }

    /// A server that takes what cannot be noted as sent is neither back nor gone each time.
    @Test func saysOnceThatReceiptsCannotBeKept() async throws {
        let fixture = try DispatchFixture()
        let notices = Mutex<[String]>([])
        let home = ScriptedDestination()
        let dispatcher = try await fixture.dispatcher([("home", home)]) { notice in
            switch notice {
            case .failing: notices.withLock { $0.append("failing") }
            case .recovered: notices.withLock { $0.append("recovered") }
            case .buried, .dryRun: break
            }
        }
        try await dispatcher.accept([DispatchFixture.call(1)])
        try await dispatcher.outbox.setReadOnly(true)
        for _ in 0..<5 { #expect(try await dispatcher.dispatch() != .good) }
        #expect(Set(home.taken.map(\.id)).count == 1)
        #expect(notices.withLock { $0 } == ["failing"])
        try await dispatcher.outbox.setReadOnly(false)
        #expect(try await dispatcher.dispatch().word == .good)
        #expect(notices.withLock { $0 } == ["failing", "recovered"])
    }
}

extension Outbox {
    /// Whether its disk takes nothing, as far as it can see.
    func setReadOnly(_ isReadOnly: Bool) throws { try openStore?.database.execute("PRAGMA query_only = \(isReadOnly ? 1 : 0)") }
}

/// A destination that takes everything, and during whose first call something else happens.
private final class BusyDestination: Destination {
    let maximumBatchCount = 100
    private let isFirst = Mutex(true)
    private let meanwhile: @Sendable () async -> Void

    init(meanwhile: @escaping @Sendable () async -> Void) { self.meanwhile = meanwhile }

    func send(_ batch: DispatchBatch) async -> DeliveryOutcome {
        if isFirst.withLock({ isFirst in
            defer { isFirst = false }
            return isFirst
        }) {
            await meanwhile()
        }
        return .good
    }
}
