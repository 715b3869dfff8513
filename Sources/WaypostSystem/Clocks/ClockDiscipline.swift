import CClock

/// Whether something keeps this machine's clock right.
public enum ClockDiscipline {
    /// Whether the kernel learned within the last hours how far off the clock is (NTP, PTP); nil when it does not say.
    public static var isSynchronized: Bool? {
        let answer = cclock_is_synchronized()
        return answer < 0 ? nil : answer == 1
    }
}
