import Glibc

/// The wall clock, which on a board without a battery says 1970 until it is set.
public enum WallClock {
    /// Milliseconds since 1970, right or wrong: for display and for the current time of a replay; nothing important depends on it.
    public static var milliseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// Milliseconds since 1970 while something keeps the clock right; otherwise nil.
    ///
    /// - Source: systemd-timesyncd makes this file once it has a time from a server (systemd-timesyncd.service(8)).
    public static var millisecondsIfSynchronized: Int64? {
        Syscalls.exists("/run/systemd/timesync/synchronized") ? milliseconds : nil
    }
}
