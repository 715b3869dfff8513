import Glibc
import Synchronization

/// Wakes a thread from `poll`, as often as one likes: rings that nobody has heard yet are one.
///
/// - Concurrency: anybody rings; one thread waits for ``descriptor`` and calls ``silence()`` before it looks at what it was woken for.
final class WakeLine: Sendable {
    /// Readable while it rings.
    let descriptor: Int32
    private let farEnd: Int32
    private let isRinging = Atomic(false)

    /// A line that is quiet.
    ///
    /// - Errors: the process has no descriptors left.
    init() throws(SystemError) {
        (descriptor, farEnd) = try Syscalls.socketPair()
    }

    deinit {
        Syscalls.close(descriptor)
        Syscalls.close(farEnd)
    }

    func ring() {
        guard !isRinging.exchange(true, ordering: .acquiringAndReleasing) else { return }
        var byte: UInt8 = 1
        send(farEnd, &byte, 1, Int32(MSG_NOSIGNAL))
    }

    func silence() {
        guard isRinging.load(ordering: .acquiring) else { return }
        // It may ring before its byte is there: then the next wait ends at once, for nothing.
        var bytes: UInt64 = 0
        recv(descriptor, &bytes, MemoryLayout.size(ofValue: bytes), Int32(MSG_DONTWAIT))
        _ = isRinging.exchange(false, ordering: .acquiringAndReleasing)
    }
}
