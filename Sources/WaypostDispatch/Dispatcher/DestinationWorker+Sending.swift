import Waypost
import WaypostSystem

// Which records are sent next, and what happens to them.
extension DestinationWorker {
    private var batchCount: Int { max(1, min(settings.batchCount, destination.maximumBatchCount)) }

    private var lanes: [DispatchLane] { [.events] + positionLanes }
    private var positionLanes: [DispatchLane] { settings.sendsPositions ? [.live, .history] : [] }

    /// Sends the next batch of the first kind with records to send, in the order of the turns.
    ///
    /// - Parameter newest: the newest records that may be sent; nil for any, in which case the order `live` applies anew.
    func sendNext(through newest: NewestWaiting?) async -> RunEnding {
        if let lane = lanes.first(where: { reading.queues[$0]?.unsaved != nil }) {
            let ending = await keepSettled(lane, ending: .sent)
            if case .sent = ending { noteReceipt(of: lane) }
            return ending
        }
        do throws(ReadingFailure) {
            if newest == nil { try await letNewestGoFirst() }
            var held: String?
            for kind in turns.order {
                let start = clock.bootMilliseconds()
                let ending =
                    switch kind {
                    case .deadLetters: try await sendDeadLetter()
                    case .events: try await sendNext(of: [.events], through: newest, &held)
                    case .positions: try await sendNext(of: positionLanes, through: newest, &held)
                    }
                guard let ending else { continue }
                // A cancelled attempt is not the server's fault.
                if !Task.isCancelled {
                    turns.note(ending, of: kind, milliseconds: clock.bootMilliseconds() - start, using: &generator)
                }
                return ending
            }
            guard let held else { return .empty }
            return .denied(reason: "refuses the only records that wait: \(held); they are tried again with the next ones")
        } catch {
            return .failed(reason: error.reason, isUnreachable: false, retryAfter: nil)
        }
    }

    /// Sends the next batch of the first of these lanes with records to send; nil when there are none.
    ///
    /// - Parameter held: gets the reason of the first lane that is held.
    private func sendNext(
        of lanes: [DispatchLane], through newest: NewestWaiting?, _ held: inout String?
    ) async throws(ReadingFailure) -> RunEnding? {
        for lane in lanes {
            var queue = reading.queues[lane] ?? LaneQueue(lane: lane)
            try await fill(&queue)
            reading.queues[lane] = queue
            let count = newest.map { queue.count(through: $0.number(in: lane)) } ?? queue.items.count
            if queue.items.isEmpty { vainSince[lane] = nil }
            if count == 0 { continue }
            guard case .send(let range) = queue.rule.plan(count: count) else {
                held = held ?? queue.rule.refusal ?? "without a word"
                reading.queues[lane]?.rule.pause()
                continue
            }
            if settings.isDryRun { return .dryRun(count: queue.items.count) }
            let ending = await send(range, of: lane)
            await settleLate()
            return ending
        }
        return nil
    }

    /// A failure of the disk, not of the server.
    struct ReadingFailure: Error {
        var reason: String
    }

