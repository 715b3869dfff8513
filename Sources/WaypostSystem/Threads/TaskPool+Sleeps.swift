#if compiler(>=6.3) && compiler(<6.4) && !WAYPOST_OLDER_RUNTIME
import CTaskPool
@_spi(ExperimentalCustomExecutors) import _Concurrency

/// Brings the sleeps to the pool: from 6.3 on the runtime asks its default executor first whether it keeps time, and libdispatch's does.
///
/// With a default executor that does not, sleeps come to the pool's hook, as they do in earlier runtimes. Replacing it is a draft of the
/// language's, behind `@_spi`; whoever builds with a newer compiler against an older runtime (a cross-build's) says
/// `-Xswiftc -DWAYPOST_OLDER_RUNTIME`.
extension TaskPool {
    static func takeSleeps() { _createExecutors(factory: Executors.self) }

    private enum Executors: ExecutorFactory {
        static var mainExecutor: any MainExecutor { PlatformExecutorFactory.mainExecutor }
        static var defaultExecutor: any TaskExecutor { TimelessExecutor() }
    }

    /// Its jobs are the pool's: `Task.yield()` comes this way.
    private final class TimelessExecutor: TaskExecutor {
        func enqueue(_ job: consuming ExecutorJob) {
            // A reference to a job is a pointer and nothing else; the runtime's C interface has it as one.
            ctaskpool_enqueue(unsafeBitCast(UnownedJob(job), to: OpaquePointer.self))
        }
    }
}
#else
extension TaskPool {
    /// Sleeps come by themselves before 6.3; behind it nobody knows, and ``TaskPool/install(maximumThreads:)`` finds out.
    static func takeSleeps() {}
}
#endif
