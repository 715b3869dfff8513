import Waypost
import WaypostSystem

// What is sent next, and what becomes of it.
extension DestinationWorker {
    private var batchCount: Int { max(1, min(settings.batchCount, destination.maximumBatchCount)) }

    private var lanes: [DispatchLane] { settings.sendsPositions ? [.events, .live, .history] : [.events] }

    /// Sends the next batch of the first lane that has something to send.
    func sendNext() async -> RunEnding {
        do throws(ReadingFailure) {
            if let ending = try await sendDeadLetter() { return ending }
            try await letNewestGoFirst()
            var isHeld = false
            for lane in lanes {
                var queue = queues[lane] ?? LaneQueue(lane: lane)
                try await fill(&queue)
                queues[lane] = queue
                if queue.items.isEmpty { continue }
                guard case .send(let range) = queue.rule.plan(count: queue.items.count) else {
                    queues[lane]?.rule.hold()
                    isHeld = true
                    continue
                }
                if settings.isDryRun { return .dryRun(count: queue.items.count) }
                return await send(range, of: lane)
            }
            return isHeld ? .denied(reason: "refuses the only records that wait; they are tried again with the next ones") : .empty
        } catch {
            return .failed(reason: error.reason, isUnreachable: false, retryAfter: nil)
        }
    }

    /// The disk's fault, not the server's.
    struct ReadingFailure: Error {
        var reason: String
    }

    private func send(_ range: Range<Int>, of lane: DispatchLane) async -> RunEnding {
        let now = clock.confirmedTime()
        queues[lane]?.noteLate(range, before: now.flatMap { settings.cutoff?.last(before: $0) })
        guard let items = queues[lane]?.items[range] else { return .empty }
        let records = items.compactMap { item -> DispatchRecord? in
            guard var record = item.record else { return nil }
            record.isLate = item.isLate
            if let moment = item.moment { record.age = clock.age(of: moment) } else { record.age = record.time.flatMap(clock.age(of:)) }
            return record
        }
        // What cannot be read any more is behind us.
        guard !records.isEmpty else { return await accept(range, of: lane, refusing: [:], answer: "unreadable") }
        let batch = DispatchBatch(device: device, time: now, records: records)
        inFlight = Set(records.map(\.id))
        defer { inFlight = [] }
        switch await destination.send(batch) {
        case .delivered(let refused, let answer):
            noteReceipt()
            var refusedPlaces: [Int: String] = [:]
            for (index, item) in zip(range, items) {
                if let id = item.record?.id, let reason = refused[id] { refusedPlaces[index] = reason }
            }
            return await accept(range, of: lane, refusing: refusedPlaces, answer: answer)
        case .partly(let count, let answer, let rest):
            noteReceipt()
            let ending = await accept(range.lowerBound..<items.end(ofFirst: count), of: lane, refusing: [:], answer: answer)
            guard case .sent = ending else { return ending }
            return DestinationWorker.ending(after: rest)
        case .temporary(let reason, let retryAfter): return .failed(reason: reason, isUnreachable: false, retryAfter: retryAfter)
        case .unreachable(let reason): return .failed(reason: reason, isUnreachable: true, retryAfter: nil)
        case .denied(let reason): return .denied(reason: reason)
        case .refused(let reason): return await refuse(range, of: lane, reason: reason)
        }
    }

    /// How it goes on behind a part that was accepted; what was refused there comes first in the next batch.
    private static func ending(after rest: DeliveryOutcome?) -> RunEnding {
        switch rest {
        case nil, .delivered, .partly, .refused: .sent
        case .temporary(let reason, let retryAfter): .failed(reason: reason, isUnreachable: false, retryAfter: retryAfter)
        case .unreachable(let reason): .failed(reason: reason, isUnreachable: true, retryAfter: nil)
        case .denied(let reason): .denied(reason: reason)
        }
    }

    private func accept(_ range: Range<Int>, of lane: DispatchLane, refusing refused: [Int: String], answer: String) async -> RunEnding {
        queues[lane]?.rule.accept(range, refusing: refused)
        queues[lane]?.answer = answer
        if refused.count < range.count {
            for other in queues.keys where other != lane { queues[other]?.rule.noteAcceptedElsewhere() }
        }
        return await keepSettled(lane, ending: .sent)
    }

    private func refuse(_ range: Range<Int>, of lane: DispatchLane, reason: String) async -> RunEnding {
        let isHeld = queues[lane]?.rule.refuse(range, reason: reason) ?? false
        let ending = await keepSettled(lane, ending: .refused)
        if case .refused = ending, isHeld { return .denied(reason: "refuses everything: \(reason)") }
        return ending
    }

    private func keepSettled(_ lane: DispatchLane, ending: RunEnding) async -> RunEnding {
        guard let settlement = queues[lane]?.takeSettlement() else { return ending }
        do throws(OutboxError) {
            try await settle(settlement)
            return ending
        } catch {
            return .failed(reason: "\(error)", isUnreachable: false, retryAfter: nil)
        }
    }

