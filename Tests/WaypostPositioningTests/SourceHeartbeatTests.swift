import Testing
import Waypost
import WaypostSystem

@testable import WaypostPositioning

/// Each heartbeat by itself: those of other tests run beside it.
@Suite struct SourceHeartbeatTests {
    @Test func isOverdueOnceItsPatienceIsOver() {
        let heartbeat = SourceHeartbeat(name: "test", patience: .seconds(10))
        heartbeat.noteSign()
        let now = MonotonicClock.milliseconds
        #expect(!heartbeat.isOverdue(at: now))
        #expect(!heartbeat.isOverdue(at: now + 9_900))
        #expect(heartbeat.isOverdue(at: now + 10_001))
    }

    @Test func takesAnEventAsASignOnlyWhenItWasTaken() async throws {
        let heartbeat = SourceHeartbeat(name: "test", patience: .milliseconds(300))
        let queue = EventHandoffProbe(heartbeat: heartbeat)
        // The listener takes longer than the source's patience: that the event was sent is no sign of life.
        try await queue.run(takes: .milliseconds(700))
        #expect(queue.wasOverdueWhileTaken.contains(true))
        #expect(!heartbeat.isOverdue(at: MonotonicClock.milliseconds))
    }

    @Test func countsALookAtASilentReceiver() async throws {
        let heartbeat = SourceHeartbeat(name: "test", patience: .milliseconds(300))
        try await EventQueue.run(threadName: "test", whenFull: .dropsOldest, heartbeat: heartbeat, output: { _ in }) { queue, stop in
            #expect(stop.sleep(milliseconds: 500))
            #expect(heartbeat.isOverdue(at: MonotonicClock.milliseconds))
            queue.noteLook()
            #expect(!heartbeat.isOverdue(at: MonotonicClock.milliseconds))
        }
    }
}

/// A source with one event, and a listener who looks at the heartbeat while he takes it.
private final class EventHandoffProbe: Sendable {
    private let heartbeat: SourceHeartbeat
    private let looks = Monitor([Bool]())

    init(heartbeat: SourceHeartbeat) { self.heartbeat = heartbeat }

    var wasOverdueWhileTaken: [Bool] { looks.withLock { $0 } }

    func run(takes duration: Duration) async throws {
        try await EventQueue.run(threadName: "test", whenFull: .waits, heartbeat: heartbeat) { [heartbeat, looks] _ in
            try? await Task.sleep(for: duration)
            let isOverdue = heartbeat.isOverdue(at: MonotonicClock.milliseconds)
            looks.withLock { $0.append(isOverdue) }
        } body: { queue, _ in
            queue.send(.lost(.silent))
        }
    }
}
