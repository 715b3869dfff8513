import Waypost

/// Whether a format can express a record.
public enum FormatVerdict: Sendable, Hashable {
    /// It can.
    case said
    /// It will be able to, once something is known; the reason for people why not now.
    case waits(reason: String)
    /// It cannot express the record; the reason for people.
    case unsaid(reason: String)

    /// Why it can never be expressed; nil when it can.
    public var obstacle: String? { if case .unsaid(let reason) = self { reason } else { nil } }
}

/// How records are expressed for some kind of server, over any transport.
public protocol RecordFormat: Sendable {
    /// Whether it can express a record, now or later.
    ///
    /// - Parameters:
    ///   - record: the record to send.
    ///   - now: the time of day, as far as it is known.
    func verdict(on record: DispatchRecord, at now: UTCTime?) -> FormatVerdict
}

extension RecordFormat {
    /// Most formats can express everything.
    public func verdict(on record: DispatchRecord, at now: UTCTime?) -> FormatVerdict { .said }

    /// Sends the records that can be expressed now, and reports that the others wait.
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
    /// A verdict for formats that need a time.
    func verdictWithTime(at now: UTCTime?) -> FormatVerdict {
        bestTime(at: now) == nil ? .waits(reason: "what happened before the time was known waits for it") : .said
    }
}