    /// Sends a dead letter that somebody wants tried once more; nil when there is none.
    private func sendDeadLetter() async throws(ReadingFailure) -> RunEnding? {
        guard mayHaveDueLetters, !settings.isDryRun else { return nil }
        do throws(OutboxError) {
            guard let letter = try await outbox.dueDeadLetters(of: settings.name, limit: 1).first else {
                mayHaveDueLetters = false
                return nil
            }
            var record = letter.record
            record.age = record.time.flatMap(clock.age(of:))
            switch await destination.send(DispatchBatch(device: device, time: clock.confirmedTime(), records: [record])) {
            case .delivered(let refused, _):
                noteReceipt()
                try await outbox.settle(deadLetter: letter.number, refusedBecause: refused[record.id])
                return .sent
            case .refused(let reason):
                try await outbox.settle(deadLetter: letter.number, refusedBecause: reason)
                return .refused
            case .partly: return .failed(reason: "says that it has a part of one record", isUnreachable: false, retryAfter: nil)
            case .temporary(let reason, let retryAfter): return .failed(reason: reason, isUnreachable: false, retryAfter: retryAfter)
            case .unreachable(let reason): return .failed(reason: reason, isUnreachable: true, retryAfter: nil)
            case .denied(let reason): return .denied(reason: reason)
            }
        } catch {
            throw ReadingFailure(reason: "\(error)")
        }
    }

    // MARK: - Reading

    /// With the order `live`: when more than a batch waits, all but the newest go to the history lane.
    private func letNewestGoFirst() async throws(ReadingFailure) {
        guard settings.order == .live, settings.sendsPositions else { return }
        let newest: UInt64
        do throws(PositionSupplyError) { newest = try await supply.newestNumber() } catch { throw ReadingFailure(reason: error.reason) }
        let batch = UInt64(batchCount)
        guard newest > state.positions.live, newest - state.positions.live > batch else { return }
        do throws(OutboxError) { try await leaveForLater(through: newest - batch) } catch { throw ReadingFailure(reason: "\(error)") }
    }

    /// Reads as many records as a plan may want.
    private func fill(_ queue: inout LaneQueue) async throws(ReadingFailure) {
        while queue.items.count < queue.wanted(for: batchCount), !queue.isAtEnd {
            let limit = queue.wanted(for: batchCount) - queue.items.count
            switch queue.lane {
            case .events: try await fillEvents(&queue, limit)
            case .live, .history: try await fillPositions(&queue, limit)
            }
        }
    }

    private func fillEvents(_ queue: inout LaneQueue, _ limit: Int) async throws(ReadingFailure) {
        let after = queue.readThrough ?? state.eventCursor
        let entries: [StoredEntry]
        do throws(OutboxError) { entries = try await outbox.entries(after: after, limit: limit) } catch {
            throw ReadingFailure(reason: "\(error)")
        }
        let items = entries.map { LaneQueue.Item(number: $0.number, record: DispatchRecord($0), moment: $0.moment) }
        queue.append(items, through: entries.last?.number ?? after, isAtEnd: entries.count < limit)
    }

    private func fillPositions(_ queue: inout LaneQueue, _ limit: Int) async throws(ReadingFailure) {
        guard let stretch = state.positions.next(in: queue.lane) else {
            return queue.append([], through: queue.readThrough ?? 0, isAtEnd: true)
        }
        // Behind the first stretch is another one; it is read when this one is settled.
        let after = max(queue.readThrough ?? 0, stretch.after)
        if after >= stretch.through { return queue.append([], through: after, isAtEnd: true) }
        let page: PositionPage
        do throws(PositionSupplyError) { page = try await supply.positions(after: after, through: stretch.through, limit: limit) } catch {
            throw ReadingFailure(reason: error.reason)
        }
        let settled = state.sequence(of: queue.lane) + UInt64(queue.items.count)
        let items = page.positions.enumerated().map { index, numbered in
            LaneQueue.Item(
                number: numbered.number, record: DispatchRecord(numbered, lane: queue.lane, sequence: settled + UInt64(index) + 1))
        }
        let isAtEnd = page.positions.count < limit
        queue.append(
            items, through: isAtEnd && queue.lane == .history ? stretch.through : max(after, page.through), isAtEnd: isAtEnd)
        // A stretch without a position left in it is done.
        if queue.items.isEmpty, queue.lane == .history {
            do throws(OutboxError) {
                try await settle(Settlement(lane: .history, through: stretch.through, count: 0, sentCount: 0))
            } catch {
                throw ReadingFailure(reason: "\(error)")
            }
            queue = LaneQueue(lane: .history)
        }
    }
}

extension ArraySlice<LaneQueue.Item> {
    /// The place behind the first so many that are records; unreadable ones before it count for nothing.
    fileprivate func end(ofFirst count: Int) -> Int {
        var left = count
        for index in indices where self[index].record != nil {
            left -= 1
            if left <= 0 { return index + 1 }
        }
        return endIndex
    }
}
