import Foundation
import Synchronization
import Testing
import Waypost
import WaypostSystem

@testable import WaypostDispatch

@Suite struct OutboxTests {
    /// What is accepted must be readable when it is sent.
    @Test func refusesValuesThatAreTooDeep() async throws {
        func entry(_ depth: Int) -> OutboxEntry {
            // The values themselves are a level.
            let value = (1..<depth).reduce(JSONValue.integer(1)) { inner, level in level % 2 == 0 ? .array([inner]) : .object(["a": inner])
            }
            return .track(TrackCall(id: "depth-\(depth)", name: "deep", values: ["v": value], time: nil, position: nil))
        }
        let fixture = try DispatchFixture()
        let outbox = try fixture.outbox()
        try await outbox.accept([entry(OutboxEntry.maximumDepth)])
        for depth in [OutboxEntry.maximumDepth + 1, 1_000] {
            await #expect(throws: OutboxError.tooDeep(limit: OutboxEntry.maximumDepth)) { try await outbox.accept([entry(depth)]) }
        }
        let kept = try await outbox.entries(after: 0, limit: 9)
        #expect(kept.map(\.id) == ["depth-60"] && kept.allSatisfy { RecordCodec.content($0.body) != nil })
    }

    @Test func keepsWhatItTookForEveryDestinationUntilEachHasIt() async throws {
        let fixture = try DispatchFixture()
        let outbox = try fixture.outbox()
        _ = try await outbox.attach("a", newestPosition: 0)
        try await outbox.accept((1...5).map(DispatchFixture.call))
        _ = try await outbox.attach("b", newestPosition: 40)
        try await outbox.accept((6...7).map(DispatchFixture.call))
        #expect(try await outbox.state(of: "a").waitingEventCount == 7)
        // A new destination begins with what comes from then on.
        #expect(try await outbox.state(of: "b").waitingEventCount == 2)
        #expect(try await outbox.state(of: "b").positions.live == 40)
        try await outbox.settle(Settlement(lane: .events, through: 4, count: 4, sentCount: 4), nil, for: "a")
        // The next run finds the same.
        let next = try fixture.outbox()
        let state = try await next.attach("a", newestPosition: 99)
        #expect(state.waitingEventCount == 3 && state.sentCount == 4 && state.eventCursor == 4 && state.positions.live == 0)
        let names = try await next.entries(after: 4, limit: 10).compactMap { RecordCodec.content($0.body) }.map { content in
            DispatchRecord(id: "", lane: .events, sequence: 0, age: nil, content: content).shortName
        }
        #expect(names == ["call 5", "call 6", "call 7"])
    }

    @Test func takesAnIDOnce() async throws {
        let outbox = try DispatchFixture().outbox()
        _ = try await outbox.attach("a", newestPosition: 0)
        let call = DispatchFixture.call(1)
        try await outbox.accept([call, call])
        try await outbox.accept([call])
        #expect(try await outbox.entries(after: 0, limit: 10).map(\.id) == [call.id])
    }

    @Test func givesBackEveryKindOfEntryAsItWas() async throws {
        let outbox = try DispatchFixture().outbox()
        _ = try await outbox.attach("a", newestPosition: 0)
        var payload = TrackerEvent.Payload(fenceID: "yard-7", visit: 7, reason: .stayed)
        payload.evidence.distanceMetres = -1.54
        let event = TrackerEvent(
            id: "x-enter", kind: "enter", name: "Yard", time: DispatchFixture.start, position: DispatchFixture.position(3), payload: payload
        )
        let call = TrackCall(
            name: "Tür \"7\"", values: ["a": .string("東"), "b": .number(1.5), "c": .null, "d": .array([.bool(true)])], time: nil,
            position: nil)
        let entries = [OutboxEntry.event(event), .track(call), .health(.object(["queue": .integer(3)]))]
        try await outbox.accept(entries)
        #expect(try await outbox.entries(after: 0, limit: 10).map { RecordCodec.content($0.body) } == entries.map(\.content))
    }

    @Test func sharesACommitAmongThoseWhoCome() async throws {
        let fixture = try DispatchFixture()
        let outbox = try fixture.outbox()
        _ = try await outbox.attach("a", newestPosition: 0)
        try await withThrowingTaskGroup { group in
            for number in 1...400 { group.addTask { try await outbox.accept([DispatchFixture.call(number)]) } }
            try await group.waitForAll()
        }
        #expect(try await outbox.state(of: "a").waitingEventCount == 400)
    }

