import CTaskPool
import DequeModule
import Glibc
import Synchronization

/// The threads that run the tasks of this process, in place of the runtime's own pool (libdispatch).
///
/// libdispatch checks its threads once a second, for ever, as soon as a task has run: a tracker that has nothing to do would never
/// sleep longer. This pool wakes only for work: one thread for a job that arrives, one for a sleep that is over.
///
/// - A job that a thread of the pool creates for itself (a task resumes another one and then waits) runs on that thread after the current
///   one: no thread is woken. All other jobs wake a sleeping thread.
/// - A dedicated thread that reads the input of tasks runs those tasks itself, as a guest (``attend(_:)``).
/// - A thread whose task continues at an actor that takes help runs the actor's jobs itself (``ThreadExecutor``); one thread at a time does.
/// - Jobs run in the order in which they arrived, whatever their priority: jobs here are short, and work that takes long or blocks has its
///   own thread (``ThreadExecutor``, ``DedicatedThread``).
/// - Sleeps end on time, or within the tolerance of `Task.sleep(for:tolerance:)` together with others. Those of the continuous clock, which
///   is the usual one, are over when the machine wakes from a suspension that was longer.
/// - A cancelled sleep ends at once for its task; the rest of it (400 bytes) stays until the original time, as in libdispatch.
/// - The main actor is not served here, because its thread belongs to the system.
/// - Concurrency: any thread may hand over jobs; the lock is held only for some instructions.
///
/// # What it uses of the runtime
///
/// - Three hooks: `swift_task_enqueueGlobal_hook`, `swift_task_enqueueGlobalWithDelay_hook` and `swift_task_enqueueGlobalWithDeadline_hook`.
///   They are variables of the runtime's ABI (`swift/Runtime/Concurrency.h`), in its shared and in its static library; jobs are run by
///   `swift_job_run`, which is ABI, too.
/// - From 6.3 on also a default executor that keeps no time, without which sleeps never reach the hooks: a draft of the language behind
///   `@_spi(ExperimentalCustomExecutors)`. It is compiled only for 6.3, and left out for every other compiler.
///
/// Tested with the toolchains 6.3.1 (Debian 12, x86-64, the tests and all measurements) and 6.2.3 (Debian's, for arm64). No other is trusted:
/// ``install(maximumThreads:)`` hands over a task that sleeps for a millisecond, and checks whether both the task and its sleep arrived
/// here. If not, it removes the hooks and throws an error, and tasks run on the runtime's own pool: the tracker works as before, and wakes
/// once a second.
///
/// This class can go when `ExecutorFactory` (custom main and global executors, a draft today) is in a toolchain that we build with, without `@_spi`:
/// the same queue then becomes a `TaskExecutor` with its `SchedulingExecutor`, and the hooks, `CTaskPool` except its bed, and the trial go. Or
/// when libdispatch lets its threads sleep for good.
public final class TaskPool: Sendable {
    // The runtime's reference to a job; whoever holds it owns it.
    private struct Job: @unchecked Sendable {
        var pointer: OpaquePointer
    }

    private struct State {
        var ready = Deque<Job>()
        var continuous = DelayQueue<Job>()
        var suspending = DelayQueue<Job>()
        var threads = 0
        // Threads that sleep or are about to, except one for which the bell was rung.
        var sleeping = 0
        // The bell was rung and no thread has heard it yet. One ring at a time: the thread that hears it also handles what else arrived.
        var isRinging = false
    }

    // What to do after a change of the state, once the lock is released.
    private enum Help {
        case none
        case ring
        case start
    }

    private let state = Mutex(State())
    private let bed: ctaskpool_bed
    private let maximumThreads: Int
    // What the runtime has handed over so far.
    private let hasTakenJob = Atomic(false)
    private let hasTakenSleep = Atomic(false)

    private init(maximumThreads: Int) throws(SystemError) {
        var bed = ctaskpool_bed()
        let code = ctaskpool_make_bed(&bed)
        guard code == 0 else { throw SystemError(code: code, operation: "start task pool") }
        self.bed = bed
        self.maximumThreads = maximumThreads
    }

    deinit {
        // Only a pool that could not start its first thread is ever deallocated.
        withUnsafePointer(to: bed) { ctaskpool_unmake_bed($0) }
    }

    /// Makes a pool run the tasks of this process from now on; call it once, before the first task.
    ///
    /// - Parameter maximumThreads: threads are started when needed and never ended. Two, so that a long job does not hold up all others.
    /// - Errors: no descriptor or thread is left; `ENOTSUP`: the runtime does not hand over its tasks or sleeps. Tasks then run where they did.
    /// - Cost: a millisecond, to try it.
    public static func install(maximumThreads: Int = 2) throws(SystemError) { try install(maximumThreads, takesSleeps: true) }

