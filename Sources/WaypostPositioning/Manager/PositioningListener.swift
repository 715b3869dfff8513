import Waypost
import WaypostSystem

/// The manager's side of a listener: its selection and its queue.
struct PositioningListener: Sendable {
    let key: Int
    let queue: UpdateQueue
    private(set) var selection: PositionSelection

    /// A listener that has its first report already, if it is one.
    init(key: Int, _ options: PositionSelection.Options, queue: UpdateQueue, lastKnown: (position: Position, at: Int64?)?) {
        self.key = key
        self.queue = queue
        selection = PositionSelection(options)
        guard let lastKnown, let report = selection.start(stored: lastKnown.position) else { return }
        queue.append(
            .significantChange(SignificantChange(position: report.position, isCached: true, age: lastKnown.position.age(at: lastKnown.at))))
    }

    /// Takes an update of the manager; the listener gets what it asked for.
    mutating func take(_ update: PositioningUpdate) {
        switch update {
        case .position(let position):
            switch selection.process(position) {
            case .nothing: break
            case .position: queue.append(update)
            case .significantChange(let report):
                queue.append(.significantChange(SignificantChange(position: report.position, isCached: report.isCached)))
            }
        case .matched:
            if selection.options.takesEverything { queue.append(update) }
        case .lost:
            selection.lose()
            queue.append(update)
        case .noFix, .sky:
            if !selection.options.isSignificantOnly { queue.append(update) }
        case .significantChange, .stationary, .paused, .resumed, .status, .failed, .finished: queue.append(update)
        }
    }
}

extension Position {
    /// How old a position is that came at a moment of the monotonic clock, or was stored when that is not known.
    public func age(at milliseconds: Int64?) -> Duration? {
        if let milliseconds { return .milliseconds(max(0, MonotonicClock.milliseconds - milliseconds)) }
        // Only a clock that something has set tells how long ago another run was.
        guard let time, let now = WallClock.millisecondsIfSynchronized, now >= time.millisecondsSince1970 else { return nil }
        return .milliseconds(now - time.millisecondsSince1970)
    }
}
