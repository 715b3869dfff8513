import Testing
import Waypost
import WaypostSystem

@testable import WaypostPositioning

/// Each vigil by itself: those of other tests run beside it.
@Suite struct SourceVigilTests {
    @Test func isOverdueOnceItsPatienceIsOver() {
        let vigil = SourceVigil(name: "test", patience: .seconds(10))
        vigil.noteSign()
        let now = MonotonicClock.milliseconds
        #expect(!vigil.isOverdue(at: now))
        #expect(!vigil.isOverdue(at: now + 9_900))
        #expect(vigil.isOverdue(at: now + 10_001))
    }

    @Test func takesAnEventAsASignOnlyWhenItWasTaken() async throws {
        let vigil = SourceVigil(name: "test", patience: .milliseconds(300))
        let handoff = EventHandoffProbe(vigil: vigil)
        // The listener takes longer than the source's patience: that the event was sent is no sign of life.
        try await handoff.run(takes: .milliseconds(700))
        #expect(handoff.wasOverdueWhileTaken.contains(true))
        #expect(!vigil.isOverdue(at: MonotonicClock.milliseconds))
    }

    @Test func countsALookAtASilentReceiver() async throws {
        let vigil = SourceVigil(name: "test", patience: .milliseconds(300))
        try await EventHandoff.run(threadName: "test", whenFull: .dropsOldest, vigil: vigil, output: { _ in }) { handoff, stop in
            #expect(stop.sleep(milliseconds: 500))
            #expect(vigil.isOverdue(at: MonotonicClock.milliseconds))
            handoff.noteLook()
            #expect(!vigil.isOverdue(at: MonotonicClock.milliseconds))
        }
    }
}

/// A source with one event, and a listener who looks at the vigil while he takes it.
private final class EventHandoffProbe: Sendable {
    private let vigil: SourceVigil
    private let looks = Monitor([Bool]())

    init(vigil: SourceVigil) { self.vigil = vigil }

    var wasOverdueWhileTaken: [Bool] { looks.withLock { $0 } }

    func run(takes duration: Duration) async throws {
        try await EventHandoff.run(threadName: "test", whenFull: .waits, vigil: vigil) { [vigil, looks] _ in
            try? await Task.sleep(for: duration)
            let isOverdue = vigil.isOverdue(at: MonotonicClock.milliseconds)
            looks.withLock { $0.append(isOverdue) }
        } body: { handoff, _ in
            handoff.send(.lost(.silent))
        }
    }
}
