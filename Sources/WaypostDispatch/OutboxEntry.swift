import Waypost

/// What the outbox takes: everything that is sent and is not a position of the log.
public enum OutboxEntry: Sendable, Hashable {
    /// A fence event.
    case event(DispatchEvent)
    /// An application's own event.
    case track(TrackCall)
    /// How the tracker is; the id is made for it.
    case health(id: String, JSONValue)

    /// A report of the tracker's health, with an id of its own.
    public static func health(_ report: JSONValue) -> OutboxEntry { .health(id: TrackCall.newID(at: nil), report) }

    /// Its name for ever; an entry of a name that the outbox knows is the same one and taken once.
    public var id: String {
        switch self {
        case .event(let event): event.id
        case .track(let call): call.id
        case .health(let id, _): id
        }
    }

    /// When it happened.
    public var time: UTCTime? {
        switch self {
        case .event(let event): event.time
        case .track(let call): call.time
        case .health: nil
        }
    }

    var content: DispatchRecord.Content {
        switch self {
        case .event(let event): .event(event)
        case .track(let call): .track(call)
        case .health(_, let report): .health(report)
        }
    }

    /// The longest entry, bytes of its JSON.
    public static let maximumByteCount = 32_768
}
