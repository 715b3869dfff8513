import Synchronization

/// Wakes a thread that waits in `poll`: a descriptor that is readable from ``raise()`` to ``clear()``.
///
/// - Concurrency: any thread or task may raise it, any number of times; one thread waits and clears.
public final class WakeSignal: Sendable {
    // While it is raised there is one byte on the way, or about to be.
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

    /// What the thread polls for reading.
    public var descriptor: Int32 { nearEnd }

    /// Wakes the thread now, or when it waits the next time.
    public func raise() {
        guard !raised.exchange(true, ordering: .acquiringAndReleasing) else { return }
        try? Syscalls.writeAll(farEnd, [1])  // One byte always has room, and both ends live as long as this.
    }

    /// Forgets what was raised; call it when the descriptor is readable.
    public func clear() {
        raised.store(false, ordering: .releasing)
        // One byte only: another raise may have sent its own by now, which stays.
        _ = try? Syscalls.read(nearEnd, upTo: 1)  // Both ends live as long as this.
    }
}
