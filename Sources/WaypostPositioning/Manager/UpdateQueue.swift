import Synchronization
import WaypostSystem

/// The updates that wait for one listener: a bounded number, of which the oldest are dropped first.
///
/// A caller that can wait asks for room first: then none is dropped.
final class UpdateQueue: Sendable {
    private struct State {
        var updates: [PositioningUpdate] = []
        /// Updates at the start of `updates` that the listener has already received.
        var takenCount = 0
        var droppedCount = 0
        var isFinished = false
        var isAbandoned = false
        /// Whether somebody waits for room.
        var isAwaited = false
        var nextWaiter = 0
        var waiters: [(id: Int, continuation: CheckedContinuation<Void, Never>)] = []

        var waitingCount: Int { updates.count - takenCount }
    }

    private let limit: Int
    private let state = Mutex(State())
    private let room = WaitingTasks()

    /// An empty queue with room for that many updates.
    init(limit: Int) {
        self.limit = max(1, limit)
    }

    /// How many updates were dropped because the listener was too slow.
    var droppedCount: Int { state.withLock { $0.droppedCount } }

    /// Adds an update, in place of the oldest when the queue is full.
    func append(_ update: PositioningUpdate) {
        wake { state in
            guard !state.isFinished else { return }
            if state.waitingCount == limit {
                state.takenCount += 1
                state.droppedCount += 1
            }
            // Moving the rest once per `limit` updates keeps the memory bounded and the cost per update small.
            if state.takenCount >= limit {
                state.updates.removeFirst(state.takenCount)
                state.takenCount = 0
            }
            state.updates.append(update)
        }
    }

    /// Lets the listener get the remaining updates and then end.
    func finish() {
        wake { $0.isFinished = true }
        room.resumeAll()
    }

    /// Notes that nobody takes updates any more.
    func abandon() {
        state.withLock { $0.isAbandoned = true }
        finish()
    }

    /// Whether nobody takes updates any more.
    var isAbandoned: Bool { state.withLock { $0.isAbandoned } }

    /// Waits until the queue is less than half full, so that all updates caused by one event have room.
    ///
    /// It also returns when the queue is finished, and when the task is cancelled.
    func waitForRoom() async {
        while !Task.isCancelled {
            let mark = room.mark
            let hasRoom = state.withLock { state in
                if state.isFinished || 2 * state.waitingCount < limit { return true }
                state.isAwaited = true
                return false
            }
            if hasRoom { return }
            _ = await room.wait(since: mark)
        }
    }

    /// Waits for an update; nil at the end, or when the task is cancelled.
    func next() async -> PositioningUpdate? {
        await take { state in
            defer { state.takenCount += 1 }
            return state.updates[state.takenCount]
        }
    }

    /// Waits for updates and returns all that are there, the newest last; nil at the end, or when the task is cancelled.
    func nextBatch() async -> [PositioningUpdate]? {
        await take { state in
            defer { (state.updates, state.takenCount) = ([], 0) }
            return Array(state.updates[state.takenCount...])
        }
    }

    private func take<Result: Sendable>(_ body: @Sendable (inout State) -> Result) async -> Result? {
        while !Task.isCancelled {
            let (result, makesRoom): (Result??, Bool) = state.withLock { state in
                guard state.waitingCount > 0 else { return (state.isFinished ? .some(nil) : nil, false) }
                let result = body(&state)
                let makesRoom = state.isAwaited && 2 * state.waitingCount < limit
                if makesRoom { state.isAwaited = false }
                return (.some(result), makesRoom)
            }
            if makesRoom { room.resumeAll() }
            if let result { return result }
            await wait()
        }
        return nil
    }

    private func wait() async {
        let id = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    if Task.isCancelled || state.isFinished || state.waitingCount > 0 { return true }
                    state.waiters.append((id, continuation))
                    return false
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            let continuation = state.withLock { state in
                state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0).continuation }
            }
            continuation?.resume()
        }
    }

    private func wake(_ change: (inout State) -> Void) {
        let waiters = state.withLock { state in
            change(&state)
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.continuation.resume() }
    }
}
