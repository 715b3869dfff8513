import Waypost
import WaypostSystem

/// Lets no more reports of a live source through than a receiver can make: who floods a tracker fills no disk.
///
/// In the long run at most ``reportsPerSecond`` positions (and reports without a fix) pass, and as many sky views; the others are left out,
/// which is said once a run. What was held up for a while on the way may come at once (``reportsAtOnce``). What others say is cut to ``longestWords`` characters.
/// - Concurrency: a value; times are milliseconds of one monotonic clock, given by the caller.
struct ReportLimit: Sendable {
    /// How many positions a second pass in the long run.
    static let reportsPerSecond = 50.0
    /// How many may come at once: 20 seconds of a quick receiver.
    static let reportsAtOnce = 200.0
    /// The longest text from the other side that is passed on.
    static let longestWords = 300

    private let name: String
    private var positions = RateLimit(burst: ReportLimit.reportsAtOnce, perSecond: ReportLimit.reportsPerSecond)
    private var skies = RateLimit(burst: ReportLimit.reportsAtOnce, perSecond: ReportLimit.reportsPerSecond)
    private var isTold = false

    /// A limit for one run of the source of that name.
    init(name: String) {
        self.name = name
    }

    /// What passes in the place of an event: itself, nothing, or a warning.
    mutating func limited(_ event: PositionSourceEvent, at now: Int64) -> PositionSourceEvent? {
        let passes =
            switch event {
            case .position, .noFix: positions.passes(at: now)
            case .sky: skies.passes(at: now)
            case .lost, .status, .finished: true
            }
        if passes { return event.shortened }
        if isTold { return nil }
        isTold = true
        return .status(
            .warning(
                "\(name): gives more than \(Int(ReportLimit.reportsPerSecond)) positions a second; some are left out "
                    + "(what buffers must flush every line)"))
    }
}

extension PositionSourceEvent {
    /// The event with no more words than anybody reads.
    fileprivate var shortened: PositionSourceEvent {
        switch self {
        case .status(.warning(let words)): .status(.warning(words.shortened))
        case .status(.connected(let peer)): .status(.connected(peer.shortened))
        case .status(.stillLost(let reason)): .status(.stillLost(reason.shortened))
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