    @Test func refusesAnEntryThatIsTooLongAndTakesTheNext() async throws {
        let outbox = try DispatchFixture().outbox()
        let long = TrackCall(name: String(repeating: "x", count: 40_000), values: [:], time: nil, position: nil)
        await #expect(throws: OutboxError.self) { try await outbox.accept([.track(long)]) }
        try await outbox.accept([DispatchFixture.call(1)])
    }

    @Test func dropsTheOldestWhenItIsFullAndCountsThem() async throws {
        let fixture = try DispatchFixture()
        var limits = OutboxLimits()
        limits.maximumByteCount = 20_000
        let outbox = try fixture.outbox(limits: limits)
        _ = try await outbox.attach("a", newestPosition: 0)
        for number in 1...300 { try await outbox.accept([DispatchFixture.call(number)]) }
        let state = try await outbox.state(of: "a")
        #expect(state.droppedCount + state.waitingEventCount == 300)
        #expect((50...120).contains(state.waitingEventCount), "\(state.waitingEventCount)")
        #expect(try await outbox.entries(after: 0, limit: 1_000).last?.number == 300)
    }

    /// Nobody serves it any more; it costs no more disk than the others until somebody discards it.
    @Test func limitsTheQueueOfADestinationThatWasRemoved() async throws {
        let fixture = try DispatchFixture()
        var limits = OutboxLimits()
        limits.maximumByteCount = 20_000
        limits.keptEntryCount = 5
        _ = try await fixture.outbox(limits: limits).attach("old", newestPosition: 0)
        let outbox = try fixture.outbox(limits: limits)
        for number in 1...300 { try await outbox.accept([DispatchFixture.call(number)]) }
        let state = try #require(try await outbox.destinations().first)
        #expect(state.name == "old" && state.droppedCount + state.waitingEventCount == 300)
        #expect((50...120).contains(state.waitingEventCount), "\(state.waitingEventCount)")
        try await outbox.forget("old")
        #expect(try await outbox.destinations().isEmpty)
        for number in 301...310 { try await outbox.accept([DispatchFixture.call(number)]) }
        #expect(try await outbox.entries(after: 0, limit: 1_000).count < 20, "what nobody waits for is not kept")
    }

    @Test func dropsWhatIsTooOldOnceItIsKnownWhatTimeItIs() async throws {
        let fixture = try DispatchFixture()
        var limits = OutboxLimits()
        limits.maximumAge = .seconds(3_600)
        let outbox = try fixture.outbox(limits: limits)
        _ = try await outbox.attach("a", newestPosition: 0)
        try await outbox.accept([DispatchFixture.call(1)])
        fixture.time.withLock { $0 = nil }
        try await outbox.accept([DispatchFixture.call(2)])
        #expect(try await outbox.state(of: "a").waitingEventCount == 2)
        fixture.time.withLock { $0 = DispatchFixture.start.advanced(byMilliseconds: 7_200_000) }
        try await outbox.accept([.health(.object([:]))])
        let state = try await outbox.state(of: "a")
        #expect(state.waitingEventCount == 1 && state.droppedCount == 2)
    }

    @Test func forgetsWhatEverybodyHasButForTheLast() async throws {
        let fixture = try DispatchFixture()
        var limits = OutboxLimits()
        limits.keptEntryCount = 10
        let outbox = try fixture.outbox(limits: limits)
        _ = try await outbox.attach("a", newestPosition: 0)
        try await outbox.accept((1...100).map(DispatchFixture.call))
        try await outbox.settle(Settlement(lane: .events, through: 95, count: 95, sentCount: 95), nil, for: "a")
        try await outbox.accept([DispatchFixture.call(101)])
        #expect(try await outbox.entries(after: 0, limit: 1_000).map(\.number) == Array(92...101))
        #expect(try await outbox.state(of: "a").droppedCount == 0)
    }

    @Test func takesNothingWhileSomebodyHasOptedOut() async throws {
        let fixture = try DispatchFixture()
        let outbox = try fixture.outbox()
        _ = try await outbox.attach("a", newestPosition: 0)
        try await outbox.accept([DispatchFixture.call(1)])
        try await outbox.setOptedOut(true, newestPosition: 70)
        let next = try fixture.outbox()
        try await next.accept([DispatchFixture.call(2)])
        #expect(try await next.isOptedOut())
        let state = try await next.state(of: "a")
        #expect(state.waitingEventCount == 0 && state.droppedCount == 0 && state.positions.live == 70)
        try await next.setOptedOut(false, newestPosition: 90)
        try await next.accept([DispatchFixture.call(3)])
        #expect(try await next.state(of: "a").waitingEventCount == 1)
        #expect(try await next.state(of: "a").positions.live == 90)
    }