    private func send(_ range: Range<Int>, of lane: DispatchLane) async -> RunEnding {
        let now = clock.confirmedTime()
        reading.queues[lane]?.noteLate(range, before: now.flatMap { settings.cutoff?.last(before: $0) }, by: outbox.time(of:))
        guard let items = reading.queues[lane]?.items[range] else { return .empty }
        var (records, places, unsaid) = ([DispatchRecord](), [String: Int](), Set<Int>())
        // Records that cannot be read any more, or that the destination's format cannot express, are settled with the others.
        for (place, item) in zip(range, items) {
            guard var record = item.record, record.isMeant(for: settings.name), destination.carries(record) else {
                unsaid.insert(place)
                continue
            }
            record.isLate = item.isLate
            if let moment = item.moment {
                record.age = clock.age(of: moment)
                if record.time == nil { record.takenAt = outbox.time(of: moment) }
            } else {
                record.age = record.time.flatMap(clock.age(of:))
            }
            records.append(record)
            places[record.id] = place
        }
        let batch = DispatchBatch(device: device, time: now, records: records)
        let withheld = records.isEmpty ? [] : Set(destination.withheld(from: batch).compactMap { places[$0] })
        reading.queues[lane]?.noteUnsaid(unsaid.union(withheld), among: range)
        guard !records.isEmpty else { return await accept(unsaid, of: lane, refusing: [:], answer: "", ending: .skipped) }
        let isTelling = withheld.count < records.count
        inFlight = Set(records.map(\.id))
        defer { inFlight = [] }
        // Before the destination gets it.
        if records.contains(where: { $0.takenAt != nil }) { await outbox.keepBootMoment() }
        let start = clock.bootMilliseconds()
        let outcome = await deliver(batch)
        if outcome.isVain, !Task.isCancelled { vainSince[lane] = vainSince[lane] ?? start }
        switch outcome {
        case .delivered(let refused, let answer):
            let ending = await accept(
                range, of: lane, refusing: DestinationWorker.refused(refused, among: places), answer: answer,
                ending: isTelling ? .sent : .skipped)
            if case .sent = ending { noteReceipt(of: lane) }
            return ending
        case .partly(let received, let refused, let answer, let rest):
            let settled = Set(places.filter { received.contains($0.key) || refused[$0.key] != nil }.values)
            guard !settled.isEmpty else {
                if hasLateReceipts { return .skipped }
                return .failed(reason: "has taken nothing of what it was sent", isUnreachable: false, retryAfter: nil)
            }
            let ending = await accept(
                settled.union(unsaid), of: lane, refusing: DestinationWorker.refused(refused, among: places), answer: answer)
            guard case .sent = ending else { return ending }
            noteReceipt(of: lane)
            return DestinationWorker.ending(after: rest)
        case .temporary(let reason, let retryAfter): return .failed(reason: reason, isUnreachable: false, retryAfter: retryAfter)
        case .unreachable(let reason): return .failed(reason: reason, isUnreachable: true, retryAfter: nil)
        case .denied(let reason): return .denied(reason: reason)
        case .refused(let reason): return await refuse(range, of: lane, reason: reason)
        }
    }

    /// Sends a batch, and notes since when it is on its way.
    ///
    /// An attempt that does not end in its time, or when it is cancelled, is held by a library or by the system: it is left behind, and until it
    /// ends there is no other.
    private func deliver(_ batch: DispatchBatch) async -> DeliveryOutcome {
        let start = clock.bootMilliseconds()
        if let abandoned, abandoned.value == nil {
            return .temporary(reason: "an earlier attempt does not end; if that stays so, restart the tracker", retryAfter: nil)
        }
        abandoned = nil
        (attemptSince, vainAttempt) = (start, start)
        defer { attemptSince = nil }
        let attempt = AbandonableCall { [destination] in await destination.send(batch) }
        if let outcome = await attempt.value(within: settings.attemptLimit, grace: DestinationWorker.grace) { return outcome }
        abandoned = attempt
        let seconds = (clock.bootMilliseconds() - start) / 1_000
        return .temporary(reason: "the attempt did not end in \(spanText(seconds: seconds))", retryAfter: nil)
    }

    /// A destination ends within a second of being cancelled, unless something holds it.
    private static let grace = Duration.seconds(2)

    /// The places of the records that a server will never accept, with the reasons.
    private static func refused(_ refused: [String: String], among places: [String: Int]) -> [Int: String] {
        let found = refused.compactMap { id, reason in places[id].map { ($0, reason) } }
        return Dictionary(found) { first, _ in first }
    }

    /// How to continue after an accepted part; a record refused there comes first in the next batch.
    private static func ending(after rest: DeliveryOutcome?) -> RunEnding {
        switch rest {
        case nil, .delivered, .partly, .refused: .sent
        case .temporary(let reason, let retryAfter): .failed(reason: reason, isUnreachable: false, retryAfter: retryAfter)
        case .unreachable(let reason): .failed(reason: reason, isUnreachable: true, retryAfter: nil)
        case .denied(let reason): .denied(reason: reason)
        }
    }

    private func accept(
        _ places: some Collection<Int>, of lane: DispatchLane, refusing refused: [Int: String], answer: String, ending: RunEnding = .sent
    ) async -> RunEnding {
        let passed = places.filter { reading.queues[lane]?.items[$0].isUnsaid ?? false }
        let told = places.filter { !passed.contains($0) }
        reading.queues[lane]?.rule.pass(passed)
        if !told.isEmpty { reading.queues[lane]?.rule.accept(told, refusing: refused) }
        reading.queues[lane]?.answer = answer
        if refused.count < told.count {
            for other in reading.queues.keys where other != lane { reading.queues[other]?.rule.noteAcceptedElsewhere() }
        }
        return await keepSettled(lane, ending: ending)
    }

