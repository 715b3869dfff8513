import Waypost

/// Gives live fixes their moments on one timeline; those of recordings, and of sources of unknown kinds, have only their times.
struct FixMoments: Sendable {
    private var timeline = FixTimeline()
    /// The last source, and whether it is a live one.
    private var source: (name: String?, isLive: Bool) = (nil, false)

    /// Notes the moment of the next fix, if it is a live one.
    ///
    /// - Parameters:
    ///   - position: the fix.
    ///   - clock: the machine's clock that never jumps and also runs during sleep, in milliseconds.
    mutating func note(on position: inout Position, at clock: Int64) {
        if position.source != source.name {
            source = (position.source, position.source.map { SourceRegistry.isPlayed(named: $0) == false } ?? false)
        }
        position.moment.milliseconds = source.isLive ? timeline.moment(of: position.time, at: clock) : nil
    }
}
