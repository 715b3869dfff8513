import Logging
import Waypost
import WaypostControl
import WaypostDispatch
import WaypostSystem

// What waits for a destination, told or taken elsewhere.

extension ExportQueueRequest: TrackerVerb {
    /// So many records are in one answer: some 400 kB.
    private static let recordsShown = 1_000

    func answer(by tracker: TrackerCommands, to caller: ControlCaller) async throws(ControlRefusal) -> Answer {
        let dispatcher = try tracker.openDispatcher()
        do throws(OutboxError) {
            let page = try await dispatcher.waiting(for: destination, after: cursor, limit: ExportQueueRequest.recordsShown)
            return Answer(records: page.records.map { JSONText(bytes: NativeFormat.line(of: $0)) }, next: page.next)
        } catch {
            throw ControlRefusal(error)
        }
    }
}

extension MoveQueueRequest: TrackerVerb {
    func answer(by tracker: TrackerCommands, to caller: ControlCaller) async throws(ControlRefusal) -> Answer {
        let dispatcher = try tracker.openDispatcher()
        if destination == target {
            throw ControlRefusal(.badRequest, what: "destination \"\(destination)\"", why: "is named twice", next: "name two")
        }
        do throws(OutboxError) { try await dispatcher.move(destination, to: target) } catch { throw ControlRefusal(error) }
        tracker.logger.notice("what waits for \(destination) waits for \(target) now (user \(caller.peer.userID))")
        return Answer(count: 1)
    }
}

extension DiscardQueueRequest: TrackerVerb {
    func answer(by tracker: TrackerCommands, to caller: ControlCaller) async throws(ControlRefusal) -> Answer {
        let dispatcher = try tracker.openDispatcher()
        let count: Int
        do throws(OutboxError) { count = try await dispatcher.discard(destination) } catch { throw ControlRefusal(error) }
        tracker.logger.notice(
            "\(counted(count, "event")) and all positions that waited for \(destination) are dropped (user \(caller.peer.userID))")
        return Answer(count: count)
    }
}
