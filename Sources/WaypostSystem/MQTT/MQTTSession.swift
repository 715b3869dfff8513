import Synchronization

/// One connection to a broker, as tasks see it; a thread owns the connection itself (``MQTTLoop``).
///
/// It is used once: when it has ended, for whatever reason, the next connection is another session.
final class MQTTSession: Sendable {
    private enum Phase {
        case opening([CheckedContinuation<Result<Bool, MQTTError>, Never>])
        case open(isSessionPresent: Bool)
        case ended(MQTTError)
    }

    private struct State {
        var phase = Phase.opening([])
        var job: MQTTJob?
        var isClosing = false
        /// Whether the thread is in a call that cannot be interrupted.
        var isConnecting = false
        var lastUse = MonotonicClock.milliseconds
    }

    /// Its number among its client's sessions.
    let number: Int
    let wake: WakeSignal
    private let state = Mutex(State())

    /// A session whose thread has not been started yet.
    init(number: Int) throws(SystemError) {
        self.number = number
        wake = try WakeSignal()
    }

    // MARK: - Tasks' side

    /// Whether it accepts messages, now or soon.
    var isUsable: Bool {
        state.withLock { state in
            if case .ended = state.phase { return false }
            return !state.isClosing
        }
    }

    /// Whether the broker has accepted us, and the session has not ended.
    var isOpen: Bool {
        state.withLock { state in
            if case .open = state.phase { true } else { false }
        }
    }

    /// What ended it; nil while it lasts, or when we closed it ourselves.
    var end: MQTTError? {
        state.withLock { state in
            if case .ended(let error) = state.phase, error != .cancelled { error } else { nil }
        }
    }

    /// Whether it has ended while its thread still waits for the system, which cannot be interrupted.
    var isStuck: Bool { state.withLock { $0.isConnecting } }

    /// Waits until the broker has accepted us; returns whether it knew us.
    func opened(within limit: Duration) async throws(MQTTError) -> Bool {
        let timer = Task {
            try? await Task.sleep(for: limit)  // Cancelled: it is open, or has ended.
            if !Task.isCancelled { abandon(.timedOut(reason: "no connection to the broker within \(limit.components.seconds) s")) }
        }
        defer { timer.cancel() }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let known: Result<Bool, MQTTError>? = state.withLock { state in
                    state.lastUse = MonotonicClock.milliseconds
                    switch state.phase {
                    case .opening(let waiters):
                        state.phase = .opening(waiters + [continuation])
                        return nil
                    case .open(let isSessionPresent): return .success(isSessionPresent)
                    case .ended(let error): return .failure(error)
                    }
                }
                if let known { continuation.resume(returning: known) }
            }
        } onCancel: {
            abandon(.cancelled)
        }
        return try result.get()
    }

    /// Gives the thread a job, and waits until it is done; see ``MQTTClient/publish(_:until:patience:)``.
    func run(_ job: MQTTJob) async throws(MQTTError) -> Bool {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                job.await(continuation)
                let error: MQTTError? = state.withLock { state in
                    if case .ended(let error) = state.phase { return error }
                    guard state.job == nil else { return .lost(reason: "the connection is busy") }
                    state.job = job
                    return nil
                }
                if let error { job.finish(.failure(error)) } else { wake.raise() }
            }
        } onCancel: {
            job.isCancelled.store(true, ordering: .relaxed)
            wake.raise()
        }
        return try result.get()
    }

    /// Ends it, with a goodbye when there is a connection.
    func close() {
        abandon(.cancelled, isOpenToo: true)
    }

    private func abandon(_ error: MQTTError, isOpenToo: Bool = false) {
        let isOpening = state.withLock { state in
            if case .opening = state.phase { return true }
            if isOpenToo { state.isClosing = true }
            return false
        }
        if isOpening { noteEnd(error) }
        wake.raise()
    }

    // MARK: - The thread's side

    /// The work to do: a job, or an end.
    func work() -> (job: MQTTJob?, isClosing: Bool, hasEnded: Bool) {
        state.withLock { state in
            if case .ended = state.phase { return (nil, true, true) }
            return (state.job, state.isClosing, false)
        }
    }

    func noteOpen(isSessionPresent: Bool) {
        let waiters = state.withLock { state in
            guard case .opening(let waiters) = state.phase else { return [CheckedContinuation<Result<Bool, MQTTError>, Never>]() }
            state.phase = .open(isSessionPresent: isSessionPresent)
            state.lastUse = MonotonicClock.milliseconds
            return waiters
        }
        for waiter in waiters { waiter.resume(returning: .success(isSessionPresent)) }
    }

    func noteDone(_ job: MQTTJob, _ result: Result<Bool, MQTTError>) {
        state.withLock { state in
            state.job = nil
            state.lastUse = MonotonicClock.milliseconds
        }
        job.finish(result)
    }

    /// Ends it unless it was used since that moment; for a session that rests.
    func endIfUnused(since moment: Int64) -> Bool {
        state.withLock { state in
            guard state.job == nil, state.lastUse <= moment else { return false }
            state.phase = .ended(.cancelled)
            return true
        }
    }

    var lastUse: Int64 { state.withLock { $0.lastUse } }

    /// Ends the session and passes the reason to every waiting task.
    func noteEnd(_ error: MQTTError) {
        let (waiters, job) = state.withLock { state in
            defer { state.job = nil }
            switch state.phase {
            case .opening(let waiters):
                state.phase = .ended(error)
                return (waiters, state.job)
            case .open:
                state.phase = .ended(error)
                return ([], state.job)
            case .ended: return ([], state.job)
            }
        }
        for waiter in waiters { waiter.resume(returning: .failure(error)) }
        job?.finish(.failure(error))
    }

    /// Runs a call that may block for as long as the system likes.
    func connecting<Result>(_ body: () -> Result) -> Result {
        state.withLock { $0.isConnecting = true }
        defer { state.withLock { $0.isConnecting = false } }
        return body()
    }
}

/// Messages to send, and the task that waits for them.
final class MQTTJob: Sendable {
    let messages: [MQTTMessage]
    /// The condition to wait for besides the broker's acknowledgements; nil for none.
    let isConfirmed: (@Sendable (_ isAcknowledged: Bool) -> Bool)?
    /// How long to wait for the condition after the last acknowledgement.
    let patience: Duration
    let isCancelled = Atomic(false)
    private let continuation = Mutex<CheckedContinuation<Result<Bool, MQTTError>, Never>?>(nil)

    init(_ messages: [MQTTMessage], until isConfirmed: (@Sendable (Bool) -> Bool)?, patience: Duration) {
        self.messages = messages
        self.isConfirmed = isConfirmed
        self.patience = patience
    }

    func await(_ continuation: CheckedContinuation<Result<Bool, MQTTError>, Never>) {
        self.continuation.withLock { $0 = continuation }
    }

    /// Resumes the task, once.
    func finish(_ result: Result<Bool, MQTTError>) {
        let waiter = continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
        waiter?.resume(returning: result)
    }
}
