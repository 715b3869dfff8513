import Logging
import Waypost
import WaypostPositioning
import WaypostSystem

/// Follows the attempts to find a position, and reports them in the log of messages: each once until a fix ends the search.
///
/// A receiver that sends without a fix is reported after a minute, and then ever more rarely.
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
    private var sky: (used: Int, seen: Int)?
    /// After how long without a position a receiver that sends is reported the next time, milliseconds.
    private var reminderAt = SearchReporter.firstReminder
    private let now: @Sendable () -> Int64

    /// How many different reports are written until a fix arrives.
    private static let mostTold = 20

    private static let firstReminder: Int64 = 60_000
    // Longer than a cold start takes.
    private static let secondReminder: Int64 = 900_000
    private static let longestPause: Int64 = 86_400_000

    /// - Parameter now: the monotonic clock, milliseconds.
    init(
        source: String, surroundings: PositionSearch.Surroundings, logger: Logger,
        now: @escaping @Sendable () -> Int64 = { MonotonicClock.milliseconds }
    ) {
        self.surroundings = surroundings
        self.logger = logger
        whole = SourceMember(name: source, state: .starting, isActive: true)
        self.now = now
        start = now()
    }

    /// The current search; nil while there is a position.
    var report: Report? {
        guard let start, !isWithheld else { return nil }
        return Report(search: search, milliseconds: now() - start)
    }

    private var search: PositionSearch { PositionSearch(sources, in: surroundings) }
    private var sources: [SourceMember] { members.isEmpty ? [whole] : members }

    func consume(_ update: PositioningUpdate) {
        switch update {
        case .position:
            whole.state = .fix
            (start, isWithheld, told, reminderAt) = (nil, false, [], SearchReporter.firstReminder)
        case .lost(.withheld): isWithheld = true
        case .lost(let reason):
            isWithheld = false
            lose(reason)
        case .status(.stillLost(let reason)): lose(reason)
        case .status(.shownAgain(let reason)): goOn(after: reason)
        case .status(.connected(let peer)): whole.peer = peer
        case .status(.members(let members)):
            self.members = members
            log()
        case .noFix:
            whole.state = .searching
            remind()
        case .sky(let view): sky = (view.satellites.count { $0.isUsed }, view.satellites.count)
        case .finished, .failed: whole.state = .ended
        case .matched, .paused, .resumed, .significantChange, .stationary, .status(.warning), .status(.switched): break
        }
    }

    /// Positions are no longer withheld, and the next one is awaited.
    private func goOn(after reason: LossReason?) {
        isWithheld = false
        if let reason { return lose(reason) }
        if whole.state == .fix { whole.state = .starting }
        if start == nil { start = now() }
    }

    private func lose(_ reason: LossReason) {
        // The other side answers, and has had no time to send.
        let isAnswer = reason == .silent && whole.loss?.isOfTheConnection == true
        whole.state = isAnswer ? .starting : .lost(reason)
        if case .disconnected = reason { whole.peer = nil }
        if reason != .noFix { sky = nil }
        if start == nil { start = now() }
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
        write(search, "no position; tried \(search.why)")
    }

    /// Reports a receiver that sends, but has no fix: after a minute, which is the time of a cold start under an open sky, and then rarely.
    private func remind() {
        guard let start, !isWithheld, now() - start >= reminderAt else { return }
        guard
            let receiver = sources.first(where: {
                ($0.state == .searching || $0.loss == .noFix) && SourceRegistry.kind(named: $0.name)?.isPlayed != true
            })
        else { return }
        reminderAt =
            reminderAt < SearchReporter.secondReminder
            ? SearchReporter.secondReminder : reminderAt + min(3 * reminderAt, SearchReporter.longestPause)
        let search = search
        let words = PositionSearch.satelliteWords(used: sky?.used, seen: sky?.seen).map { " (\($0))" } ?? ""
        let tried = search.attempts.map { "\($0.source): \($0.found)\($0.source == receiver.name ? words : "")" }.joined(separator: "; ")
        write(search, "no position for \(spanText(seconds: (now() - start) / 1_000)); tried \(tried)")
    }

    private func write(_ search: PositionSearch, _ found: String) {
        logger.warning("\(found)")
        logger.warning("what to do: \(search.advice)")
        for command in search.commands { logger.warning("    \(command)") }
    }
}
