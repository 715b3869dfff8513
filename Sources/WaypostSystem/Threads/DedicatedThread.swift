import Glibc

/// Runs code that blocks (libgps, a FIFO, a serial line) on its own thread, so that it never holds up the cooperative pool.
///
/// The thread is detached: it ends when the body returns, and nothing waits for it. A body that hangs in an uninterruptible call
/// (`getaddrinfo`) therefore delays nobody; it must release what it holds when the call returns.
public enum DedicatedThread {
    /// Starts a thread that runs `body` once; returns the signal that asks it to stop.
    ///
    /// - Parameters:
    ///   - name: the name that `top -H` and debuggers show; the system keeps 15 bytes.
    ///   - stackBytes: the size of the stack; only the used part costs memory.
    ///   - body: the work; it polls the signal together with its own descriptors and returns when asked to stop.
    /// - Errors: no thread or descriptor is left.
    public static func start(
        name: String, stackBytes: Int = 262_144, body: @escaping @Sendable (WakeSignal) -> Void
    ) throws(SystemError) -> WakeSignal {
        let stop = try WakeSignal()
        try startForGood(name: name, stackBytes: stackBytes) { body(stop) }
        return stop
    }

    /// Starts a thread that runs `body` once and is never asked to stop.
    ///
    /// - Errors: no thread is left.
    static func startForGood(
        name: String, stackBytes: Int = 262_144, body: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        let work = Unmanaged.passRetained(Work(name: String(decoding: name.utf8.prefix(15), as: UTF8.self), body: body))
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        pthread_attr_setstacksize(&attributes, stackBytes)
        var thread = pthread_t()
        let code = pthread_create(&thread, &attributes, { DedicatedThread.enter($0) }, work.toOpaque())
        guard code == 0 else {
            work.release()
            throw SystemError(code: code, operation: "start thread", path: name)
        }
    }

    private final class Work: Sendable {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }

    private static func enter(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let argument else { return nil }
        // Signals are for the threads that expect them.
        var all = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, nil)
        let work = Unmanaged<Work>.fromOpaque(argument).takeRetainedValue()
        setName(work.name)
        work.body()
        return nil
    }

    // pthread_setname_np and prctl are not imported.
    private static func setName(_ name: String) {
        let path = "/proc/thread-self/comm"
        guard let file = try? Syscalls.open(path, O_WRONLY) else { return }  // Without /proc the thread keeps the program's name.
        defer { Syscalls.close(file) }
        try? Syscalls.writeAll(file, Array(name.utf8))  // A thread without its name works as well.
    }
}
