import Glibc

/// The machine's own clock since it was started: it never jumps, and runs while the machine sleeps (CLOCK_BOOTTIME).
public enum BootClock {
    /// Milliseconds since the start.
    public static var milliseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}
