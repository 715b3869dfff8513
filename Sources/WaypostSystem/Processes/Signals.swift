import Glibc

/// How the process handles signals.
public enum Signals {
    /// The signal of Ctrl-C.
    public static let interrupt = SIGINT
    /// The signal of Ctrl-\.
    public static let quit = SIGQUIT

    /// Makes writing to a pipe or socket without reader an error of the call instead of ending the process.
    public static func ignoreBrokenPipe() {
        signal(SIGPIPE, SIG_IGN)
    }

    /// Blocks the signals that ask a service to stop (and are not ignored), for this thread and all it starts; call it first in `main`.
    ///
    /// - Parameter others: more of them, such as ``quit``.
    public static func blockStopRequests(and others: Int32...) {
        var set = stopRequests
        for number in others { sigaddset(&set, number) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Runs what must not be left half done: a signal that asks this program to stop is held back until then.
    ///
    /// Only for a program whose other threads, if it has any, block these signals.
    public static func holdingStopRequests<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        var (set, before) = (stopRequests, sigset_t())
        pthread_sigmask(SIG_BLOCK, &set, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        return try body()
    }

    /// Waits for a signal that asks to stop (SIGTERM, SIGINT, SIGHUP) and returns its number; they must be blocked.
    public static func waitForStopRequest() -> Int32 {
        var set = stopRequests
        var number: Int32 = 0
        while sigwait(&set, &number) != 0 {}
        return number
    }

    /// A signal that asks to stop and has come already; nil when there is none.
    ///
    /// These signals must be blocked.
    ///
    /// - Parameter others: what else was blocked.
    public static func takeStopRequest(or others: Int32...) -> Int32? {
        var set = stopRequests
        for number in others { sigaddset(&set, number) }
        var noTime = timespec()
        let number = sigtimedwait(&set, nil, &noTime)
        return number > 0 ? number : nil
    }

    /// The signals that are not ignored: a parent that starts us with one ignored (`nohup`, `&` in a script) wants us to ignore it, but a
    /// blocked one would still end the wait.
    private static var stopRequests: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for number in [SIGTERM, SIGINT, SIGHUP] where !isIgnored(number) { sigaddset(&set, number) }
        return set
    }

    /// Whether this process ignores Ctrl-C, as shells arrange for background programs of a script.
    public static var isInterruptIgnored: Bool { isIgnored(SIGINT) }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
