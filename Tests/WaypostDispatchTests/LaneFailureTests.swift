import Foundation
import Synchronization
import Testing
import Waypost

@testable import WaypostDispatch

/// A server that accepts some kinds of records and not others, or that is slow with one.
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

    /// A rhythm of failures that meets the positions each time, as events go first.
    @Test func positionsGetTheirTurnFromAServerThatAnswersEverySecondRequest() async throws {
        let fixture = try DispatchFixture()
        let count = Mutex(0)
        let destination = ScriptedDestination { _ in
            count.withLock {
                $0 += 1
                return $0.isMultiple(of: 2) ? .temporary(reason: "429", retryAfter: .seconds(3)) : .good
            }
        }
        let dispatcher = try await fixture.dispatcher([("home", destination)])
        for round in 1...8 {
            fixture.log.log(round...round)
            try await dispatcher.accept([DispatchFixture.call(round)])
            _ = try await dispatcher.drain(budget: .seconds(60))
            let names = destination.takenNames
            #expect(names.contains("call \(max(1, round - 1))"), "\(names)")
            if round > 2 { #expect(names.contains("\(round - 2)"), "\(names)") }
        }
    }

    /// Of whatever kind it is that always fails, the other does not wait for it.
    @Test(arguments: [false, true]) func neitherKindWaitsForEverBehindTheOther(arePositionsBad: Bool) async throws {
        let fixture = try DispatchFixture()
        let destination = ScriptedDestination { records in
            let isPosition = if case .position = records[0].content { true } else { false }
            return isPosition == arePositionsBad ? .temporary(reason: "500", retryAfter: nil) : .good
        }
        let dispatcher = try await fixture.dispatcher([("home", destination)])
        for round in 1...40 {
            fixture.log.log(round...round)
            try await dispatcher.accept([DispatchFixture.call(round)])
            _ = try await dispatcher.drain(budget: .seconds(60))
        }
        #expect(destination.taken.count > 20, "\(destination.takenNames)")
    }

    /// A server that takes its time for each event.
    @Test func positionsHaveATurnAmongEventsThatTakeLong() async throws {
        let fixture = try DispatchFixture()
        let destination = ScriptedDestination { _ in
            fixture.milliseconds.withLock { $0 += 4_000 }
            return .good
        }
        let dispatcher = try await fixture.dispatcher([("home", destination)], batchCount: 1)
        fixture.log.log(1...2)
        try await dispatcher.accept((1...8).map(DispatchFixture.call))
        #expect(try await dispatcher.dispatch().word == .good)
        let names = ["call 1", "call 2", "call 3", "1", "call 4", "call 5", "call 6", "2", "call 7", "call 8"]
        #expect(destination.takenNames == names)
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
