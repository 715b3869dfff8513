import Synchronization
import Waypost
import WaypostSystem

/// A bounded queue that carries events from a blocking thread to the task that delivers them.
///
/// The thread calls `send(_:)` and at the end ``finish(_:)``; the task fetches batches with ``nextBatch()``.
/// ``run(threadName:whenFull:capacity:heartbeat:output:body:)`` does all of this in one call.
public final class EventQueue: Sendable {
    /// What happens to an event for which there is no room.
    public enum Overflow: Sendable {
        /// The sender waits: for files.
        case waits
        /// The oldest position, sky view or report without a fix is dropped and counted: for live receivers, which cannot wait.
        ///
        /// Losses and status are kept, unless the queue holds nothing else.
        case dropsOldest
    }

    private enum End {
        case sender(PositionSourceError?)
        case receiver
    }

    private struct State {
        var queue: [PositionSourceEvent] = []
        var end: End?
        var dropped = 0
        /// How many of the dropped were reported, and when.
        var reported: (count: Int, at: Int64)?
        var receiver: CheckedContinuation<Void, Never>?
        var limit: ReportLimit?

        /// Adds an event of a live source if the limit lets it pass; when there is no room it replaces an older one.
        mutating func add(_ event: PositionSourceEvent, capacity: Int) {
            var event = event
            if limit != nil {
                guard let limited = limit?.limited(event, at: MonotonicClock.milliseconds) else {
                    dropped += 1
                    return
                }
                event = limited
            }
            if queue.count >= capacity {
                queue.remove(at: queue.firstIndex { $0.isOvertaken } ?? 0)
                dropped += 1
            }
            queue.append(event)
        }

        /// The warning that events were left out: the first at once, then every ten seconds while there are more.
        mutating func warning(of name: String, at now: Int64) -> PositionSourceEvent? {
            guard limit != nil, dropped > reported?.count ?? 0, reported.map({ now - $0.at >= 10_000 }) ?? true else { return nil }
            let count = dropped - (reported?.count ?? 0)
            reported = (dropped, now)
            return .status(
                .warning(
                    "\(name): sends faster than \(Int(ReportLimit.reportsPerSecond)) reports a second, or than they can be processed; "
                        + "\(counted(count, "report")) left out (what buffers must flush every line)"))
        }
    }

    private let capacity: Int
    private let overflow: Overflow
    private let monitor: Monitor<State>
    private let heartbeat: SourceHeartbeat?
    /// Whether the sending thread also does the receiving task's work instead of waking another thread.
    private let isAttended: Bool

    /// An empty queue for that many events; the receiver may hold as many again.
    ///
    /// - Parameters:
    ///   - capacity: how many events may wait.
    ///   - overflow: what happens to an event for which there is no room.
    ///   - heartbeat: is notified of signs of life.
    public convenience init(capacity: Int, whenFull overflow: Overflow, heartbeat: SourceHeartbeat? = nil) {
        self.init(capacity: capacity, whenFull: overflow, heartbeat: heartbeat, limit: nil, isAttended: false)
    }

    private init(capacity: Int, whenFull overflow: Overflow, heartbeat: SourceHeartbeat?, limit: ReportLimit?, isAttended: Bool) {
        precondition(capacity > 0, "a queue needs room for one event")
        monitor = Monitor(State(limit: limit))
        self.capacity = capacity
        self.overflow = overflow
        self.heartbeat = heartbeat
        self.isAttended = isAttended
    }

    /// How many events were left out because the queue was full or they came too fast.
    public var droppedCount: Int { monitor.withLock { $0.dropped } }

    // MARK: The thread's side

    /// Adds an event; false when nothing receives events any more and the thread should end.
    ///
    /// Blocks while the queue is full and the policy says to wait; call it from a thread of your own.
    @discardableResult
    public func send(_ event: PositionSourceEvent) -> Bool {
        if overflow == .dropsOldest { return send([event]) }
        let (isTaken, receiver) = monitor.wait { state -> (Bool, CheckedContinuation<Void, Never>?)? in
            guard state.end == nil else { return (false, nil) }
            guard state.queue.count < capacity else { return nil }
            state.queue.append(event)
            return (true, state.receiver.take())
        }
        receiver?.resume()
        return isTaken
    }

