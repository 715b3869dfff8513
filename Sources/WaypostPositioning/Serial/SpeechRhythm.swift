/// The times at which a serial line is busy, whatever it sends: the length of a receiver's bursts is evidence of its speed.
///
/// A receiver sends its 300 to 600 bytes in one go. They take 0.4 s at 9600 baud and 4 ms at 921600, at any speed of listening.
///
/// - Concurrency: a value; all times are milliseconds of one monotonic clock, given by the caller.
struct SpeechRhythm: Sendable {
    /// This much quiet ends a burst; adapters deliver bytes in steps of up to 16 ms.
    static let gapMilliseconds: Int64 = 40
    private static let usualBytes = 400.0
    private static let manyBytes: Int64 = 600
    // A burst looks up to a step longer or shorter than it was; that it looks shorter is the rarer case.
    private static let stepMilliseconds: Int64 = 4
    // The time until a speed change is done and an adapter has delivered the bytes after it.
    private static let changeMilliseconds: Int64 = 27

    /// The longest pause between the reports of a receiver, which says one in ten seconds at least.
    static let longestPauseMilliseconds: Int64 = 12_000

    private var begunAt: Int64?
    /// The shortest time from the beginning of one burst to that of the next; nil until there were two.
    private var period: Int64?
    private var lastAt: Int64 = 0
    /// The longest burst so far; the first may have been received only from its middle on.
    private var longest: Int64?

    /// Bytes have come.
    mutating func noteBytes(at now: Int64) {
        let start = isInBurst(at: now) ? begunAt ?? now : now
        if let begunAt, start > begunAt { period = min(period ?? .max, start - begunAt) }
        begunAt = start
        lastAt = now
        longest = max(longest ?? 0, now - start)
    }

    /// When the current burst will be over, unless more comes.
    var quietAt: Int64 { lastAt + SpeechRhythm.gapMilliseconds }

    /// Whether anything has come.
    var hasBegun: Bool { begunAt != nil }

    /// How long the receiver may be quiet between two bursts, as far as is known.
    var pauseMilliseconds: Int64 {
        min(period.map { $0 + $0 / 5 + SpeechRhythm.gapMilliseconds } ?? .max, SpeechRhythm.longestPauseMilliseconds)
    }

    /// When the next burst should have begun; nil before the first.
    var nextAt: Int64? { begunAt.map { $0 + pauseMilliseconds } }

    /// Whether a burst is going on.
    func isInBurst(at now: Int64) -> Bool { begunAt != nil && now < quietAt }

    /// The speed to try next; nil when there is no evidence yet.
    func likeliest(of baudRates: [Int], at now: Int64) -> Int? {
        guard let begunAt, let longest else { return nil }
        if isInBurst(at: now) {
            // The fastest at which it would not be over yet; if there is none, the slowest.
            let elapsed = now - begunAt + SpeechRhythm.changeMilliseconds
            return baudRates.filter { Int64($0) * elapsed <= 10_000 * SpeechRhythm.manyBytes }.max() ?? baudRates.min()
        }
        return baudRates.min { unlikeliness(of: $0, longest) < unlikeliness(of: $1, longest) }
    }

    /// How many times more or fewer bytes than usual such a burst has at that speed.
    private func unlikeliness(of baudRate: Int, _ milliseconds: Int64) -> Double {
        // Ten bits per byte; a burst within one read took a millisecond or two.
        let ratio = Double(max(2, milliseconds - SpeechRhythm.stepMilliseconds)) * Double(baudRate) / 10_000 / SpeechRhythm.usualBytes
        return max(ratio, 1 / ratio)
    }
}
