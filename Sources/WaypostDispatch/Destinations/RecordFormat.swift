import Waypost

/// What a format makes of a record.
public enum FormatVerdict: Sendable, Hashable {
    /// It says it.
    case said
    /// It will be able to, once something is known: why not now, for people.
    case waits(reason: String)
    /// It has no word for it: why, for people.
    case unsaid(reason: String)

    /// Why it will never be said; nil when it will.
    public var obstacle: String? { if case .unsaid(let reason) = self { reason } else { nil } }
}

/// How records are said to some kind of server, whatever the transport.
public protocol RecordFormat: Sendable {
    /// Whether it can say a record, now or ever.
    ///
    /// - Parameters:
    ///   - record: what is to be told.
    ///   - now: what time it is, as far as anybody knows.
    func verdict(on record: DispatchRecord, at now: UTCTime?) -> FormatVerdict
}

extension RecordFormat {
    /// Most formats have a word for everything.
    public func verdict(on record: DispatchRecord, at now: UTCTime?) -> FormatVerdict { .said }

    /// Sends what can be said now, and says of what cannot be that it waits.
    func sending(_ batch: DispatchBatch, _ send: (DispatchBatch) async -> DeliveryOutcome) async -> DeliveryOutcome {
        var (ready, reason) = (batch, String?.none)
        ready.records = batch.records.filter { record in
            guard case .waits(let why) = verdict(on: record, at: batch.time) else { return true }
            reason = reason ?? why
            return false
        }
        guard let reason else { return await send(batch) }
        let waiting = DeliveryOutcome.temporary(reason: reason, retryAfter: nil)
        guard !ready.records.isEmpty else { return waiting }
        switch await send(ready) {
        case .delivered(let refused, let answer):
            return .partly(
                received: ready.firstIDs(ready.records.count).subtracting(refused.keys), refused: refused, answer: answer, then: waiting)
        case let outcome: return outcome
        }
    }
}

extension DispatchRecord {
    /// A verdict of formats that cannot say anything without a time.
    func verdictWithTime(at now: UTCTime?) -> FormatVerdict {
        bestTime(at: now) == nil ? .waits(reason: "what happened before the time was known waits for it") : .said
    }
}