    private var hasLateReceipts: Bool { (destination as? any LateReceiptKeeper)?.hasLateReceipts ?? false }

    /// Settles the records of all lanes whose receipts came while a batch waited for others: nothing that was confirmed waits for another record.
    private func settleLate() async {
        guard let keeper = destination as? any LateReceiptKeeper else { return }
        // A lane whose last settlement is not stored yet takes its receipts after that.
        let lanes = reading.queues.filter { $0.value.unsaved == nil }
        let ids = keeper.hasLateReceipts ? Set(lanes.values.flatMap { $0.items.compactMap(\.record?.id) }) : []
        let late = keeper.takeLateReceipts(of: ids)
        if late.received.isEmpty, late.refused.isEmpty { return }
        for lane in lanes.keys {
            let items = reading.queues[lane]?.items ?? []
            let places = items.indices.filter { place in
                items[place].record.map { late.received.contains($0.id) || late.refused[$0.id] != nil } ?? false
            }
            if places.isEmpty { continue }
            let refused = places.compactMap { place in items[place].record.flatMap { late.refused[$0.id] }.map { (place, $0) } }
            // What cannot be stored now is stored before anything else is sent.
            let ending = await accept(
                places, of: lane, refusing: Dictionary(uniqueKeysWithValues: refused), answer: "receipt of the application")
            if case .sent = ending { noteReceipt(of: lane) }
        }
    }

    private func refuse(_ range: Range<Int>, of lane: DispatchLane, reason: String) async -> RunEnding {
        let isHeld = reading.queues[lane]?.rule.refuse(range, reason: reason) ?? false
        let ending = await keepSettled(lane, ending: .refused)
        if case .refused = ending, isHeld { return .denied(reason: "refuses everything: \(reason)") }
        return ending
    }

    private func keepSettled(_ lane: DispatchLane, ending: RunEnding) async -> RunEnding {
        let unsaved = reading.queues[lane]?.unsaved
        guard let settlement = unsaved ?? reading.queues[lane]?.takeSettlement(after: progress.sequence(of: lane)) else { return ending }
        do throws(OutboxError) {
            reading.queues[lane]?.unsaved = settlement
            try await settle(settlement)
            reading.queues[lane]?.unsaved = nil
            return ending
        } catch {
            // A program that ends before it is stored sends them again, under their ids.
            return .failed(reason: "\(error)", isUnreachable: false, retryAfter: nil)
        }
    }

    /// Sends a dead letter that is due for another attempt; nil when there is none.
    private func sendDeadLetter() async throws(ReadingFailure) -> RunEnding? {
        guard reading.mayHaveDueLetters, !settings.isDryRun else { return nil }
        do throws(OutboxError) {
            guard let letter = try await outbox.dueDeadLetters(of: settings.name, limit: 1).first else {
                reading.mayHaveDueLetters = false
                return nil
            }
            var record = letter.record
            record.age = record.time.flatMap(clock.age(of:))
            let batch = DispatchBatch(device: device, time: clock.confirmedTime(), records: [record])
            let isSaid = destination.carries(record) && destination.withheld(from: batch).isEmpty
            switch await deliver(batch) {
            case .delivered(let refused, let answer):
                if isSaid { noteReceipt(of: nil) }
                if let reason = refused[record.id] {
                    try await outbox.settle(deadLetter: letter, refusedBecause: reason)
                    noteRefused(1, reason: reason)
                } else {
                    try await outbox.settle(deadLetter: letter, answer: isSaid ? answer : Settlement.unsaid)
                    if isSaid { receivedCount += 1 }
                }
                return .sent
            case .refused(let reason):
                try await outbox.settle(deadLetter: letter, refusedBecause: reason)
                noteRefused(1, reason: reason)
                return .refused
            case .partly:
                if hasLateReceipts {
                    await settleLate()
                    return .skipped
                }
                return .failed(reason: "says that it has a part of one record", isUnreachable: false, retryAfter: nil)
            case .temporary(let reason, let retryAfter): return .failed(reason: reason, isUnreachable: false, retryAfter: retryAfter)
            case .unreachable(let reason): return .failed(reason: reason, isUnreachable: true, retryAfter: nil)
            case .denied(let reason): return .denied(reason: reason)
            }
        } catch {
            throw ReadingFailure(reason: "\(error)")
        }
    }

