import Synchronization

/// A call that a library or the system may hold for as long as it likes: whoever waits for it can leave it behind.
///
/// A call that was left behind goes on, with all that it needs, until it returns; nobody gets its value.
package final class AbandonableCall<Value: Sendable>: Sendable {
    private let returned = Mutex<Value?>(nil)
    private let task = Mutex<Task<Void, Never>?>(nil)
    private let waiting = WaitingTasks()

    /// Starts the call, in a task of its own.
    package init(_ body: @escaping @Sendable () async -> Value) {
        let call = Task {
            let value = await body()
            returned.withLock { $0 = value }
            waiting.resumeAll()
        }
        task.withLock { $0 = call }
    }

    /// Its value; nil while it has not returned.
    package var value: Value? { returned.withLock { $0 } }

    /// Waits for its value; nil when it was left behind.
    ///
    /// - Parameters:
    ///   - limit: how long to wait; nil for as long as it takes. Then the call is cancelled.
    ///   - grace: how long to wait after a cancellation, of the caller or for the limit.
    package func value(within limit: Duration?, grace: Duration) async -> Value? {
        let waiter = Task { while case let mark = waiting.mark, value == nil, await waiting.wait(since: mark) {} }
        @Sendable func end() async {
            task.withLock { $0 }?.cancel()
            try? await Task.sleep(for: grace)  // Cancelled: the value is there.
            waiter.cancel()
        }
        let timer = limit.map { limit in
            Task {
                do { try await Task.sleep(for: limit) } catch { return }
                await end()
            }
        }
        await withTaskCancellationHandler {
            await waiter.value
        } onCancel: {
            Task { await end() }
        }
        timer?.cancel()
        return value
    }
}
