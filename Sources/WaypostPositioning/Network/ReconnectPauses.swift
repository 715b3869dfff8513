/// How long to wait before the next attempt: twice as long each time, up to a longest pause.
///
/// A connection that lasted longer than the longest pause was healthy, and the pauses begin anew.
struct ReconnectPauses {
    private let first: Int64
    private let longest: Int64
    private var pause: Int64

    /// For connections: 0.5, 1, 2, then always 3 seconds.
    ///
    /// Short enough that positions return within 5 s after a long outage.
    init() { self.init(firstMilliseconds: 500, longestMilliseconds: 3_000) }

    /// Pauses from the first to the longest.
    init(firstMilliseconds: Int64, longestMilliseconds: Int64) {
        first = firstMilliseconds
        longest = longestMilliseconds
        pause = firstMilliseconds
    }

    /// The next pause in milliseconds, after a connection that lasted this long (0: there was none).
    mutating func next(afterConnectionOf milliseconds: Int64) -> Int64 {
        if milliseconds > longest { pause = first }
        defer { pause = min(2 * pause, longest) }
        return pause
    }
}
