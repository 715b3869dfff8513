import Waypost
import WaypostControl

/// What `waypost monitor` knows about the tracker, from the lines that it receives.
struct MonitorState {
    /// The last answer to `status`.
    private(set) var status: StatusReport?
    /// The current position and the monotonic millisecond at which it came; nil while there is none.
    private(set) var position: (value: Position, at: Int64)?
    /// Where that position is on the roads, or that it is on none; nil while positions are put on no roads.
    private(set) var match: MatchedLine?
    /// Why there is no position, and since when.
    private(set) var loss: (value: PositionLoss, at: Int64)?
    /// The satellites in view.
    private(set) var sky: SkyView?
    /// The fences with the nearest borders, nearest first.
    private(set) var fences: [FenceEntry] = []
    /// The last events, newest first.
    private(set) var events: [TrackerEvent] = []
    /// How many lines were left out because this program was too slow.
    private(set) var droppedCount = 0
    /// The monotonic millisecond at which the last line came.
    private(set) var heardAt: Int64

    /// Whether this user may not know the position any more.
    private(set) var isRevoked = false

    private static let mostEvents = 100

    /// - Parameter now: the monotonic clock, milliseconds.
    init(at now: Int64) {
        heardAt = now
    }

    /// Takes a line of the tracker.
    ///
    /// - Parameters:
    ///   - line: the line, without its line feed; one that cannot be understood, perhaps from a later version, changes nothing.
    ///   - now: the monotonic clock, milliseconds.
    mutating func process(_ line: [UInt8], at now: Int64) {
        heardAt = now
        guard let news = try? WatchLine(line: line) else { return }  // See above.
        switch news {
        case .position(let watched) where !watched.isCached: (position, loss) = ((watched.position, now), nil)
        case .lost(let loss): (position, match, self.loss, sky) = (nil, nil, (loss, now), nil)
        case .matched(let match): self.match = match
        case .sky(let sky): self.sky = sky
        case .event(let event): note([event])
        case .dropped(let lines): droppedCount += lines.count
        case .other(StatusReport.className): if let report = try? StatusReport(line: line) { note(report, at: now) }  // See above.
        case .other(FenceList.className): if let list = try? FenceList(line: line) { fences = list.fences ?? [] }  // See above.
        case .authorisation(let authorisation):
            isRevoked = !authorisation.level.isAllowed
            if authorisation.level != .full { (position, match, sky, fences, events) = (nil, nil, nil, [], []) }
        case .position, .noFix, .other: break
        }
    }

    /// Whether this user may know only roughly where the device is: the tracker says nothing else to such a user.
    var isRough: Bool { status.map { $0.problems == nil } ?? false }

    /// Whether the distances of fences may be asked for.
    var hasFences: Bool { (status?.fences?.count ?? 0) > 0 }

    private mutating func note(_ report: StatusReport, at now: Int64) {
        let isFirst = status == nil
        status = report
        if isFirst { note(report.fences?.events ?? []) }
        // A position that came before the watch began, or one that may not be seen any more.
        if isFirst, let known = report.position { position = (known, now) }
        if report.position == nil, report.source?.state != .fix { (position, match) = (nil, nil) }
        if report.roads?.isMatching != true { match = nil }
        if !hasFences { fences = [] }
    }

    private mutating func note(_ news: [TrackerEvent]) {
        for event in news where !events.contains(where: { $0.id == event.id }) { events.insert(event, at: 0) }
        events = Array(events.prefix(MonitorState.mostEvents))
    }
}
