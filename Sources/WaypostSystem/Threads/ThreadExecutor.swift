/// Runs an actor on a thread of its own, so that its waiting for a disk never holds up the cooperative pool.
///
/// ```swift
/// private let executor: ThreadExecutor
/// public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
/// ```
/// The thread sleeps while there is nothing to do, and ends when the actor goes away.
///
/// An actor that is called at every fix, and waits seldom, takes help: a thread of the ``TaskPool`` whose task goes to the actor runs the
/// actor's jobs itself, instead of waking the actor's thread and being woken by it.
public final class ThreadExecutor: SerialExecutor {
    private struct Work {
        // Holds the executor for as long as its job waits or runs.
        var jobs: [(job: UnownedJob, executor: ThreadExecutor)] = []
        var isStopped = false
        /// Whether its own thread is at work, and looks for more afterwards.
        var isBusy = false
        /// Whether a thread of the pool has promised to run the jobs, or does.
        var isHelped = false

        mutating func takeJobs() -> [(job: UnownedJob, executor: ThreadExecutor)] {
            defer { jobs = [] }
            return jobs
        }
    }

    /// So many times a helper looks for more jobs before it leaves them to the thread.
    private static let mostHelpings = 16

    private let work = Monitor(Work())
    private let takesHelp: Bool

    /// An executor with its thread, which `top -H` shows under that name.
    ///
    /// - Parameters:
    ///   - name: at most 15 bytes are shown.
    ///   - takesHelp: whether threads of the pool may run its jobs: short ones, that wait for a disk now and then at most.
    /// - Errors: no thread is left.
    public init(name: String, takesHelp: Bool = false) throws(SystemError) {
        self.takesHelp = takesHelp
        // The thread holds the work, not the executor: else it would never end.
        let work = self.work
        try DedicatedThread.startForGood(name: name) {
            while let jobs = ThreadExecutor.waitForJobs(work) { ThreadExecutor.run(jobs) }
        }
    }

    deinit {
        work.withLock { $0.isStopped = true }
    }

    /// Takes a job; it runs after those that came before.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        work.change { work in
            work.jobs.append((job, self))
            if work.isBusy || work.isHelped { return false }
            work.isHelped = takesHelp && TaskPool.promisesHelp(to: self)
            return !work.isHelped
        }
    }

    /// Runs its jobs on this thread, as was promised.
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

    /// The jobs that came since the last time; nil when none can come any more.
    private static func waitForJobs(_ work: Monitor<Work>) -> [(job: UnownedJob, executor: ThreadExecutor)]? {
        work.wait { work in
            work.isBusy = !work.jobs.isEmpty && !work.isHelped
            if work.isBusy { return .some(work.takeJobs()) }
            return work.isStopped ? .some(nil) : nil
        }
    }
}
