import Synchronization
import Testing
import Waypost

@testable import WaypostDispatch

/// A server that accepts some kinds of records and not others.
@Suite(.timeLimit(.minutes(1))) struct LaneFailureTests {
    /// A destination whose server has a fault with positions alone.
    private static func withoutPositions() -> ScriptedDestination {
        ScriptedDestination { records in
            let hasPosition = records.contains { if case .position = $0.content { true } else { false } }
            return hasPosition ? .temporary(reason: "503", retryAfter: nil) : .good
        }
    }

    /// Events and calls that arrive do not hide that no position ever did.
    @Test(arguments: [DestinationSettings.Order.oldest, .live]) func positionsThatNeverArriveAreToldBesideEventsThatDo(
        order: DestinationSettings.Order
    ) async throws {
        let fixture = try DispatchFixture()
        let destination = Self.withoutPositions()
        let notices = Mutex<[DispatchNotice]>([])
        let dispatcher = try await fixture.dispatcher([("home", destination)], order: order) { notice in
            notices.withLock { $0.append(notice) }
        }
        for round in 1...9 {
            fixture.log.log(round...round)
            try await dispatcher.accept([DispatchFixture.call(round)])
            _ = try await dispatcher.dispatch()
            let status = try await dispatcher.statuses()[0]
            #expect(status.failure == "503" && status.failingTime == .seconds(10 * (round - 1)), "round \(round)")
            #expect(status.isStalled == (round > 6) && status.timeSinceReceipt == .zero, "round \(round)")
            fixture.milliseconds.withLock { $0 += 10_000 }
        }
        #expect(destination.takenNames.count == 9)
        #expect(notices.withLock { $0 } == [.failing(destination: "home", reason: "503", needsMending: false)])
        destination.setAnswer { _ in .good }
        #expect(try await dispatcher.dispatch().word == .good)
        let status = try await dispatcher.statuses()[0]
        #expect(status.failure == nil && !status.isStalled && destination.takenNames.count == 18)
        #expect(notices.withLock { $0.last } == .recovered(destination: "home"))
    }

    /// When nothing of that kind waits any more, there is nothing to tell.
    @Test func whatWasDiscardedFailsNoMore() async throws {
        let fixture = try DispatchFixture()
        let dispatcher = try await fixture.dispatcher([("home", Self.withoutPositions())])
        fixture.log.log(1...3)
        #expect(try await dispatcher.dispatch().word == .error)
        _ = try await dispatcher.discard("home")
        for round in 1...2 {
            fixture.milliseconds.withLock { $0 += 100_000 }
            try await dispatcher.accept([DispatchFixture.call(round)])
            #expect(try await dispatcher.dispatch().word == .good)
        }
        let status = try await dispatcher.statuses()[0]
        #expect(status.failure == nil && !status.isStalled)
    }
}