    // MARK: - Reading

    /// With the order `live`: when more than a batch waits, all but the newest records go to the history lane.
    private func letNewestGoFirst() async throws(ReadingFailure) {
        guard settings.order == .live, settings.sendsPositions else { return }
        let newest: UInt64
        do throws(PositionSupplyError) { newest = try await supply.newestNumber() } catch { throw ReadingFailure(reason: error.reason) }
        let batch = UInt64(batchCount)
        guard newest > progress.positions.live, newest - progress.positions.live > batch else { return }
        do throws(OutboxError) { try await leaveForLater(through: newest - batch) } catch { throw ReadingFailure(reason: "\(error)") }
    }

    /// Reads as many records as a plan may need.
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
        let after = queue.readThrough ?? progress.eventCursor
        let entries: [StoredEntry]
        do throws(OutboxError) { entries = try await outbox.entries(after: after, limit: limit) } catch {
            throw ReadingFailure(reason: "\(error)")
        }
        let items = zip(entries, [after] + entries.map(\.number)).map { entry, previous in
            LaneQueue.Item(
                number: entry.number, after: previous, sequence: entry.number, record: DispatchRecord(entry), moment: entry.moment)
        }
        queue.append(items, through: entries.last?.number ?? after, isAtEnd: entries.count < limit, settled: progress.settledEvents)
    }

    private func fillPositions(_ queue: inout LaneQueue, _ limit: Int) async throws(ReadingFailure) {
        guard let stretch = progress.positions.next(in: queue.lane, besides: absent) else {
            return queue.append([], through: queue.readThrough ?? 0, isAtEnd: true, settled: SettledAhead())
        }
        // After the first stretch there may be another one; it is read when this one is settled.
        let after = max(queue.readThrough ?? 0, stretch.after)
        if after >= stretch.through {
            queue.append([], through: after, isAtEnd: true, settled: SettledAhead())
            return try await passAbsent(after: stretch, &queue)
        }
        let page: PositionPage
        do throws(PositionSupplyError) { page = try await supply.positions(after: after, through: stretch.through, limit: limit) } catch {
            throw ReadingFailure(reason: error.reason)
        }
        var sequence = queue.readSequence ?? progress.sequence(of: queue.lane)
        let items = zip(page.positions, [after] + page.positions.map(\.number)).map { numbered, previous in
            sequence += 1
            // What is lost before it is not among what a receipt is for.
            let lost = page.missing.last { previous < $0.through && $0.through < numbered.number }
            return LaneQueue.Item(
                number: numbered.number, after: lost?.through ?? previous, sequence: sequence,
                record: DispatchRecord(numbered, lane: queue.lane, sequence: sequence))
        }
        let isAtEnd = page.positions.count < limit
        queue.append(
            items, missing: page.missing, through: isAtEnd && queue.lane == .history ? stretch.through : max(after, page.through),
            isAtEnd: isAtEnd,
            settled: progress.settledPositions)
        // A stretch without any position left is done.
        if queue.items.isEmpty, isAtEnd, queue.lane == .history {
            let count = sequence - progress.sequence(of: .history)
            var settlement = Settlement(lane: .history, through: stretch.through, count: count, sentCount: 0)
            settlement.missing = queue.takeMissing(through: stretch.through)
            do throws(OutboxError) {
                try await settle(settlement)
            } catch {
                reading.queues[.history] = nil
                throw ReadingFailure(reason: "\(error)")
            }
            queue = LaneQueue(lane: .history)
        }
        try await passAbsent(after: stretch, &queue)
    }

    /// Leaves what cannot be read now for a later run, when the live lane has come to it.
    private func passAbsent(after stretch: PositionCursor.Stretch, _ queue: inout LaneQueue) async throws(ReadingFailure) {
        guard queue.lane == .live, queue.items.isEmpty, queue.isAtEnd, let gap = absent.first(where: { stretch.after < $0.through }),
            gap.after <= stretch.through
        else { return }
        do throws(OutboxError) { try await leaveForLater(through: gap.through) } catch { throw ReadingFailure(reason: "\(error)") }
        queue = LaneQueue(lane: .live)
    }
}