    /// - Parameter takesSleeps: false for a runtime that keeps its sleeps to itself, in tests.
    static func install(_ maximumThreads: Int, takesSleeps: Bool) throws(SystemError) {
        let pool = try TaskPool(maximumThreads: max(1, maximumThreads))
        pool.state.withLock { $0.threads = 1 }
        try pool.startThread(number: 1)
        var callbacks = ctaskpool_callbacks(
            enqueue: { context, job in
                guard let context, let job else { return }
                TaskPool.from(context).enqueue(Job(pointer: job))
            },
            enqueue_after: { context, nanoseconds, job in
                guard let context, let job else { return }
                let now = ctaskpool_now(CTASKPOOL_CONTINUOUS)
                let (moment, isTooFar) = now.addingReportingOverflow(Int64(clamping: nanoseconds))
                TaskPool.from(context).enqueue(
                    Job(pointer: job), clock: CTASKPOOL_CONTINUOUS, notBefore: isTooFar ? .max : moment, tolerance: 0)
            },
            enqueue_at: { context, clock, seconds, nanoseconds, toleranceSeconds, toleranceNanoseconds, job in
                guard let context, let job else { return }
                TaskPool.from(context).enqueue(
                    Job(pointer: job), clock: clock, notBefore: TaskPool.nanoseconds(seconds, nanoseconds),
                    tolerance: toleranceNanoseconds < 0 ? 0 : TaskPool.nanoseconds(toleranceSeconds, toleranceNanoseconds))
            })
        installed.withLock { $0 = pool }
        ctaskpool_install(&callbacks, Unmanaged.passRetained(pool).toOpaque())
        if takesSleeps { takeSleeps() }
        guard try pool.isServed() else {
            ctaskpool_uninstall()
            installed.withLock { $0 = nil }
            throw SystemError(code: ENOTSUP, operation: "take the tasks of this Swift runtime")
        }
    }

    /// Whether a task and its sleep arrive here, and end.
    private func isServed() throws(SystemError) -> Bool {
        let end = try WakeSignal()
        Task.detached {
            try? await Task.sleep(for: .milliseconds(1))  // Nobody cancels it.
            end.raise()
        }
        // A millisecond that takes a second does not count as working.
        guard !end.sleep(milliseconds: 1_000) else { return false }
        return hasTakenJob.load(ordering: .acquiring) && hasTakenSleep.load(ordering: .acquiring)
    }

    // MARK: - Help

    /// Whether a thread of the pool helps: one at a time, so that the others are free for work that does not wait for disks.
    private static let hasHelper = Atomic(false)
    private static let installed = Mutex<TaskPool?>(nil)

    /// Whether this thread will run the executor's jobs after its current one; true when it is the pool's and no other thread helps.
    static func promisesHelp(to executor: ThreadExecutor) -> Bool {
        guard ctaskpool_is_worker(), ctaskpool_promise() == nil else { return false }
        if !ctaskpool_is_helping() {
            guard !hasHelper.exchange(true, ordering: .acquiring) else { return false }
            ctaskpool_set_helping(true)
        }
        ctaskpool_set_promise(Unmanaged.passRetained(executor).toOpaque())
        return true
    }

    private static func keepPromises() {
        guard ctaskpool_is_helping() else { return }
        while let promise = ctaskpool_promise() {
            ctaskpool_set_promise(nil)
            Unmanaged<ThreadExecutor>.fromOpaque(promise).takeRetainedValue().help()
        }
        ctaskpool_set_helping(false)
        hasHelper.store(false, ordering: .releasing)
    }

    /// Announces that this thread is about to wait for a disk: if it is the pool's, the jobs it kept for itself go to another thread.
    static func willWait() {
        guard ctaskpool_is_worker(), let pool = installed.withLock({ $0 }) else { return }
        pool.giveKeptAway()
        pool.give(pool.state.withLock { pool.help(&$0) })
    }

    // MARK: - Guests

    /// How many jobs a guest runs at most before it returns to its own work.
    private static let mostGuestJobs = 1_000

    /// Lets a task continue, and runs it and all jobs it creates on this thread until it waits: no other thread is woken.
    ///
    /// For a dedicated thread that reads the input of a task (``DedicatedThread``, with the pool's stack size). Sleeps that may end now
    /// are ended here, too.
    /// - Parameter body: resumes the task.
    public static func attend(_ body: () -> Void) {
        guard !ctaskpool_is_worker(), let pool = installed.withLock({ $0 }) else { return body() }
        ctaskpool_set_guest(true)
        body()
        for _ in 0..<mostGuestJobs {
            guard let job = ctaskpool_take_kept() ?? pool.takeDueSleep() else { break }
            ctaskpool_run(job)
            keepPromises()
        }
        pool.giveKeptAway()
        ctaskpool_set_guest(false)
    }

    private func giveKeptAway() {
        while let job = ctaskpool_take_kept() {
            give(
                state.withLock { state in
                    state.ready.append(Job(pointer: job))
                    return help(&state)
                })
        }
    }

    private func takeDueSleep() -> OpaquePointer? {
        let now = ctaskpool_now(CTASKPOOL_CONTINUOUS)
        return state.withLock { state in
            guard let job = state.continuous.removeFirst(dueAt: now) else { return nil }
            set(CTASKPOOL_CONTINUOUS, state.continuous.alarm ?? .max)
            return job.pointer
        }
    }

