import Logging
import Waypost
import WaypostPositioning
import WaypostSystem

/// Writes what happens to the source into the log of messages, but never a place.
///
/// Each cause may write a few lines at once and then one a minute, with the number of those left out before it: a source that comes and goes, or a
/// peer that floods, cannot fill a disk with messages.
actor SourceReporter: PositioningConsumer {
    private let logger: Logger
    private let startMilliseconds = MonotonicClock.milliseconds
    private var hasFix = false
    /// When the position was lost, by the monotonic clock; nil before the first fix.
    private var lostAt: Int64?
    /// The last peer that was reported, until it is lost.
    private var peer: String?
    /// The source that is first in the configuration, where there are several.
    private var preferred: String?
    private var limits = CauseLimits()

    init(logger: Logger) {
        self.logger = logger
    }

    func consume(_ update: PositioningUpdate) {
        switch update {
        case .position(let position):
            guard !hasFix else { return }
            hasFix = true
            let dimensions = position.mode == .threeDimensional ? "3D" : "2D"
            let satellites = position.quality.satellitesUsed.map { ", \(counted($0, "satellite"))" } ?? ""
            let seconds = (MonotonicClock.milliseconds - (lostAt ?? startMilliseconds)) / 1_000
            write(
                .info, "fix",
                "\(dimensions) fix\(satellites), \(spanText(seconds: seconds)) after \(lostAt == nil ? "the start" : "it was lost")")
        case .lost(let reason):
            let hadFix = hasFix
            if hadFix { lostAt = MonotonicClock.milliseconds }
            hasFix = false
            peer = nil
            switch reason {
            case .ended: break
            case .withheld: write(.notice, "withheld", "position withheld: \(reason)")
            // A position that was never there is not lost: the search reports what is missing.
            default: if hadFix { write(.warning, "lost", "position lost: \(reason)") }
            }
        case .status(.connected(let peer)):
            // After a planned pause it is the same peer again.
            if peer != self.peer { write(.info, "connected", "connected to \(peer)") }
            self.peer = peer
        case .status(.warning(let words)): write(.warning, "warning", words)
        case .status(.members(let members)): preferred = members.first?.name
        case .status(.switched(let change)):
            let back = change.to == preferred ? "back to " : ""
            write(.notice, "switched", "\(back)source \(change.to) instead of \(change.from): \(change.reason)")
        case .failed, .finished, .matched, .noFix, .paused, .resumed, .significantChange, .sky, .stationary, .status(.stillLost),
            .status(.shownAgain):
            break
        }
    }

    private func write(_ level: Logger.Level, _ cause: String, _ words: String) {
        guard let leftOut = limits.passes(cause, at: MonotonicClock.milliseconds) else { return }
        logger.log(level: level, "\(words)\(leftOut > 0 ? " (and \(leftOut) more like it before)" : "")")
    }
}
