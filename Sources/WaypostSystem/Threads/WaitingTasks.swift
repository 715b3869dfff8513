import Synchronization

/// Tasks that wait for an event; a cancelled task stops waiting.
///
/// ```swift
/// let mark = waiting.mark
/// if isStillSo { _ = await waiting.wait(since: mark) }
/// ```
public final class WaitingTasks: Sendable {
    /// A moment: the first event after it ends a wait since it.
    public struct Mark: Sendable {
        fileprivate var count: UInt64
    }

    private struct State {
        var next = 0
        /// How many events there were.
        var count: UInt64 = 0
        var tasks: [Int: CheckedContinuation<Bool, Never>] = [:]
    }

    private let state = Mutex(State())

    /// No task waits yet.
    public init() {}

    /// The current moment; read it before checking whether there is anything to wait for.
    ///
    /// A task that begins to wait may leave its actor before it is on the list, and the event may happen meanwhile.
    public var mark: Mark { state.withLock { Mark(count: $0.count) } }

    /// Waits for the first ``resumeAll()`` after the mark; returns false when the task was cancelled before.
    public func wait(since mark: Mark) async -> Bool {
        let id = state.withLock { state in
            state.next += 1
            return state.next
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let outcome: Bool? = state.withLock { state in
                    if Task.isCancelled { return false }
                    if state.count != mark.count { return true }
                    state.tasks[id] = continuation
                    return nil
                }
                if let outcome { continuation.resume(returning: outcome) }
            }
        } onCancel: {
            state.withLock { $0.tasks.removeValue(forKey: id) }?.resume(returning: false)
        }
    }

    /// Notes an event: resumes all tasks that wait now.
    public func resumeAll() {
        let tasks = state.withLock { state in
            defer { state.tasks = [:] }
            state.count += 1
            return state.tasks
        }
        for continuation in tasks.values { continuation.resume(returning: true) }
    }
}
