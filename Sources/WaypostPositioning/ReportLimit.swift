import Waypost
import WaypostSystem

/// Limits the reports of a live source to what a receiver can produce, so that a flood of reports does not fill the disk.
///
/// In the long run at most ``reportsPerSecond`` positions (and reports without a fix) pass, and as many sky views. The others are left out, and
/// the queue reports how many. Reports that were held up on the way may come at once (``reportsAtOnce``). Text from the other side is cut
/// to ``longestWords`` characters.
/// - Concurrency: a value; times are milliseconds of one monotonic clock, given by the caller.
struct ReportLimit: Sendable {
    /// How many positions per second pass in the long run.
    static let reportsPerSecond = 50.0
    /// How many may come at once: what a receiver has sent in an hour, while its line or its network was interrupted.
    static let reportsAtOnce = 3_600.0
    /// The longest text from the other side that is passed on.
    static let longestWords = 300

    private var positions = RateLimit(burst: ReportLimit.reportsAtOnce, perSecond: ReportLimit.reportsPerSecond)
    private var skies = RateLimit(burst: ReportLimit.reportsAtOnce, perSecond: ReportLimit.reportsPerSecond)

    /// The event to pass on in place of this one; nil when it is left out.
    mutating func limited(_ event: PositionSourceEvent, at now: Int64) -> PositionSourceEvent? {
        let passes =
            switch event {
            case .position, .noFix: positions.passes(at: now)
            case .sky: skies.passes(at: now)
            case .lost, .status, .finished: true
            }
        return passes ? event.shortened : nil
    }
}

extension PositionSourceEvent {
    /// The event with its texts cut to the longest length.
    fileprivate var shortened: PositionSourceEvent {
        switch self {
        case .status(.warning(let words)): .status(.warning(words.shortened))
        case .status(.connected(let peer)): .status(.connected(peer.shortened))
        case .status(.stillLost(let reason)): .status(.stillLost(reason.shortened))
        case .status(.shownAgain(let reason)): .status(.shownAgain(reason?.shortened))
        case .lost(let reason): .lost(reason.shortened)
        case .position, .noFix, .sky, .status, .finished: self
        }
    }
}

extension LossReason {
    fileprivate var shortened: LossReason {
        switch self {
        case .unusable(let detail): .unusable(detail.shortened)
        case .disconnected(let detail): .disconnected(detail.shortened)
        case .deviceGone(let detail): .deviceGone(detail.shortened)
        case .noFix, .silent, .ended, .replaced, .withheld: self
        }
    }
}

extension LossDetail {
    fileprivate var shortened: LossDetail { LossDetail(words.shortened, advice: advice?.shortened, obstacle: obstacle) }
}

extension String {
    fileprivate var shortened: String {
        // Counting bytes is cheap, and a short text is not longer in characters.
        utf8.count <= ReportLimit.longestWords ? self : prefix(ReportLimit.longestWords) + "..."
    }
}
