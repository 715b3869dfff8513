#if compiler(>=6.3) && compiler(<6.4) && !WAYPOST_OLDER_RUNTIME
import CTaskPool
@_spi(ExperimentalCustomExecutors) import _Concurrency

/// Brings the sleeps to the pool: from 6.3 on the runtime first asks its default executor whether it keeps time, and libdispatch's does.
///
/// With a default executor that does not, sleeps reach the pool's hook, as in earlier runtimes. Replacing it is a draft of the
/// language, behind `@_spi`; a build with a newer compiler against an older runtime (a cross-build's) needs
/// `-Xswiftc -DWAYPOST_OLDER_RUNTIME`.
extension TaskPool {
    static func takeSleeps() { _createExecutors(factory: Executors.self) }

    private enum Executors: ExecutorFactory {
        static var mainExecutor: any MainExecutor { PlatformExecutorFactory.mainExecutor }
        static var defaultExecutor: any TaskExecutor { TimelessExecutor() }
    }

    /// Its jobs go to the pool: `Task.yield()` comes this way.
    private final class TimelessExecutor: TaskExecutor {
        func enqueue(_ job: consuming ExecutorJob) {
            // A reference to a job is only a pointer; the runtime's C interface treats it as one.
            ctaskpool_enqueue(unsafeBitCast(UnownedJob(job), to: OpaquePointer.self))
        }
    }
}
#else
extension TaskPool {
    /// Before 6.3 sleeps reach the hook by themselves; with later runtimes ``TaskPool/install(maximumThreads:)`` finds out.
    static func takeSleeps() {}
}
#endif
