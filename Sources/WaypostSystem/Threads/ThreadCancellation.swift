import Glibc
import Synchronization

/// Asks a thread to stop, and wakes it from `poll` to hear it.
///
/// The thread waits for its own descriptors and for the cancellation in one `poll`; there is no time-out to tune and no signal.
/// - Concurrency: any thread or task may cancel, any number of times.
public final class ThreadCancellation: Sendable {
    /// What ended a wait.
    public enum Wake: Sendable, Equatable {
        /// The descriptor is readable, hung up or broken: the next read tells which.
        case ready
        /// The time is over.
        case timedOut
        /// Somebody asked to stop.
        case cancelled
    }

    private let cancelled = Atomic(false)
    // The far end is shut down to cancel: the near end then stays readable (end of stream) for ever.
    private let nearEnd: Int32
    private let farEnd: Int32

    /// Nothing asked for yet.
    ///
    /// - Errors: the process has no descriptors left.
    public init() throws(SystemError) {
        (nearEnd, farEnd) = try Syscalls.socketPair()
    }

    deinit {
        Syscalls.close(nearEnd)
        Syscalls.close(farEnd)
    }

    /// Whether somebody asked to stop.
    public var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    /// Asks to stop; every wait, present and future, ends at once.
    public func cancel() {
        cancelled.store(true, ordering: .releasing)
        shutdown(farEnd, Int32(SHUT_WR))
    }

    /// Waits until the descriptor can be read, the time is over or somebody asks to stop.
    ///
    /// - Parameters:
    ///   - descriptor: what is waited for.
    ///   - timeoutMilliseconds: nil waits for ever.
    /// - Errors: none of its own; a descriptor that cannot be polled counts as ready, so that the read reports it.
    public func wait(forReading descriptor: Int32, timeoutMilliseconds: Int64?) -> Wake {
        wait([pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)], timeoutMilliseconds)
    }

    /// Waits until one of the descriptors can be read, the time is over or somebody asks to stop.
    ///
    /// Which one it is shows in reading them, which must not block.
    public func wait(forReadingAny descriptors: [Int32], timeoutMilliseconds: Int64?) -> Wake {
        wait(descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }, timeoutMilliseconds)
    }

    /// Sleeps for that long; false when somebody asked to stop, at once.
    public func sleep(milliseconds: Int64) -> Bool {
        wait([], max(0, milliseconds)) == .timedOut
    }

    private func wait(_ others: [pollfd], _ timeoutMilliseconds: Int64?) -> Wake {
        if isCancelled { return .cancelled }
        var descriptors = [pollfd(fd: nearEnd, events: Int16(POLLIN), revents: 0)] + others
        let timeout = timeoutMilliseconds.map { Int32(clamping: max(0, $0)) } ?? -1
        guard let ready = try? Syscalls.poll(&descriptors, timeoutMilliseconds: timeout)  // The read that follows reports what is wrong.
        else { return .ready }
        if descriptors[0].revents != 0 || isCancelled { return .cancelled }
        return ready == 0 ? .timedOut : .ready
    }
}
