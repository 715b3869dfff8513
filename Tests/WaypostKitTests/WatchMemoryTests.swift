import Testing
import Waypost
import WaypostControl

@testable import WaypostKit

struct WatchMemoryTests {
    private func event(_ id: String) -> WatchLine { .event(TrackerEvent(id: id, kind: "enter", name: "Gate", time: nil)) }

    @Test func passesOnWhatIsNew() {
        let memory = Kept(WatchMemory())
        #expect(memory.update(.position(position(1))) == .position(position(1)))
        #expect(memory.update(.position(position(2))) == .position(position(2)))
        #expect(memory.update(.dropped(DroppedLines(count: 3))) == .missed(3))
        #expect(memory.update(.other("NEWS")) == nil)
    }

    /// A restarted tracker may report what it missed before anybody is connected again.
    @Test func findsTheEventsThatNoConnectionHasDelivered() {
        let memory = Kept(WatchMemory())
        let events = ["a", "b", "c", "d"].map { TrackerEvent(id: $0, kind: "enter", name: "Gate", time: nil) }
        #expect(memory.missed(of: Array(events[..<2]), newest: 0) == [])
        #expect(memory.update(event("c")) != nil)
        memory.begin()
        #expect(memory.missed(of: events, newest: 4).map(\.id) == ["d"])
        #expect(memory.update(event("d")) == nil)
    }

    /// The status may have an event whose line is still on its way.
    @Test func passesOnWhatOnlyTheStatusHadBefore() {
        let memory = Kept(WatchMemory())
        let events = ["a", "b", "c"].map { TrackerEvent(id: $0, kind: "enter", name: "Gate", time: nil) }
        #expect(memory.missed(of: events, newest: 1).map(\.id) == ["c"])
        #expect(memory.update(event("b")) != nil && memory.update(event("c")) == nil)
        memory.begin()
        for id in ["a", "b", "c"] { #expect(memory.update(event(id)) == nil) }
    }

    @Test func leavesOutThePositionThatTheConnectionBeforeHasTold() {
        let memory = Kept(WatchMemory())
        _ = memory.update(.position(position(5)))
        memory.begin()
        #expect(memory.update(.position(position(5))) == nil)
        #expect(memory.update(.position(position(6))) == .position(position(6)))
        // A tracker that tells the same twice on one connection means it.
        #expect(memory.update(.position(position(6))) != nil)
    }

    @Test func leavesOutACachedPositionThatIsNoNews() {
        let memory = Kept(WatchMemory())
        let cached = position(3, isCached: true)
        #expect(memory.update(.position(cached)) == .position(cached))
        _ = memory.update(.position(position(10)))
        memory.begin()
        #expect(memory.update(.position(position(10, isCached: true))) == nil)
        memory.begin()
        #expect(memory.update(.position(position(9, isCached: true))) == nil)
        memory.begin()
        // The device has moved while nobody listened.
        #expect(memory.update(.position(position(11, isCached: true))) != nil)
    }

    @Test func goesOnAfterTheClockWasPutBack() {
        let memory = Kept(WatchMemory())
        _ = memory.update(.position(position(1_000)))
        memory.begin()
        #expect(memory.update(.position(position(1))) == .position(position(1)))
    }

    @Test func tellsAnEventOnce() {
        let memory = Kept(WatchMemory())
        #expect(memory.update(event("a")) != nil)
        #expect(memory.update(event("a")) == nil)
        memory.begin()
        #expect(memory.update(event("a")) == nil)
        #expect(memory.update(event("b")) != nil)
    }

    @Test func remembersTheLastEventsOnly() {
        let memory = Kept(WatchMemory())
        for number in 0..<1_000 { #expect(memory.update(event("\(number)")) != nil) }
        for number in (1_000 - WatchMemory.eventCount)..<1_000 { #expect(memory.update(event("\(number)")) == nil) }
        #expect(memory.update(event("0")) != nil)
    }
}

struct ReconnectionTests {
    @Test func waitsTwiceAsLongEachTimeUpToFiveSeconds() {
        let reconnection = Kept(Reconnection())
        var pauses: [Duration] = [reconnection.pause]
        for second in 0..<8 {
            _ = reconnection.noteFailure(.timedOut, at: Int64(second) * 1_000)
            pauses.append(reconnection.pause)
        }
        #expect(pauses == [0, 100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000].map { .milliseconds($0) })
    }

    @Test func tellsEachReasonOnce() {
        let reconnection = Kept(Reconnection())
        let missing = ControlError.notRunning(path: "x")
        #expect(reconnection.noteFailure(missing, at: 0))
        #expect(!reconnection.noteFailure(missing, at: 100))
        #expect(reconnection.noteFailure(.timedOut, at: 200))
        reconnection.noteConnection(at: 300)
        #expect(reconnection.noteFailure(.timedOut, at: 400))
    }

    @Test func beginsAnewAfterAConnectionThatLasted() {
        let reconnection = Kept(Reconnection())
        for _ in 0..<5 { _ = reconnection.noteFailure(.timedOut, at: 0) }
        reconnection.noteConnection(at: 0)
        _ = reconnection.noteFailure(.closed(byService: false), at: 999)
        #expect(reconnection.pause == .milliseconds(3_200))
        reconnection.noteConnection(at: 10_000)
        _ = reconnection.noteFailure(.closed(byService: false), at: 11_000)
        #expect(reconnection.pause == .milliseconds(100))
    }
}

/// A value in a place of its own: what an expectation holds cannot be changed.
private final class Kept<Value> {
    private var value: Value

    init(_ value: Value) { self.value = value }
}

extension Kept where Value == WatchMemory {
    func update(_ line: WatchLine) -> TrackerUpdate? { value.update(line) }
    func begin() { value.begin() }
    func missed(of events: [TrackerEvent], newest count: Int) -> [TrackerEvent] { value.missed(of: events, newest: count) }
}

extension Kept where Value == Reconnection {
    var pause: Duration { value.pause }
    func noteFailure(_ error: ControlError, at now: Int64) -> Bool { value.noteFailure(error, at: now) }
    func noteConnection(at now: Int64) { value.noteConnection(at: now) }
}
