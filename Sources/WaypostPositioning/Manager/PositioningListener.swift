import Waypost
import WaypostSystem

/// The manager's side of a listener: its selection and its queue.
struct PositioningListener: Sendable {
    let key: Int
    let queue: UpdateQueue
    /// What the loop of live updates asks for, which may change; nil for other listeners.
    let choice: LiveChoice?
    private(set) var selection: PositionSelection
    /// Whether it has received a position.
    private var hasPosition = false

    /// A listener, with its first report already queued if it is due one.
    init(
        key: Int, _ options: PositionSelection.Options, queue: UpdateQueue, choice: LiveChoice? = nil,
        lastKnown: (position: Position, at: Int64?)?
    ) {
        self.key = key
        self.queue = queue
        self.choice = choice
        selection = PositionSelection(options)
        select(options, lastKnown: lastKnown)
    }

    /// Changes what the listener gets; reports of significant changes begin with the last known position, unless it has had one already.
    mutating func select(_ options: PositionSelection.Options, lastKnown: (position: Position, at: Int64?)?) {
        selection = PositionSelection(options)
        guard let lastKnown, let report = selection.start(stored: lastKnown.position), !hasPosition else { return }
        hasPosition = true
        queue.append(
            .significantChange(SignificantChange(position: report.position, isCached: true, age: lastKnown.position.age(at: lastKnown.at))))
    }

    /// Processes an update of the manager and queues what the listener asked for.
    mutating func take(_ update: PositioningUpdate) {
        switch update {
        case .position(let position):
            switch selection.process(position) {
            case .nothing: break
            case .position:
                hasPosition = true
                queue.append(update)
            case .significantChange(let report):
                hasPosition = true
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
    /// The age of a position that came at a moment of the monotonic clock, or by its own time when that moment is unknown.
    public func age(at milliseconds: Int64?) -> Duration? {
        if let milliseconds { return .milliseconds(max(0, MonotonicClock.milliseconds - milliseconds)) }
        // Only a clock that has been set can measure the age of a position from an earlier run.
        guard let time, let now = WallClock.millisecondsIfSynchronized, now >= time.millisecondsSince1970 else { return nil }
        return .milliseconds(now - time.millisecondsSince1970)
    }
}
