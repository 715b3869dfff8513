/// How long to wait before a connection is tried again: 0.5, 1, 2, then always 3 seconds.
///
/// Short enough that positions return within 5 s after a long outage. A connection that held for longer begins anew.
struct ReconnectPauses {
    private static let first: Int64 = 500
    private static let longest: Int64 = 3_000

    private var pause = ReconnectPauses.first

    /// The next pause in milliseconds, after a connection that held for so many (0: there was none).
    mutating func next(afterConnectionOf milliseconds: Int64) -> Int64 {
        if milliseconds > ReconnectPauses.longest { pause = ReconnectPauses.first }
        defer { pause = min(2 * pause, ReconnectPauses.longest) }
        return pause
    }
}
