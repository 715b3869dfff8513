import Waypost

/// What the outbox stores: every record except the positions of the log.
public enum OutboxEntry: Sendable, Hashable {
    /// A fence event.
    case event(TrackerEvent)
    /// An application's own event.
    case track(TrackCall)
    /// The tracker's health; the id is generated for it.
    case health(id: String, JSONValue)
    /// The circles among the fences, for OwnTracks; the id is generated for it.
    case waypoints(id: String, JSONValue)

    /// A report of the tracker's health, with a new id.
    public static func health(_ report: JSONValue) -> OutboxEntry { .health(id: TrackCall.newID(at: nil), report) }

    /// The circles among fences as OwnTracks has them, with a new id; as many, in their order, as fit into an entry.
    ///
    /// - Parameter all: fences of any shape; those that are not circles are left out.
    public static func waypoints(_ all: [Geofence]) -> OutboxEntry {
        var circles = all.filter { if case .circle = $0.shape { true } else { false } }.prefix(mostCircles)
        while true {
            let bytes = FenceFormat.write(Array(circles), as: .owntracks).text.bytes
            guard bytes.count > maximumByteCount - 128, !circles.isEmpty else {
                let value = (try? JSONParser().parse(bytes)) ?? .null  // Our own text is JSON.
                return .waypoints(id: TrackCall.newID(at: nil), value)
            }
            circles = circles.prefix(circles.count * 3 / 4)
        }
    }

    /// More would not fit, however short their names are.
    private static let mostCircles = 400

    /// Its permanent id; an entry with an id that the outbox knows is the same entry and is accepted once.
    public var id: String {
        switch self {
        case .event(let event): event.id
        case .track(let call): call.id
        case .health(let id, _), .waypoints(let id, _): id
        }
    }

    /// When it happened.
    public var time: UTCTime? {
        switch self {
        case .event(let event): event.time
        case .track(let call): call.time
        case .health, .waypoints: nil
        }
    }

    var content: DispatchRecord.Content {
        switch self {
        case .event(let event): .event(event)
        case .track(let call): .track(call)
        case .health(_, let report): .health(report)
        case .waypoints(_, let waypoints): .waypoints(waypoints)
        }
    }

    /// The longest entry, bytes of its JSON.
    public static let maximumByteCount = 32_768
    /// The deepest values of an entry, levels of arrays and objects: what is deeper with all around it, no JSON parser of ours reads.
    public static let maximumDepth = 60

    /// Whether its values can be read back.
    var isShallow: Bool {
        switch self {
        case .event: true
        case .track(let call): call.values.values.allSatisfy { $0.isShallow(OutboxEntry.maximumDepth - 1) }
        case .health(_, let value), .waypoints(_, let value): value.isShallow(OutboxEntry.maximumDepth)
        }
    }
}

extension JSONValue {
    /// Whether it has at most so many levels of arrays and objects.
    fileprivate func isShallow(_ depth: Int) -> Bool {
        switch self {
        case .null, .bool, .integer, .number, .string: true
        case .array(let items): depth > 0 && items.allSatisfy { $0.isShallow(depth - 1) }
        case .object(let members): depth > 0 && members.values.allSatisfy { $0.isShallow(depth - 1) }
        }
    }
}