    private static func from(_ context: UnsafeMutableRawPointer) -> TaskPool {
        Unmanaged<TaskPool>.fromOpaque(context).takeUnretainedValue()
    }

    /// Both parts as nanoseconds, or the largest number: 292 years.
    private static func nanoseconds(_ seconds: Int64, _ nanoseconds: Int64) -> Int64 {
        let (whole, isTooFar) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isEvenFurther) = whole.addingReportingOverflow(nanoseconds)
        return isTooFar || isEvenFurther ? (seconds < 0 ? .min : .max) : sum
    }

    // MARK: - Jobs that come

    private func enqueue(_ job: Job) {
        if !hasTakenJob.load(ordering: .relaxed) { hasTakenJob.store(true, ordering: .releasing) }
        if ctaskpool_keep(job.pointer) { return }
        let isOwn = ctaskpool_is_worker()
        give(
            state.withLock { state in
                state.ready.append(job)
                return isOwn && state.ready.count == 1 ? .none : help(&state)
            })
    }

    private func enqueue(_ job: Job, clock: Int32, notBefore: Int64, tolerance: Int64) {
        if !hasTakenSleep.load(ordering: .relaxed) { hasTakenSleep.store(true, ordering: .releasing) }
        state.withLock { state in
            let queue = clock == CTASKPOOL_SUSPENDING ? \State.suspending : \State.continuous
            let alarm = state[keyPath: queue].alarm
            state[keyPath: queue].insert(job, notBefore: notBefore, tolerance: tolerance)
            // Under the lock, because otherwise a later alarm could replace an earlier one.
            if let new = state[keyPath: queue].alarm, new != alarm { set(clock, new) }
        }
    }

    private func set(_ clock: Int32, _ alarm: Int64) {
        withUnsafePointer(to: bed) { ctaskpool_set_alarm($0, clock, alarm) }
    }

    /// What is needed for the ready jobs to run soon.
    private func help(_ state: inout State) -> Help {
        if state.ready.isEmpty || state.isRinging { return .none }
        if state.sleeping > 0 {
            state.sleeping -= 1
            state.isRinging = true
            return .ring
        }
        guard state.threads < maximumThreads else { return .none }
        state.threads += 1
        return .start
    }

    private func give(_ help: Help) {
        switch help {
        case .none: break
        case .ring: withUnsafePointer(to: bed) { ctaskpool_ring($0) }
        case .start:
            do throws(SystemError) {
                try startThread(number: state.withLock(\.threads))
            } catch {
                // The existing threads do the work alone; the next job that finds them busy tries again.
                state.withLock { $0.threads -= 1 }
            }
        }
    }

    // MARK: - Threads

    /// The stack size of a thread that runs tasks.
    ///
    /// A thread of libdispatch would have 8 MB; tasks keep their frames elsewhere.
    public static let stackByteCount = 2_097_152

    private func startThread(number: Int) throws(SystemError) {
        try DedicatedThread.startForGood(name: "tasks-\(number)", stackBytes: TaskPool.stackByteCount) { self.work() }
    }

    private func work() {
        ctaskpool_become_worker()
        var woken: UInt32 = 0
        while true {
            let (job, help) = state.withLock { state -> (Job?, Help) in
                // Also when something else woke it, or nothing: sleeps end on time however busy the threads are.
                collect(&state.continuous, CTASKPOOL_CONTINUOUS, woken & CTASKPOOL_CONTINUOUS_ALARM != 0, into: &state.ready)
                collect(&state.suspending, CTASKPOOL_SUSPENDING, woken & CTASKPOOL_SUSPENDING_ALARM != 0, into: &state.ready)
                guard let job = state.ready.popFirst() else {
                    state.sleeping += 1
                    return (nil, .none)
                }
                return (job, self.help(&state))
            }
            give(help)
            if let job {
                ctaskpool_run(job.pointer)
                TaskPool.keepPromises()
                woken = 0
            } else {
                woken = sleep()
            }
        }
    }

    private func sleep() -> UInt32 {
        let woken = withUnsafePointer(to: bed) { ctaskpool_sleep($0) }
        state.withLock { state in
            if woken & CTASKPOOL_RUNG != 0 { state.isRinging = false } else { state.sleeping -= 1 }
        }
        return woken
    }

    /// Moves what is due by a clock to the ready jobs, and sets the clock's alarm for the rest.
    private func collect(_ queue: inout DelayQueue<Job>, _ clock: Int32, _ isAlarmOver: Bool, into ready: inout Deque<Job>) {
        guard queue.alarm != nil else { return }
        let now = ctaskpool_now(clock)
        guard isAlarmOver || queue.isDue(at: now) else { return }
        while let job = queue.removeFirst(dueAt: now) { ready.append(job) }
        if let alarm = queue.alarm { set(clock, alarm) }
    }
}
