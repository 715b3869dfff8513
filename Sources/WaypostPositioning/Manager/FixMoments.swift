import Waypost

/// Gives live fixes their moments on one timeline; those of recordings, and of sources of unknown kinds, have only their times.
struct FixMoments: Sendable {
    private var timeline = FixTimeline()
    /// The last source, and whether it is a live one.
    private var source: (name: String?, isLive: Bool) = (nil, false)

    /// Whether the last source is a live one.
    var isLive: Bool { source.isLive }

    /// The moment of the next fix, or report without one, in milliseconds; nil when it is not a live one.
    ///
    /// - Parameters:
    ///   - time: its time.
    ///   - name: its source.
    ///   - clock: the machine's clock that never jumps and also runs during sleep, in milliseconds.
    mutating func moment(of time: UTCTime?, from name: String?, at clock: Int64) -> Int64? {
        if let name, name != source.name { source = (name, SourceRegistry.isPlayed(named: name) == false) }
        guard source.isLive else { return nil }
        return timeline.moment(of: time.flatMap { $0.hasFourDigitYear ? $0 : nil }, at: clock)
    }
}
