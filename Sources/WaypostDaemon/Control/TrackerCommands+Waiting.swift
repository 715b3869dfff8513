import Logging
import Waypost
import WaypostConfiguration
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
        if tracker.isRemoved(destination) { await tracker.dispatches.detach(destination) }
        let count: Int
        do throws(OutboxError) { count = try await dispatcher.discard(destination) } catch { throw ControlRefusal(error) }
        tracker.logger.notice(
            "\(counted(count, "event")) and all positions that waited for \(destination) are dropped (user \(caller.peer.userID))")
        return Answer(count: count)
    }
}

extension TrackerCommands {
    /// Whether a destination of this run was removed from the configuration; false when that cannot be read.
    fileprivate func isRemoved(_ destination: String) -> Bool {
        do throws(ConfigurationErrors) {
            let loaded = try Configuration.load(path: configurationFile, paths: .own)
            return !loaded.configuration.destinations.contains { $0.name == destination && $0.isInUse }
        } catch {
            return false
        }
    }
}
