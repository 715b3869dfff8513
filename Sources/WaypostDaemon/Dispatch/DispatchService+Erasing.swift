import Logging
import Waypost
import WaypostDispatch
import WaypostKit

extension DispatchService {
    /// Forgets the events of that time that the outbox has not accepted yet.
    func forget(from: UTCTime, to: UTCTime) async { await feeder?.forget(from: from, to: to) }

    /// Removes the damaged outboxes that were set aside, which may have anything that ever waited, and reports what is removed.
    func removeAside() async throws(OutboxError) {
        let path = DispatchOpening.path(in: stateFolder)
        let removed =
            if let outbox = dispatcher?.outbox { try await outbox.removeAside() } else { try OutboxAside.remove(ofOutbox: path) }
        for path in removed { logger.notice("\(path) is removed: it may have had what was erased") }
    }
}
