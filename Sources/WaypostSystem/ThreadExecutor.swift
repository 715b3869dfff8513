/// Runs an actor on a thread of its own, so that its waiting for a disk never holds up the cooperative pool.
///
/// ```swift
/// private let executor: ThreadExecutor
/// public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
/// ```
/// The thread sleeps while there is nothing to do, and ends when the actor goes away.
public final class ThreadExecutor: SerialExecutor {
    private struct Work {
        // Holds the executor for as long as its job waits or runs.
        var jobs: [(job: UnownedJob, executor: ThreadExecutor)] = []
        var isStopped = false
    }

    private let work = Monitor(Work())

    /// An executor with its thread, which `top -H` shows under that name.
    ///
    /// - Errors: no thread is left.
    public init(name: String) throws(SystemError) {
        // The thread holds the work, not the executor: else it would never end.
        let work = self.work
        try DedicatedThread.startForGood(name: name) {
            while let jobs = ThreadExecutor.waitForJobs(work) {
                for (job, executor) in jobs { job.runSynchronously(on: executor.asUnownedSerialExecutor()) }
            }
        }
    }

    deinit {
        work.withLock { $0.isStopped = true }
    }

    /// Takes a job; it runs after those that came before.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        work.withLock { $0.jobs.append((job, self)) }
    }

    /// The jobs that came since the last time; nil when none can come any more.
    private static func waitForJobs(_ work: Monitor<Work>) -> [(job: UnownedJob, executor: ThreadExecutor)]? {
        work.wait { work in
            if !work.jobs.isEmpty {
                defer { work.jobs = [] }
                return .some(work.jobs)
            }
            return work.isStopped ? .some(nil) : nil
        }
    }
}
