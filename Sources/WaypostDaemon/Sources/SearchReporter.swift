import Logging
import Waypost
import WaypostPositioning
import WaypostSystem

/// Follows the attempts to find a position, and reports them in the log of messages: each once until a fix ends the search.
actor SearchReporter: PositioningConsumer {
    /// The state of a search.
    struct Report: Sendable {
        var search: PositionSearch
        /// How long there has been no position.
        var milliseconds: Int64
    }

    private let surroundings: PositionSearch.Surroundings
    private let logger: Logger
    /// The source as a whole, when it does not consist of several.
    private var whole: SourceMember
    private var members: [SourceMember] = []
    /// When the last position was lost, milliseconds of the monotonic clock; nil while there is one.
    private var start: Int64?
    private var isWithheld = false
    private var told: Set<String> = []

    /// How many different reports are written until a fix arrives.
    private static let mostTold = 20

    init(source: String, surroundings: PositionSearch.Surroundings, logger: Logger) {
        self.surroundings = surroundings
        self.logger = logger
        whole = SourceMember(name: source, state: .starting, isActive: true)
        start = MonotonicClock.milliseconds
    }

    /// The current search; nil while there is a position.
    var report: Report? {
        guard let start, !isWithheld else { return nil }
        return Report(search: search, milliseconds: MonotonicClock.milliseconds - start)
    }

    private var search: PositionSearch { PositionSearch(sources, in: surroundings) }
    private var sources: [SourceMember] { members.isEmpty ? [whole] : members }

    func consume(_ update: PositioningUpdate) {
        switch update {
        case .position:
            whole.state = .fix
            (start, isWithheld, told) = (nil, false, [])
        case .lost(.withheld): isWithheld = true
        case .lost(let reason):
            isWithheld = false
            lose(reason)
        case .status(.stillLost(let reason)): lose(reason)
        case .status(.connected(let peer)): whole.peer = peer
        case .status(.members(let members)):
            self.members = members
            log()
        case .noFix: whole.state = .searching
        case .finished, .failed: whole.state = .ended
        case .matched, .paused, .resumed, .significantChange, .sky, .stationary, .status(.warning), .status(.switched): break
        }
    }

    private func lose(_ reason: LossReason) {
        whole.state = .lost(reason)
        if case .disconnected = reason { whole.peer = nil }
        if start == nil { start = MonotonicClock.milliseconds }
        log()
    }

    /// Reports what was tried, what was found and what to do, once everything has been tried.
    private func log() {
        // A source that has a fix takes over in a moment.
        guard start != nil, !isWithheld, !sources.contains(where: { $0.state == .starting || $0.state == .fix }) else { return }
        // A source that waits or has ended by itself needs no attention.
        guard sources.contains(where: { $0.loss != nil && $0.loss != .ended }), told.count < SearchReporter.mostTold else { return }
        let search = search
        guard told.insert(search.why).inserted else { return }
        logger.warning("no position; tried \(search.why)")
        logger.warning("what to do: \(search.advice)")
        for command in search.commands { logger.warning("    \(command)") }
    }
}
