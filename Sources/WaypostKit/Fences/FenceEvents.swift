import Synchronization
import Waypost
import WaypostPositioning
import WaypostSystem

/// The events of a ``FenceMonitor``, as they happen.
///
/// A loop starts the manager. It ends when the source has finished or failed, when the monitor is closed, and when its task is cancelled; if the
/// manager is stopped, the loop waits for the next start. The first loop begins with the events that came before it, late events included; each loop gets every
/// event from its start on.
/// - Buffers are bounded: the last ``FenceEvents/limit`` events are kept. ``Iterator/droppedCount`` counts what a slower loop misses.
public struct FenceEvents: AsyncSequence, Sendable {
    /// How many events are kept for slow loops.
    public static let limit = 1_000

    private let monitor: FenceMonitor

    init(_ monitor: FenceMonitor) {
        self.monitor = monitor
    }

    /// An independent loop; it begins when the first event is requested.
    public func makeAsyncIterator() -> Iterator { Iterator(monitor) }

    /// Returns one event after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private let monitor: FenceMonitor
        private var loop: FenceEventQueue.Loop?

        fileprivate init(_ monitor: FenceMonitor) {
            self.monitor = monitor
        }

        /// How many events were dropped because this loop was slow.
        public var droppedCount: Int { loop?.droppedCount ?? 0 }

        /// Waits for the next event; nil at the end.
        public mutating func next() async -> TrackerEvent? {
            var current: FenceEventQueue.Loop
            if let loop {
                current = loop
            } else {
                current = await monitor.beginLoop()
            }
            let event = await monitor.queue.next(of: &current)
            loop = current
            return event
        }
    }
}

/// The last events, for any number of loops.
final class FenceEventQueue: Sendable {
    /// The progress of a loop.
    struct Loop: Sendable {
        /// The number of the next event it takes.
        fileprivate var next: Int
        /// How often the source had ended when the loop began.
        fileprivate var endCount: Int
        fileprivate(set) var droppedCount = 0
    }

    private struct State {
        var events: [TrackerEvent] = []
        /// The number of the first of them.
        var first = 0
        /// The number of the first event that no loop has taken.
        var untaken = 0
        /// The number of the first event that no loop has done with: it has asked for the next one since.
        var unhandled = 0
        var endCount = 0
        var isClosed = false
    }

    private let state = Mutex(State())
    private let news = WaitingTasks()

    func add(_ events: [TrackerEvent]) {
        guard !events.isEmpty else { return }
        state.withLock { state in
            state.events += events
            let surplus = max(0, state.events.count - FenceEvents.limit)
            state.events.removeFirst(surplus)
            state.first += surplus
        }
        news.resumeAll()
    }

    /// Notes the end of the source: loops end after the events that are left.
    func endLoops() {
        state.withLock { $0.endCount += 1 }
        news.resumeAll()
    }

    /// Notes that there will be no more events: loops end after those that are left.
    func close() {
        state.withLock { $0.isClosed = true }
        news.resumeAll()
    }

    /// The ids of the kept events with which a loop has done.
    var handledIDs: Set<String> {
        state.withLock { state in Set(state.events.prefix(max(0, state.unhandled - state.first)).map(\.id)) }
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    func begin() -> Loop { state.withLock { Loop(next: max($0.untaken, $0.first), endCount: $0.endCount) } }

    func next(of loop: inout Loop) async -> TrackerEvent? {
        while !Task.isCancelled {
            let mark = news.mark
            let (event, isOver) = take(of: &loop)
            if let event { return event }
            if isOver { return nil }
            _ = await news.wait(since: mark)
        }
        return nil
    }

    private func take(of loop: inout Loop) -> (event: TrackerEvent?, isOver: Bool) {
        state.withLock { state in
            state.unhandled = max(state.unhandled, loop.next)
            if loop.next < state.first {
                loop.droppedCount += state.first - loop.next
                loop.next = state.first
            }
            guard loop.next < state.first + state.events.count else { return (nil, state.isClosed || state.endCount != loop.endCount) }
            defer {
                loop.next += 1
                state.untaken = max(state.untaken, loop.next)
            }
            return (state.events[loop.next - state.first], false)
        }
    }
}
