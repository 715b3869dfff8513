/// Runs an actor on its own thread, so that its waiting for a disk never holds up the cooperative pool.
///
/// ```swift
/// private let executor: ThreadExecutor
/// public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
/// ```
/// The thread sleeps while there is nothing to do, and ends when the actor is deallocated.
///
/// An actor that is called at every fix, and seldom waits, takes help: a thread of the ``TaskPool`` whose task goes to the actor runs the
/// actor's jobs itself, so that neither thread has to wake the other.
public final class ThreadExecutor: SerialExecutor {
    private struct Work {
        // Keeps the executor alive while its job waits or runs.
        var jobs: [(job: UnownedJob, executor: ThreadExecutor)] = []
        var isStopped = false
        /// Whether its own thread is at work, and checks for more afterwards.
        var isBusy = false
        /// Whether a thread of the pool has promised to run the jobs, or runs them.
        var isHelped = false

        mutating func takeJobs() -> [(job: UnownedJob, executor: ThreadExecutor)] {
            defer { jobs = [] }
            return jobs
        }
    }

    /// How often a helper checks for more jobs before it leaves them to the thread.
    private static let mostHelpings = 16

    private let work = Monitor(Work())
    private let takesHelp: Bool

    /// An executor with its thread, which `top -H` shows under that name.
    ///
    /// - Parameters:
    ///   - name: at most 15 bytes are shown.
    ///   - takesHelp: whether threads of the pool may run its jobs: short ones that wait for a disk only now and then.
    /// - Errors: no thread is left.
    public init(name: String, takesHelp: Bool = false) throws(SystemError) {
        self.takesHelp = takesHelp
        // The thread holds the work, not the executor: otherwise it would never end.
        let work = self.work
        try DedicatedThread.startForGood(name: name) {
            while let jobs = ThreadExecutor.waitForJobs(work) { ThreadExecutor.run(jobs) }
        }
    }

    deinit {
        work.withLock { $0.isStopped = true }
    }

    /// Accepts a job; it runs after those that arrived before.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        work.change { work in
            work.jobs.append((job, self))
            if work.isBusy || work.isHelped { return false }
            work.isHelped = takesHelp && TaskPool.promisesHelp(to: self)
            return !work.isHelped
        }
    }

    /// Runs its jobs on this thread, as promised.
    func help() {
        for _ in 0..<ThreadExecutor.mostHelpings {
            var jobs: [(job: UnownedJob, executor: ThreadExecutor)] = []
            work.change { work in
                jobs = work.takeJobs()
                if jobs.isEmpty { work.isHelped = false }
                return false
            }
            if jobs.isEmpty { return }
            ThreadExecutor.run(jobs)
        }
        work.change { work in
            work.isHelped = false
            return !work.jobs.isEmpty
        }
    }

    private static func run(_ jobs: [(job: UnownedJob, executor: ThreadExecutor)]) {
        for (job, executor) in jobs { job.runSynchronously(on: executor.asUnownedSerialExecutor()) }
    }

    /// The jobs that arrived since the last call; nil when no more can arrive.
    private static func waitForJobs(_ work: Monitor<Work>) -> [(job: UnownedJob, executor: ThreadExecutor)]? {
        work.wait { work in
            work.isBusy = !work.jobs.isEmpty && !work.isHelped
            if work.isBusy { return .some(work.takeJobs()) }
            return work.isStopped ? .some(nil) : nil
        }
    }
}
