import NIOCore
import Waypost
import WaypostControl
import WaypostPositioning
import WaypostSystem

/// Sends every update to the open pages, and keeps the device followed while there are any.
///
/// Without an open page nothing is encoded, and nothing but the last few events is kept.
/// - Concurrency: pages come and go on the server's thread, updates on the manager's; a lock keeps both in order.
final class PageBroadcaster: PositioningConsumer {
    private struct State {
        var streamCount = 0
        var hub: NIOLoopBound<PageHub>?
        var hold: PositioningHold?
        var events: [(number: UInt64, event: TrackerEvent)] = []
        var eventCount: UInt64 = 0
    }

    private let state = Monitor(State())

    /// The tracker's run, which begins the id of an event.
    let run = String(UInt32.random(in: .min ... .max), radix: 16)

    /// How many events are kept for browsers that were away.
    private static let keptEvents = 64

    /// Where updates go, and where the need for positions is told.
    func open(_ hub: NIOLoopBound<PageHub>, hold: PositioningHold) {
        state.withLock { ($0.hub, $0.hold) = (hub, hold) }
    }

    /// How many pages are open; while there are any, every fix is needed.
    func setStreamCount(_ count: Int) {
        state.withLock { state in
            state.streamCount = count
            state.hold?.need = count > 0 ? .everyFix : nil
            state.hold?.needsMatches = count > 0
        }
    }

    /// How many pages are open.
    var streamCount: Int { state.withLock(\.streamCount) }

    /// The events after that one; nil when it is not of this run, or too old, so that some may be missing.
    func missed(after id: String?) -> [ServerSentEvent]? {
        guard let id, let number = ServerSentEvent.number(inID: id, run: run) else { return nil }
        return state.withLock { state in
            guard number <= state.eventCount, state.events.first.map({ $0.number <= number + 1 }) ?? true else { return nil }
            return state.events.filter { $0.number > number }.map { PageBroadcaster.encode($0.event, $0.number) }
        }
    }

    /// Tells the open pages an event.
    func deliver(_ event: TrackerEvent) {
        let (number, hub) = state.withLock { state in
            state.eventCount += 1
            state.events.append((state.eventCount, event))
            if state.events.count > PageBroadcaster.keptEvents { state.events.removeFirst() }
            return (state.eventCount, state.streamCount > 0 ? state.hub : nil)
        }
        guard let hub else { return }
        let encoded = PageBroadcaster.encode(event, number)
        hub.eventLoop.execute { hub.value.broadcast(encoded, mayBeMissed: false) }
    }

    /// Forgets the events of that stretch.
    func forget(_ stretch: Range<UTCTime>) {
        state.withLock { state in
            state.events.removeAll { entry in entry.event.time.map(stretch.contains) ?? false }
        }
    }

    /// Tells the open pages that something was erased from the log: what they show may be of it.
    func tellErased(_ stretch: Range<UTCTime>) {
        guard let hub = state.withLock({ $0.streamCount > 0 ? $0.hub : nil }) else { return }
        let text = ControlProtocol.object("ERASED") { json in
            json.member("since", stretch.lowerBound)
            json.member("until", stretch.upperBound)
        }
        let event = ServerSentEvent(name: "erased", data: text)
        hub.eventLoop.execute { hub.value.broadcast(event, mayBeMissed: false) }
    }

    func consume(_ update: PositioningUpdate) {
        guard let hub = state.withLock({ $0.streamCount > 0 ? $0.hub : nil }) else { return }
        var text = TextBuffer(capacity: 512)
        let name: StaticString
        var changesState = false
        switch update {
        case .position(let position):
            name = "position"
            TPVCodec.append(position, to: &text)
        case .matched(let match):
            let (whole, shown) = PageBroadcaster.encode(match)
            return hub.eventLoop.execute {
                hub.value.broadcast(whole, mayBeMissed: true, toOwners: true)
                hub.value.broadcast(shown, mayBeMissed: true, toOwners: false)
            }
        case .noFix(let report):
            name = "position"
            TPVCodec.append(report, to: &text)
        case .sky(let view):
            name = "sky"
            TPVCodec.append(view, to: &text)
        case .lost(let reason):
            name = "lost"
            text.append(contentsOf: PageRouter.lossLine(reason))
            changesState = true
        case .stationary, .paused, .resumed, .finished, .failed:
            return hub.eventLoop.execute { hub.value.report() }
        case .status, .significantChange: return
        }
        let event = ServerSentEvent(name: name, data: text.bytes)
        hub.eventLoop.execute { [changesState] in
            hub.value.broadcast(event, mayBeMissed: !changesState)
            if changesState { hub.value.report() }
        }
    }

    /// The place on a road as the owner sees it, and as guests do, who are not told which road it is.
    private static func encode(_ match: MatchedPosition?) -> (whole: ServerSentEvent, shown: ServerSentEvent) {
        var line = MatchedLine(match)
        let whole = ServerSentEvent(name: "matched", data: line.line)
        line.road = nil
        return (whole, ServerSentEvent(name: "matched", data: line.line))
    }

    private static func encode(_ event: TrackerEvent, _ number: UInt64) -> ServerSentEvent {
        var text = TextBuffer(capacity: 256)
        text.appendJSON { json in
            json.object { json in
                json.member("class", "EVENT")
                event.write(to: &json)
            }
        }
        return ServerSentEvent(name: "event", number: number, data: text.bytes)
    }
}
