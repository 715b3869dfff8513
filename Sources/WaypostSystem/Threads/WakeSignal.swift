import Glibc
import Synchronization

/// Wakes a thread that waits in `poll`, to check something or to stop.
///
/// A descriptor that is readable from ``raise()`` to ``clear()``. The signal that asks a thread to stop is never cleared: every wait,
/// present and future, ends at once. The thread waits for its own descriptors and for the signal in one `poll`; there is no time-out to tune
/// and no system signal.
/// - Concurrency: any thread or task may raise it, any number of times; one thread waits and clears.
public final class WakeSignal: Sendable {
    /// What ended a wait.
    public enum Wake: Sendable, Equatable {
        /// A descriptor is readable, hung up or broken: the next read shows which.
        case ready
        /// The time is over.
        case timedOut
        /// The signal is raised.
        case raised
    }

    // While it is raised there is one byte in the socket, or about to be.
    private let raised = Atomic(false)
    private let nearEnd: Int32
    private let farEnd: Int32

    /// A signal that is not raised.
    ///
    /// - Errors: the process has no descriptors left.
    public init() throws(SystemError) {
        (nearEnd, farEnd) = try Syscalls.socketPair()
    }

    deinit {
        Syscalls.close(nearEnd)
        Syscalls.close(farEnd)
    }

    /// The descriptor that the thread polls for reading.
    public var descriptor: Int32 { nearEnd }

    /// Whether it was raised and has not been cleared.
    public var isRaised: Bool { raised.load(ordering: .acquiring) }

    /// Wakes the thread now, or at its next wait.
    public func raise() {
        guard !raised.exchange(true, ordering: .acquiringAndReleasing) else { return }
        try? Syscalls.writeAll(farEnd, [1])  // One byte always has room, and both ends live as long as this.
    }

    /// Resets the signal; call it when the descriptor is readable, and before checking what it was raised for.
    public func clear() {
        _ = raised.exchange(false, ordering: .acquiringAndReleasing)
        // One byte only: another raise may have sent its own in the meantime, which stays.
        _ = try? Syscalls.read(nearEnd, upTo: 1)  // Both ends live as long as this.
    }

    /// Waits until the descriptor can be read, the time is over or the signal is raised.
    ///
    /// - Parameters:
    ///   - descriptor: the descriptor to wait for.
    ///   - timeoutMilliseconds: nil waits for ever.
    /// - Errors: none of its own; a descriptor that cannot be polled counts as ready, so that the read reports it.
    public func wait(forReading descriptor: Int32, timeoutMilliseconds: Int64?) -> Wake {
        wait(forReadingAny: [descriptor], timeoutMilliseconds: timeoutMilliseconds)
    }

    /// Waits until one of the descriptors can be read, the time is over or the signal is raised.
    ///
    /// Reading them shows which one it is; the reads must not block.
    public func wait(forReadingAny descriptors: [Int32], timeoutMilliseconds: Int64?) -> Wake {
        if isRaised { return .raised }
        var polled = ([nearEnd] + descriptors).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let timeout = timeoutMilliseconds.map { Int32(clamping: max(0, $0)) } ?? -1
        guard let ready = try? Syscalls.poll(&polled, timeoutMilliseconds: timeout)  // The read that follows reports what is wrong.
        else { return .ready }
        if polled[0].revents != 0 || isRaised { return .raised }
        return ready == 0 ? .timedOut : .ready
    }

    /// Sleeps for that long; returns false at once when the signal is raised.
    public func sleep(milliseconds: Int64) -> Bool {
        wait(forReadingAny: [], timeoutMilliseconds: max(0, milliseconds)) == .timedOut
    }

    /// Sleeps until this signal or another one is raised; the other one is then cleared, and the result is `ready`.
    public func sleep(milliseconds: Int64, orUntil other: WakeSignal) -> Wake {
        if milliseconds <= 0 { return isRaised ? .raised : .timedOut }
        let wake = wait(forReading: other.descriptor, timeoutMilliseconds: milliseconds)
        if wake == .ready { other.clear() }
        return wake
    }
}
