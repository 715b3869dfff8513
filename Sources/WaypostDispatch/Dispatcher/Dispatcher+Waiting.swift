import Waypost
import WaypostSystem

// Waiting records, read and moved: for destinations that were renamed or removed.
extension Dispatcher {
    /// Moves the waiting records of one destination, and its dead letters, to another.
    ///
    /// A destination that is not attached is then forgotten; an attached one begins anew with new records. Records that the other already had
    /// are sent again under their ids, because only one place in the queue is kept for each.
    /// - Parameters:
    ///   - name: the destination.
    ///   - other: must be attached.
    /// - Errors: `unknownDestination`; the outbox's.
    package func move(_ name: String, to other: String) async throws(OutboxError) {
        guard attached.contains(where: { $0.settings.name == other }) else { throw .unknownDestination(name: other) }
        guard name != other else { return }
        let newest = try await newestPosition()
        try await suspending([name, other]) { (place) async throws(OutboxError) in
            try await self.outbox.move(name, to: other, newestPosition: newest, isForgotten: place == nil)
        }
    }

    /// Drops the waiting records of a destination permanently; returns how many events it dropped.
    ///
    /// A destination that is not attached is forgotten with its dead letters; an attached one begins anew with new records.
    /// - Errors: `unknownDestination`; the outbox's.
    package func discard(_ name: String) async throws(OutboxError) -> Int {
        let count = try await outbox.state(of: name).waitingEventCount
        try await suspending([name]) { (newest) async throws(OutboxError) in
            if let newest { try await self.outbox.discard(name, newestPosition: newest) } else { try await self.outbox.forget(name) }
        }
        return count
    }

    /// The waiting records of a destination, attached or not: events, then positions, in order.
    ///
    /// - Parameters:
    ///   - name: the destination.
    ///   - place: the place after which to continue, from the previous page; nil for the beginning.
    ///   - limit: the largest number of records to return.
    /// - Errors: `unknownDestination`; the outbox's; `cannotAccess`, also when the log cannot be read.
    package func waiting(for name: String, after place: WaitingCursor?, limit: Int) async throws(OutboxError) -> WaitingPage {
        let state = try await outbox.state(of: name)
        var place = place ?? WaitingCursor(event: 0, position: 0)
        var page = WaitingPage(records: [], next: place)
        var (readCount, byteCount) = (0, 0)
        if try await outbox.isOptedOut() { return WaitingPage(records: [], next: nil) }
        place.event = max(place.event, state.eventCursor)
        while readCount < limit {
            let entries = try await outbox.entries(after: place.event, limit: min(limit - readCount, Dispatcher.entriesReadAtOnce))
            guard let last = entries.last else { break }
            place.event = last.number
            page.records += entries.compactMap { state.settledEvents.contains($0.number) ? nil : DispatchRecord($0) }
            readCount += entries.count
            byteCount += entries.reduce(0) { $0 + $1.body.count }
            if byteCount >= Dispatcher.pageByteCount {
                page.next = place
                return page
            }
        }
        let later: [PositionCursor.Stretch] = state.positions.isOpen ? [.init(after: state.positions.live, through: .max)] : []
        for stretch in state.positions.stretches + later {
            while readCount < limit, place.position < stretch.through {
                let found: PositionPage
                do throws(PositionSupplyError) {
                    found = try await supply.positions(
                        after: max(stretch.after, place.position), through: stretch.through, limit: limit - readCount)
                } catch { throw .cannotAccess(path: "the log", reason: error.reason) }
                if found.positions.isEmpty { break }
                readCount += found.positions.count
                let lane: DispatchLane = stretch.through == .max ? .live : .history
                page.records += found.positions.filter { !state.settledPositions.contains($0.number) }.map {
                    DispatchRecord($0, lane: lane, sequence: $0.number)
                }
                place.position = found.positions.last?.number ?? found.through
            }
        }
        page.next = readCount < limit ? nil : place
        return page
    }

    /// A page ends with the entry that brings it to this length, bytes: entries may have 32 kB.
    private static let pageByteCount = 1_000_000
    private static let entriesReadAtOnce = 20

    /// Erases unsent records that happened from one moment on until before another, dead letters too.
    ///
    /// Records on their way at that moment are given up: a server that is slow to confirm delays nothing.
    package func erase(from: UTCTime, to: UTCTime) async throws(OutboxError) {
        let outbox = outbox
        try await suspending(attached) { () throws(OutboxError) in _ = try await outbox.erase(from: from, to: to) }
    }

    /// Changes the queues of destinations while nothing is sent to them.
    ///
    /// - Parameter body: gets the number of the newest position when the first of them is attached, else nil.
    private func suspending(
        _ names: [String], _ body: @Sendable (UInt64?) async throws(OutboxError) -> Void
    ) async throws(OutboxError) {
        let isAttached = attached.contains { $0.settings.name == names.first }
        let newest = isAttached ? try await newestPosition() : nil
        try await suspending(attached.filter { names.contains($0.settings.name) }) { () throws(OutboxError) in try await body(newest) }
    }

    /// Changes the outbox while nothing of it is on its way; interrupted records are sent later, if they still wait.
    private func suspending(
        _ workers: [DestinationWorker], _ body: @Sendable () async throws(OutboxError) -> Void
    ) async throws(OutboxError) {
        for worker in workers { await worker.suspend() }
        var failure: OutboxError?
        do throws(OutboxError) { try await body() } catch { failure = error }
        for worker in workers {
            do throws(OutboxError) { try await worker.resume() } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }
}

/// A page of the records that wait for a destination.
package struct WaitingPage: Sendable, Hashable {
    /// The records; for a position, `sequence` is its number in the log.
    package var records: [DispatchRecord]
    /// Where the next page begins; nil when this is the last one.
    package var next: WaitingCursor?
}
