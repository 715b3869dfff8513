import Waypost
import WaypostControl

/// Makes updates of a watch's lines, and drops those that an earlier connection has already delivered.
///
/// - Cost: the last position and the ids of the last ``eventCount`` events are kept.
struct WatchMemory: Sendable {
    /// How many events are remembered; a restarted tracker usually repeats no more than its last twenty.
    static let eventCount = 256

    private var last: Position?
    /// Whether this connection has delivered a position.
    private var hasPosition = false
    private var eventIDs: Set<String> = []
    /// Those that this connection's status had, and that happened before: only a line of this connection can make news of them.
    private var listed: [String] = []
    /// The same ids as a ring, in the order in which they came, starting at `oldest`.
    private var order: [String] = []
    private var oldest = 0

    /// Notes that another connection begins.
    mutating func begin() {
        hasPosition = false
        for id in listed { _ = isNew(id) }
        listed = []
    }

    /// The update of a line; nil if it has none, or one that was delivered before.
    mutating func update(_ line: WatchLine) -> TrackerUpdate? {
        switch line {
        case .position(let watched): isNew(watched) ? .position(watched) : nil
        case .matched(let line): .matched(line)
        case .noFix(let report): .noFix(report)
        case .sky(let view): .sky(view)
        case .event(let event): isNew(event.id) ? .event(event) : nil
        case .lost(let loss): .lost(loss)
        case .dropped(let dropped): .missed(dropped.count)
        case .authorisation(let authorisation): .authorisation(authorisation)
        case .other: nil
        }
    }

    /// Those of a tracker's last events that are news: of the newest ones, up to a number, those that no connection has delivered.
    ///
    /// A tracker that has restarted reports what happened to fences meanwhile with its first fix, perhaps before the loop is connected again.
    mutating func missed(of events: [TrackerEvent], newest count: Int) -> [TrackerEvent] {
        listed += events.dropLast(count).map(\.id)
        return events.suffix(count).filter { isNew($0.id) }
    }

    private mutating func isNew(_ watched: WatchedPosition) -> Bool {
        let position = watched.position
        defer { hasPosition = true }
        if let last {
            // A last known position is a repetition unless it came while there was no connection.
            if watched.isCached, !isLater(position, than: last) { return false }
            if !hasPosition, position.time == last.time, position.coordinate == last.coordinate { return false }
        }
        last = position
        return true
    }

    private func isLater(_ position: Position, than last: Position) -> Bool {
        guard let time = position.time, let before = last.time else { return position.coordinate != last.coordinate }
        return time > before
    }

    private mutating func isNew(_ id: String) -> Bool {
        guard eventIDs.insert(id).inserted else { return false }
        if order.count < WatchMemory.eventCount {
            order.append(id)
        } else {
            eventIDs.remove(order[oldest])
            order[oldest] = id
            oldest = (oldest + 1) % WatchMemory.eventCount
        }
        return true
    }
}
