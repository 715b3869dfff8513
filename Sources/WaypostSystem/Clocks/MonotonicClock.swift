import Glibc

/// Time that only moves forward, for time-outs of hardware and networks; it stands still while the machine sleeps.
///
/// No decision uses the wall clock: a board without a battery clock boots in 1970 and jumps at the first fix.
public enum MonotonicClock {
    /// Nanoseconds since an arbitrary start (CLOCK_MONOTONIC).
    public static var nanoseconds: Int64 {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    }

    /// Milliseconds since an arbitrary start (CLOCK_MONOTONIC).
    public static var milliseconds: Int64 { nanoseconds / 1_000_000 }

    /// Blocks the calling thread; for commands that have nothing else to do.
    public static func wait(milliseconds: Int64) {
        var wait = timespec(tv_sec: Int(milliseconds / 1_000), tv_nsec: Int(milliseconds % 1_000) * 1_000_000)
        var left = timespec()
        while nanosleep(&wait, &left) != 0, errno == EINTR { wait = left }
    }
}
