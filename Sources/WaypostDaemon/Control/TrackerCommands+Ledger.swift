import Waypost
import WaypostControl
import WaypostDispatch
import WaypostKit
import WaypostRecording
import WaypostSystem

// What became of fixes and events.

extension LedgerRequest: TrackerVerb {
    func answer(by tracker: TrackerCommands, to caller: ControlCaller) async throws(ControlRefusal) -> Answer {
        try await tracker.ledger(query, until: until)
    }
}

extension TrackerCommands {
    /// So many records are in one answer.
    private static let pageCount = 500

    /// One record by its name, or a page of those from a moment on until before another.
    fileprivate func ledger(_ query: LedgerRequest.Query, until end: UTCTime?) async throws(ControlRefusal) -> LedgerRequest.Answer {
        do {
            switch query {
            case .record(let id): return TrackerCommands.answer(try await ledgerLines(id: id), next: nil)
            case .since(let time, .outbox(let number)): return try await outboxPage(since: time, until: end, after: number)
            case .since(let time, .log(let number)): return try await logPage(since: time, until: end, after: number)
            }
        } catch let error as PositionSupplyError {
            throw ControlRefusal(.inputOutput, what: "log", why: error.reason)
        } catch let error as OutboxError {
            throw ControlRefusal(error)
        } catch let error as RecordingError {
            throw ControlRefusal(error)
        } catch {
            throw ControlRefusal(.inputOutput, what: "ledger", why: "\(error)")
        }
    }

    private func ledgerLines(id: String) async throws -> [LedgerLine] {
        let log = try LogPositions(folder: logFolder, types: logTypes)
        if let entry = try await dispatches.dispatcher?.ledgerEntry(id: id) {
            var line = LedgerLine(entry)
            if case .event(let event) = entry.record.content { line.logNumber = try await log.event(id: id, at: event.time)?.sequence }
            return [line]
        }
        if let number = NumberedPosition.number(ofID: id) {
            let found = try await log.records(after: number - 1, since: nil, limit: 1)
            if let lost = found.first(where: { $0.hasLost(number) }) { return try await [line(ofLost: id, number, lost)].compactMap { $0 } }
            return try await lines(of: found).filter { $0.id == id }
        }
        let found = try await lines(of: [log.event(id: id, at: nil)].compactMap { $0.map(LoggedRecord.record) })
        guard found.isEmpty, let pass = TrackerCommands.passID(ofPart: id) else { return found }
        return try await ledgerLines(id: pass)
    }

    /// The id of a pass, of which some servers get two records; nil when it is not the id of one of them.
    private static func passID(ofPart id: String) -> String? {
        ["-enter", "-leave", "-2"].first { id.hasSuffix("-pass\($0)") }.map { String(id.dropLast($0.utf8.count)) }
    }

    /// The line of a position that is lost, with what became of it where it was received before; nil for one of another log.
    private func line(ofLost id: String, _ number: UInt64, _ record: LoggedRecord) async throws -> LedgerLine? {
        guard case .lost(let loss) = record, RecordOrigin(logFolder: logFolder.path).isOrigin(ofID: id) else { return nil }
        var line = LedgerLine(loss)
        (line.id, line.logNumber) = (id, number)
        let accounts = try await dispatches.dispatcher?.accounts(of: [.init(position: number, id: id)]).first ?? []
        line.accounts = accounts.map { account in
            var account = account
            switch account.fate {
            case .receipt, .refused, .dropped, .unwanted: break
            case .queued, .sent, .lost, .forgotten: account.fate = .lost
            }
            return account
        }
        return line
    }

    /// What was left out, and what is in the outbox alone: an application's events, health reports.
    private func outboxPage(since time: UTCTime, until end: UTCTime?, after number: UInt64) async throws -> LedgerRequest.Answer {
        var lines: [LedgerLine] = []
        if number == 0 {
            let stretches = logged.summary.filtered.stretches.filter { $0.to.map { $0 >= time } ?? true }
            // A stretch belongs to the moment at which it begins.
            lines = stretches.filter { stretch in stretch.from.map { from in end.map { from < $0 } ?? true } ?? true }.map(LedgerLine.init)
        }
        let entries =
            try await dispatches.dispatcher?.ledgerEntries(since: time, until: end, after: number, limit: TrackerCommands.pageCount) ?? []
        // Fence events are told as the log has them, if it has them.
        let logged = try await loggedEvents(among: entries)
        lines += entries.filter { if case .event(let event) = $0.record.content { !logged.contains(event.id) } else { true } }
            .map(LedgerLine.init)
        let isLast = entries.count < TrackerCommands.pageCount
        return TrackerCommands.answer(lines, next: isLast ? .log(0) : .outbox(entries.last?.record.sequence ?? number))
    }

    /// The ids of the fence events that the log has, of the time of those entries.
    private func loggedEvents(among entries: [LedgerEntry]) async throws -> Set<String> {
        let times = entries.compactMap { entry in if case .event(let event) = entry.record.content { event.time } else { nil } }
        guard let first = times.min(), let last = times.max() else { return [] }
        return try await LogPositions(folder: logFolder, types: logTypes).eventIDs(from: first, through: last)
    }

    private func logPage(since time: UTCTime, until end: UTCTime?, after number: UInt64) async throws -> LedgerRequest.Answer {
        let log = try LogPositions(folder: logFolder, types: logTypes)
        let records = try await log.records(after: number, since: time, until: end, limit: TrackerCommands.pageCount)
        let isLast = records.count < TrackerCommands.pageCount
        return TrackerCommands.answer(try await lines(of: records), next: isLast ? nil : records.last.map { .log($0.number) })
    }

    /// Lines of records of the log, with what became of them at each destination.
    private func lines(of records: [LoggedRecord]) async throws -> [LedgerLine] {
        let origin = RecordOrigin(logFolder: logFolder.path)
        var lines = records.compactMap { record -> LedgerLine? in
            switch record {
            case .record(let record): LedgerLine(record, of: origin)
            case .lost(let loss): LedgerLine(loss)
            }
        }
        guard let dispatcher = dispatches.dispatcher else { return lines }
        let accounts = try await dispatcher.accounts(of: lines.map { .init(position: $0.isPosition ? $0.logNumber : nil, id: $0.id) })
        for index in lines.indices where !lines[index].isLost { lines[index].accounts = accounts[index] }
        return lines
    }

    private static func answer(_ lines: [LedgerLine], next: LedgerCursor?) -> LedgerRequest.Answer {
        LedgerRequest.Answer(records: lines.map(\.record), next: next)
    }
}
