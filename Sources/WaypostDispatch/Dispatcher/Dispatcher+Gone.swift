import WaypostSystem

// Positions that are no longer in the log.
extension Dispatcher {
    /// Notes that positions were removed from the log: those that a destination still lacks are counted as dropped for it.
    ///
    /// Positions on their way or read for a destination may arrive and are not counted.
    /// - Parameter gone: the numbers of positions, and of nothing else.
    /// - Returns: the highest number of missing positions of any destination.
    public func noteGone(_ gone: [PositionCursor.Stretch]) async -> Int {
        var counts: [String: Int] = [:]
        for worker in attached { counts[worker.settings.name] = await worker.missingCount(of: gone) }
        do throws(OutboxError) {
            for state in try await outbox.destinations() where counts[state.name] == nil && state.takesPositions {
                counts[state.name] = state.missingCount(of: gone, except: [])
            }
            try await outbox.countDropped(counts)
        } catch {
            // It is reported all the same; only the destinations' own counts lack it.
        }
        return counts.values.max() ?? 0
    }
}

extension DestinationWorker {
    /// How many of these positions it still has to get and has not read yet.
    func missingCount(of gone: [PositionCursor.Stretch]) -> Int {
        guard settings.sendsPositions else { return 0 }
        let read = [DispatchLane.live, .history].flatMap { reading.queues[$0]?.items.map(\.number) ?? [] }
        return progress.missingCount(of: gone, except: Set(read))
    }
}

extension DestinationState {
    fileprivate func missingCount(of gone: [PositionCursor.Stretch], except known: Set<UInt64>) -> Int {
        gone.reduce(0) { count, stretch in
            guard stretch.through > positions.first else { return count }
            let numbers = max(stretch.after, positions.first)..<stretch.through
            return count + numbers.count { positions.has($0 + 1) && !settledPositions.contains($0 + 1) && !known.contains($0 + 1) }
        }
    }
}

extension Outbox {
    /// Counts positions that destinations will never get.
    func countDropped(_ counts: [String: Int]) throws(OutboxError) {
        try use { (store) throws(SQLiteError) in
            for (name, count) in counts where count > 0 {
                try store.database.run(
                    "UPDATE destination SET dropped = dropped + ? WHERE name = ?", [.integer(Int64(count)), .text(name)])
            }
        }
    }
}
