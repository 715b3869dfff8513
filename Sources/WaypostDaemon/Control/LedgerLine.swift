import Waypost
import WaypostControl
import WaypostDispatch
import WaypostKit
import WaypostRecording

/// One line of the ledger while it is made: a record and what became of it, or fixes that were left out.
struct LedgerLine: Sendable {
    /// Its name for ever; empty for what was left out.
    var id = ""
    var kind: String
    var time: UTCTime?
    var name: String?
    /// Its number in the log; nil when it is not there.
    var logNumber: UInt64?
    /// Whether it belongs in the log.
    var isForLog = true
    var accounts: [DeliveryAccount] = []
    private var stretch: FilteredFixes.Stretch?
    private var loss: LogLoss?

    /// Whether it is for records that are lost.
    var isLost: Bool { loss != nil }
    var isPosition: Bool { kind == LedgerLine.position }
    private static let position = "position"

    /// A record of the log; nil for breaks and what this version does not know.
    ///
    /// - Parameters:
    ///   - record: the record.
    ///   - origin: the log it is in.
    init?(_ record: JournalRecord, of origin: RecordOrigin) {
        logNumber = record.sequence
        switch record.content {
        case .position(let position):
            id = NumberedPosition(number: record.sequence, position: position, origin: origin).id
            (kind, time) = (LedgerLine.position, position.time)
        case .event(let event): (id, kind, time, name) = (event.id, event.kind, event.time, event.name)
        case .segmentBreak, .lost, .other: return nil
        }
    }

    /// A record of the outbox.
    init(_ entry: LedgerEntry) {
        id = entry.record.id
        time = entry.record.time ?? entry.record.takenAt
        accounts = entry.accounts
        (kind, name) = (entry.record.kind, entry.record.name)
        switch entry.record.content {
        case .position, .event: break
        case .track, .health, .waypoints: isForLog = false
        }
    }

    /// Fixes that were left out.
    init(_ stretch: FilteredFixes.Stretch) {
        kind = LedgerRecord.leftOut
        self.stretch = stretch
    }

    /// Records that a damaged journal has lost.
    init(_ loss: LogLoss) {
        kind = LedgerRecord.lost
        self.loss = loss
    }

    /// The line as it is told.
    var record: LedgerRecord {
        var record = LedgerRecord()
        record.kind = kind
        if let stretch {
            (record.from, record.to) = (stretch.from, stretch.to)
            (record.count, record.reason) = (stretch.count, stretch.reason)
            return record
        }
        if let loss {
            record.reason = loss.damage
            guard !id.isEmpty else {
                (record.logNumber, record.lastLogNumber) = (loss.after + 1, loss.through)
                if loss.isBounded { record.count = loss.count }
                return record
            }
            (record.id, record.logNumber) = (id, logNumber)
            record.destinations = accounts.map(LedgerRecord.Delivery.init)
            return record
        }
        (record.id, record.time, record.name) = (id, time, name)
        record.isLogged = isForLog ? logNumber != nil : nil
        record.logNumber = logNumber
        record.destinations = accounts.map(LedgerRecord.Delivery.init)
        return record
    }
}

extension LedgerRecord.Delivery {
    fileprivate init(_ account: DeliveryAccount) {
        switch account.fate {
        case .queued: self.init(name: account.destination, state: .queued)
        case .sent: self.init(name: account.destination, state: .sent)
        case .receipt(let time, let answer):
            self.init(name: account.destination, state: .receipt)
            (self.time, self.answer) = (time, answer)
        case .refused(let reason):
            self.init(name: account.destination, state: .refused)
            self.reason = reason
        case .dropped(let reason):
            self.init(name: account.destination, state: .dropped)
            self.reason = reason
        case .unwanted: self.init(name: account.destination, state: .unwanted)
        case .lost: self.init(name: account.destination, state: .lost)
        case .forgotten: self.init(name: account.destination, state: .forgotten)
        }
    }
}
