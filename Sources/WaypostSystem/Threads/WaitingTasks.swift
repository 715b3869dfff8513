import Synchronization

/// Tasks that wait for something to happen; one that is cancelled waits no longer.
public final class WaitingTasks: Sendable {
    private struct State {
        var next = 0
        var tasks: [Int: CheckedContinuation<Bool, Never>] = [:]
    }

    private let state = Mutex(State())

    /// Nobody waits.
    public init() {}

    /// Waits for the next ``resumeAll()``; false when the task was cancelled before.
    ///
    /// - Concurrency: an actor that waits misses nothing that happens on itself.
    public func wait(isolation: isolated (any Actor)? = #isolation) async -> Bool {
        let id = state.withLock { state in
            state.next += 1
            return state.next
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isCancelled = state.withLock { state in
                    if Task.isCancelled { return true }
                    state.tasks[id] = continuation
                    return false
                }
                if isCancelled { continuation.resume(returning: false) }
            }
        } onCancel: {
            state.withLock { $0.tasks.removeValue(forKey: id) }?.resume(returning: false)
        }
    }

    /// It has happened: lets all go on who wait now.
    public func resumeAll() {
        let tasks = state.withLock { state in
            defer { state.tasks = [:] }
            return state.tasks
        }
        for continuation in tasks.values { continuation.resume(returning: true) }
    }
}
