import Waypost
import WaypostDispatch
import WaypostRecording

/// One line of the ledger: a record and what became of it, or fixes that were left out.
///
/// ```
/// {"kind":"position","id":"p-4711-1795260808000-0f3a5c7e9b1d","time":T,"logged":true,"seq":4711,
///   "destinations":[{"name":"home","state":"receipt","time":T,"answer":"200"}]}
/// {"kind":"enter","id":"...","time":T,"name":"Yard","logged":true,"seq":4712,"destinations":[{"name":"home","state":"queued"}]}
/// {"kind":"track","id":"t-...","time":T,"name":"delivered","destinations":[{"name":"home","state":"refused","reason":"422: no"}]}
/// {"kind":"filtered","from":T,"to":T,"count":3600,"reason":"..."}
/// ```
/// `state`: `queued`, `sent` (no receipt yet), `receipt`, `refused` (a dead letter), `unwanted` (not for this destination), `forgotten` (settled so
/// long ago that nothing more is kept of it).
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

    var isPosition: Bool { kind == LedgerLine.position }
    private static let position = "position"

    /// A record of the log; nil for breaks and what this version does not know.
    init?(_ record: JournalRecord) {
        logNumber = record.sequence
        switch record.content {
        case .position(let position):
            id = NumberedPosition(number: record.sequence, position: position).id
            (kind, time) = (LedgerLine.position, position.time)
        case .event(let event): (id, kind, time, name) = (event.id, event.kind, event.time, event.name)
        case .segmentBreak, .other: return nil
        }
    }

    /// A record of the outbox.
    init(_ entry: LedgerEntry) {
        id = entry.record.id
        time = entry.record.time
        accounts = entry.accounts
        (kind, name) = (entry.record.kind, entry.record.name)
        switch entry.record.content {
        case .position, .event: break
        case .track, .health, .waypoints: isForLog = false
        }
    }

    /// Fixes that were left out.
    init(_ stretch: FilteredFixes.Stretch) {
        kind = "filtered"
        self.stretch = stretch
    }

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("kind", kind)
            if let stretch {
                json.member("from", stretch.from)
                json.member("to", stretch.to)
                json.member("count", stretch.count)
                json.member("reason", stretch.reason)
                return
            }
            json.member("id", id)
            json.member("time", time)
            json.member("name", name)
            if isForLog { json.member("logged", logNumber != nil) }
            json.member("seq", logNumber.map { Int(clamping: $0) })
            json.array("destinations") { json in for account in accounts { json.append(account) } }
        }
    }
}

extension JSONWriter {
    fileprivate mutating func append(_ account: DeliveryAccount) {
        object { json in
            json.member("name", account.destination)
            switch account.fate {
            case .queued: json.member("state", "queued")
            case .sent: json.member("state", "sent")
            case .receipt(let time, let answer):
                json.member("state", "receipt")
                json.member("time", time)
                json.member("answer", answer)
            case .refused(let reason):
                json.member("state", "refused")
                json.member("reason", reason)
            case .unwanted: json.member("state", "unwanted")
            case .forgotten: json.member("state", "forgotten")
            }
        }
    }
}
