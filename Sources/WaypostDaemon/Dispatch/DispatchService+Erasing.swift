import Logging
import Synchronization
import Waypost
import WaypostDispatch
import WaypostKit
import WaypostRecording

extension DispatchService {
    /// Forgets the events of that time that the outbox has not accepted yet.
    func forget(from: UTCTime, to: UTCTime) async { await feeder?.forget(from: from, to: to) }

    /// Erases a time also from earlier logs from which something may still be to be sent.
    ///
    /// - Returns: what was erased, and the folders that still have it: nothing more is sent from these, now or later.
    func eraseEarlier(from: UTCTime, to: UTCTime) async -> (erased: LogErasure, left: [String]) {
        let supply = line.state.withLock { $0.supply }
        var (erased, left) = await supply?.erase(from: from, to: to) ?? (LogErasure(), [])
        let known = opening?.knownLogs
        let reached = supply?.earlierFolders ?? []
        for folder in known?.read().dropFirst() ?? [] where !reached.contains(folder) {
            left.append((folder, .cannotRead(path: folder, cause: .isMissing(folder))))
        }
        for (folder, reason) in left {
            known?.forget(folder)
            line.state.withLock { state in state.folders.removeAll { $0 == folder } }
            logger.error("\(DispatchOpening.words(notErasedIn: folder, reason))")
        }
        return (erased, left.map(\.folder))
    }

    /// Removes the damaged outboxes that were set aside, which may have anything that ever waited, and reports what is removed.
    func removeAside() async throws(OutboxError) {
        let path = DispatchOpening.path(in: stateFolder)
        let removed =
            if let outbox = dispatcher?.outbox { try await outbox.removeAside() } else { try OutboxAside.remove(ofOutbox: path) }
        for path in removed { logger.notice("\(path) is removed: it may have had what was erased") }
    }
}
