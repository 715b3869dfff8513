import Glibc

/// A value behind a lock that a thread can also wait on.
///
/// For hand-overs between a ``DedicatedThread``, which may block, and tasks, which hold the lock only for an instant.
/// - Concurrency: one caller at a time is inside; the bodies must be short and must not call back.
public final class Monitor<State>: @unchecked Sendable {
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private let changed: UnsafeMutablePointer<pthread_cond_t>
    private var state: State

    /// A monitor of that value.
    public init(_ state: sending State) {
        lock = .allocate(capacity: 1)
        changed = .allocate(capacity: 1)
        pthread_mutex_init(lock, nil)
        pthread_cond_init(changed, nil)
        self.state = state
    }

    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(lock)
        changed.deallocate()
        lock.deallocate()
    }

    /// Reads or changes the value, and lets every waiting thread check again.
    public func withLock<Result>(_ body: (inout State) -> Result) -> Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        let result = body(&state)
        pthread_cond_broadcast(changed)
        return result
    }

    /// Changes the value; waiting threads check again only when `body` returns true, and otherwise sleep on.
    public func change(_ body: (inout State) -> Bool) {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        if body(&state) { pthread_cond_broadcast(changed) }
    }

    /// Blocks this thread until `body` returns a result; it is called at once and after every change.
    ///
    /// Never call it from a task: it blocks.
    public func wait<Result>(until body: (inout State) -> Result?) -> Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        while true {
            if let result = body(&state) { return result }
            pthread_cond_wait(changed, lock)
        }
    }
}
