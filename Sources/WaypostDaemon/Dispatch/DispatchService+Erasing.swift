import Logging
import Synchronization
import Waypost
import WaypostDispatch
import WaypostKit

extension DispatchService {
    /// Forgets the events of that time that the outbox has not accepted yet.
    func forget(from: UTCTime, to: UTCTime) async { await feeder?.forget(from: from, to: to) }

    /// Erases a time also from earlier logs, as far as positions are still sent from them; what cannot be erased is not sent.
    func eraseEarlier(from: UTCTime, to: UTCTime) async {
        guard let supply = line.state.withLock({ $0.supply }) else { return }
        for (folder, reason) in await supply.erase(from: from, to: to) {
            logger.error("\(DispatchOpening.words(notErasedIn: folder, reason))")
        }
    }

    /// Removes the damaged outboxes that were set aside, which may have anything that ever waited, and reports what is removed.
    func removeAside() async throws(OutboxError) {
        let path = DispatchOpening.path(in: stateFolder)
        let removed =
            if let outbox = dispatcher?.outbox { try await outbox.removeAside() } else { try OutboxAside.remove(ofOutbox: path) }
        for path in removed { logger.notice("\(path) is removed: it may have had what was erased") }
    }
}