    @Test func leavesNoTraceInTheFileOfWhatWaitedBeforeOptingOut() async throws {
        let fixture = try DispatchFixture()
        let outbox = try fixture.outbox()
        _ = try await outbox.attach("a", newestPosition: 0)
        try await outbox.accept([DispatchFixture.call(1)])
        try await outbox.settle(Settlement(lane: .events, through: 1, count: 1, sentCount: 1), nil, for: "a")
        try await outbox.accept((2...4).map { .track(TrackCall(name: "secret \($0)", values: [:], time: nil, position: nil)) })
        try await outbox.setOptedOut(true, newestPosition: 0)
        // What it was sent stays in the ledger.
        #expect(try await outbox.entries(after: 0, limit: 10).map(\.number) == [1])
        for suffix in ["", "-wal"] {
            let bytes = try Data(contentsOf: URL(filePath: fixture.path + suffix))
            #expect(bytes.range(of: Data("secret ".utf8)) == nil, "\(suffix)")
        }
        // Numbers are not used again.
        try await outbox.setOptedOut(false, newestPosition: 0)
        try await outbox.accept([DispatchFixture.call(5)])
        #expect(try await outbox.entries(after: 1, limit: 10).map(\.number) == [5])
    }

    @Test func erasesAStretchOfTimeFromTheFile() async throws {
        let fixture = try DispatchFixture()
        let outbox = try fixture.outbox()
        _ = try await outbox.attach("a", newestPosition: 0)
        let secret = TrackCall(name: "secret-place", values: [:], time: DispatchFixture.start, position: nil)
        let later = TrackCall(name: "later-place", values: [:], time: DispatchFixture.start.advanced(byMilliseconds: 60_000), position: nil)
        try await outbox.accept([.track(secret), .track(later)])
        let erased = try await outbox.erase(from: DispatchFixture.start, to: DispatchFixture.start.advanced(byMilliseconds: 1_000))
        #expect(erased == 1)
        for name in try FileManager.default.contentsOfDirectory(atPath: fixture.folder) {
            let bytes = try Data(contentsOf: URL(filePath: fixture.folder + "/" + name))
            #expect(bytes.range(of: Data("secret-place".utf8)) == nil, "\(name)")
        }
        #expect(try await outbox.entries(after: 0, limit: 10).count == 1)
    }

    /// Records come and go, and pages are rearranged, between one erasure and the next.
    @Test func erasesWhatCameAfterAnEarlierErasureFromTheFile() async throws {
        let fixture = try DispatchFixture()
        let outbox = try fixture.outbox()
        _ = try await outbox.attach("a", newestPosition: 0)
        _ = try await outbox.erase(from: DispatchFixture.start, to: DispatchFixture.start.advanced(byMilliseconds: 1_000))
        for number in 1...60 {
            let time = DispatchFixture.start.advanced(byMilliseconds: Int64(number) * 1_000)
            let name = number.isMultiple(of: 2) ? "secret-\(number)" : "later-\(number)"
            try await outbox.accept([.track(TrackCall(name: name, values: ["number": .number(Double(number))], time: time, position: nil))])
            if number == 20 { try await outbox.settle(Settlement(lane: .events, through: 15, count: 15, sentCount: 15), nil, for: "a") }
        }
        let end = DispatchFixture.start.advanced(byMilliseconds: 100_000)
        let erased = try await outbox.erase(from: DispatchFixture.start, to: end)
        #expect(erased > 0)
        for name in try FileManager.default.contentsOfDirectory(atPath: fixture.folder) {
            let bytes = try Data(contentsOf: URL(filePath: fixture.folder + "/" + name))
            #expect(bytes.range(of: Data("secret-".utf8)) == nil, "\(name)")
        }
    }

    @Test func isReadableForItsUserOnly() async throws {
        let fixture = try DispatchFixture()
        let outbox = try fixture.outbox()
        try await outbox.accept([DispatchFixture.call(1)])
        for name in try FileManager.default.contentsOfDirectory(atPath: fixture.folder) {
            let attributes = try FileManager.default.attributesOfItem(atPath: fixture.folder + "/" + name)
            #expect((attributes[.posixPermissions] as? Int) == 0o600, "\(name)")
        }
    }
}