    /// Adds events that came together and wakes the receiver once.
    @discardableResult
    public func send(_ events: [PositionSourceEvent]) -> Bool {
        guard overflow == .dropsOldest else { return events.allSatisfy { send($0) } }
        let (isTaken, receiver) = monitor.withLock { state -> (Bool, CheckedContinuation<Void, Never>?) in
            guard state.end == nil else { return (false, nil) }
            for event in events { state.add(event, capacity: capacity) }
            return (true, state.queue.isEmpty ? nil : state.receiver.take())
        }
        guard let receiver else { return isTaken }
        if isAttended { TaskPool.attend { receiver.resume() } } else { receiver.resume() }
        return isTaken
    }

    /// A sign of life from a source that has nothing to report: an attempt to reach the receiver has ended, or the receiver is silent.
    public func noteLook() { heartbeat?.noteSign() }

    /// Ends the queue: the receiver gets the remaining events, then the failure if there is one.
    ///
    /// Later events are refused.
    public func finish(_ failure: PositionSourceError? = nil) {
        end(.sender(failure))
    }

    // MARK: The task's side

    /// The events that have come since the last call, oldest first; nil at the end, and at once when the task is cancelled.
    ///
    /// - Errors: the failure that the thread finished with, after its last event.
    /// - Concurrency: one task only.
    public func nextBatch() async throws(PositionSourceError) -> [PositionSourceEvent]? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mustWait = monitor.withLock { state in
                    guard state.queue.isEmpty, state.end == nil else { return false }
                    precondition(state.receiver == nil, "two tasks take from one EventQueue")
                    state.receiver = continuation
                    return true
                }
                if !mustWait { continuation.resume() }
            }
        } onCancel: {
            close()
        }
        let (batch, end) = monitor.withLock { state in
            var batch = state.queue
            state.queue = []
            if let warning = state.warning(of: heartbeat?.name ?? "the source", at: MonotonicClock.milliseconds) { batch.append(warning) }
            return (batch, state.end)
        }
        if !batch.isEmpty { return batch }
        if case .sender(let failure?) = end { throw failure }
        return nil
    }

    /// Ends the queue from the receiver's side: discards its events and unblocks a waiting sender, which gets false.
    public func close() {
        end(.receiver)
    }

    private func end(_ end: End) {
        let receiver = monitor.withLock { state in
            if state.end == nil { state.end = end }
            if case .receiver = end { state.queue = [] }
            return state.receiver.take()
        }
        receiver?.resume()
    }

    // MARK: Both sides

    /// Runs `body` on a thread of its own and delivers the events it sends, until it returns or the task is cancelled.
    ///
    /// - Parameters:
    ///   - threadName: what `top -H` shows.
    ///   - overflow: what happens to an event for which there is no room.
    ///   - capacity: how many events may wait; nil for 64 of a file, and for all that a live source may send at once.
    ///   - heartbeat: the watch over this run, for a source that checks its receiver now and then (``noteLook()``).
    ///   - output: where the events are delivered.
    ///   - body: the thread's work: sends events, waits by the signal only, returns when it has ended or when asked to stop. An error
    ///     that it throws reaches the caller after its last event. The events of a live source are processed on this thread, before
    ///     `send` returns.
    /// - Errors: the error that the body throws; `cannotRead` when the system has no thread or descriptor left.
    /// - Concurrency: returns when the task is cancelled, even while the body hangs in a call: at once for a live source; for one that waits it
    ///   gives the body half a second, in which it usually ends, so that all it holds is free. What it sends then is not delivered.
    public static func run(
        threadName: String, whenFull overflow: Overflow, capacity: Int? = nil, heartbeat: SourceHeartbeat? = nil,
        output: PositionSourceOutput,
        body: @escaping @Sendable (EventQueue, WakeSignal) throws(PositionSourceError) -> Void
    ) async throws(PositionSourceError) {
        let usual = overflow == .waits ? 64 : liveCapacity
        let queue = queue(capacity ?? usual, overflow, heartbeat, isAttended: overflow == .dropsOldest)
        heartbeat?.begin()
        defer { heartbeat?.end() }
        let thread: WakeSignal
        let threadEnd = ThreadEnd()
        do {
            thread = try DedicatedThread.start(name: threadName, stackBytes: TaskPool.stackByteCount) { stop in
                do throws(PositionSourceError) {
                    try body(queue, stop)
                    queue.finish()
                } catch {
                    queue.finish(error)
                }
                threadEnd.note()
            }
        } catch {
            throw .cannotRead(path: threadName, reason: error.description)
        }
        let outcome: Result<Void, PositionSourceError>
        do throws(PositionSourceError) { outcome = .success(try await queue.deliver(to: output)) } catch { outcome = .failure(error) }
        queue.close()
        thread.raise()
        if overflow == .waits { await threadEnd.wait(noLongerThan: .milliseconds(500)) }
        try outcome.get()
    }

    /// Runs `body` as a task beside this one and delivers the events it sends, until it returns or the task is cancelled: for sources
    /// that wait for others instead of blocking.
    ///
    /// - Parameters:
    ///   - capacity: how many events may wait; nil for all that a live source may send at once.
    ///   - heartbeat: the watch over this run, for a source that checks its receiver now and then (``noteLook()``).
    ///   - output: where the events are delivered.
    ///   - body: makes connections whose bytes become events; it must end promptly when its task is cancelled, and this function waits
    ///     for it, so that everything it holds is free afterwards.
    /// - Errors: the error that the body throws, after its last event.
    public static func run(
        capacity: Int? = nil, heartbeat: SourceHeartbeat? = nil, output: PositionSourceOutput,
        body: @escaping @Sendable (EventQueue) async throws(PositionSourceError) -> Void
    ) async throws(PositionSourceError) {
        let queue = queue(capacity ?? liveCapacity, .dropsOldest, heartbeat, isAttended: false)
        heartbeat?.begin()
        defer { heartbeat?.end() }
        let work = Task {
            do throws(PositionSourceError) {
                try await body(queue)
                queue.finish()
            } catch {
                queue.finish(error)
            }
        }
        let outcome: Result<Void, PositionSourceError> = await withTaskCancellationHandler {
            do throws(PositionSourceError) {
                return .success(try await queue.deliver(to: output))
            } catch {
                return .failure(error)
            }
        } onCancel: {
            work.cancel()
        }
        queue.close()
        work.cancel()
        await work.value
        try outcome.get()
    }

    /// Positions, sky views, and something for losses and status; the room is taken only when they come.
    private static let liveCapacity = 2 * Int(ReportLimit.reportsAtOnce) + 64

    /// A queue for a run; for a source that cannot wait, events are limited (``ReportLimit``).
    private static func queue(_ capacity: Int, _ overflow: Overflow, _ heartbeat: SourceHeartbeat?, isAttended: Bool) -> EventQueue {
        let limit = overflow == .dropsOldest ? ReportLimit() : nil
        return EventQueue(capacity: capacity, whenFull: overflow, heartbeat: heartbeat, limit: limit, isAttended: isAttended)
    }

    /// Hands events over one by one until the end, or until the task is cancelled.
    private func deliver(to output: PositionSourceOutput) async throws(PositionSourceError) {
        while let batch = try await nextBatch() {
            for event in batch {
                if Task.isCancelled { return }
                await output(event)
                heartbeat?.noteSign()
            }
        }
    }
}

extension PositionSourceEvent {
    /// Whether a later event of the same kind replaces this one, so that it may be dropped.
    fileprivate var isOvertaken: Bool {
        switch self {
        case .position, .noFix, .sky: true
        case .lost, .status, .finished: false
        }
    }
}

/// The end of a thread, for one task that waits for it even though it is cancelled.
private final class ThreadEnd: Sendable {
    private let state = Mutex<(isOver: Bool, waiter: CheckedContinuation<Void, Never>?)>((false, nil))

    /// The thread has ended, or is not waited for any more.
    func note() {
        let waiter = state.withLock { state in
            state.isOver = true
            return state.waiter.take()
        }
        waiter?.resume()
    }

    func wait(noLongerThan limit: Duration) async {
        if state.withLock({ $0.isOver }) { return }
        let timer = Task.detached { [self] in
            try? await Task.sleep(for: limit)  // Cancelled: nobody waits any more.
            note()
        }
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if !state.isOver { state.waiter = continuation }
                return state.isOver
            }
            if isOver { continuation.resume() }
        }
        timer.cancel()
    }
}
