import Waypost
import WaypostSystem

/// One thing on its way to a destination, as the destination gets it: what happened, its name for ever, its place in the row, its age.
///
/// The same record that is sent again (its receipt was lost) has the same ``id``; that is the key by which a receiver removes repeats.
public struct DispatchRecord: Sendable, Hashable {
    /// Unique for ever, over all restarts.
    public var id: String
    /// The row it stands in.
    public var lane: DispatchLane
    /// Grows by one from record to record of a lane of this device; a hole says that records were dropped, and a number that comes again
    /// that they were sent again.
    public var sequence: UInt64
    /// How long ago it happened, by a clock that survives suspend and jumps; never negative, nil when that cannot be known.
    public var age: Duration?
    /// When it was taken, where it has no time of its own and it has become known since what time it was then.
    public var takenAt: UTCTime?
    /// Whether it happened before the last cutoff of its destination, and should have been sent before it, too.
    public var isLate = false
    /// What happened.
    public var content: Content

    /// What a record tells.
    public enum Content: Sendable, Hashable {
        /// A fix.
        case position(Position)
        /// A border was crossed, or something of that kind.
        case event(TrackerEvent)
        /// An application's own event.
        case track(TrackCall)
        /// How the tracker is: version, queue, disk.
        case health(JSONValue)
        /// The circles among the fences, as OwnTracks has them (`_type` waypoints); nothing for other formats.
        case waypoints(JSONValue)
    }

    /// A record from its parts.
    public init(id: String, lane: DispatchLane, sequence: UInt64, age: Duration?, content: Content) {
        self.id = id
        self.lane = lane
        self.sequence = sequence
        self.age = age
        self.content = content
    }

    /// An entry of the outbox; nil when it cannot be read.
    init?(_ entry: StoredEntry) {
        guard let content = RecordCodec.content(entry.body) else { return nil }
        self.init(id: entry.id, lane: .events, sequence: entry.number, age: nil, content: content)
    }

    /// A position of the log.
    init(_ numbered: NumberedPosition, lane: DispatchLane, sequence: UInt64) {
        self.init(id: numbered.id, lane: lane, sequence: sequence, age: nil, content: .position(numbered.position))
    }

    /// When it happened; nil when nobody knew the time.
    public var time: UTCTime? {
        switch content {
        case .position(let position): position.time
        case .event(let event): event.time
        case .track(let call): call.time
        case .health, .waypoints: nil
        }
    }

    /// What it is, in a word: `position`, `track`, `health`, `waypoints`, or what an event is (`enter`, `exit`).
    public var kind: String {
        switch content {
        case .position: "position"
        case .event(let event): event.kind
        case .track: "track"
        case .health: "health"
        case .waypoints: "waypoints"
        }
    }

    /// What it is called: a fence's name, or what an application calls its event.
    public var name: String? {
        switch content {
        case .event(let event): event.name
        case .track(let call): call.name
        case .position, .health, .waypoints: nil
        }
    }

    /// Where it happened, with everything that was known of the fix.
    public var position: Position? {
        switch content {
        case .position(let position): position
        case .event(let event): event.position
        case .track(let call): call.position
        case .health, .waypoints: nil
        }
    }
}

/// The rows in which records wait; each keeps its order.
public enum DispatchLane: String, Sendable, Hashable, CaseIterable {
    /// Events, track calls, health: always first.
    case events
    /// Positions, oldest first.
    case live
    /// Positions that a later one has overtaken: sent last, oldest first.
    case history
}

/// An application's own event: `waypost track NAME KEY=VALUE...`.
public struct TrackCall: Sendable, Hashable {
    /// Its name for ever; a new one is made for each call.
    public var id: String
    /// What the application calls it.
    public var name: String
    /// What the application says with it.
    public var values: [String: JSONValue]
    /// When it was made, as far as the tracker knew the time.
    public var time: UTCTime?
    /// Where, with everything that was known of the fix.
    public var position: Position?

    /// A call with an id of its own.
    public init(name: String, values: [String: JSONValue], time: UTCTime?, position: Position?) {
        self.init(id: TrackCall.newID(at: time), name: name, values: values, time: time, position: position)
    }

    init(id: String, name: String, values: [String: JSONValue], time: UTCTime?, position: Position?) {
        self.id = id
        self.name = name
        self.values = values
        self.time = time
        self.position = position
    }

    /// 48 bits of the time in milliseconds, when it is known, and 80 or more random ones.
    static func newID(at time: UTCTime?) -> String { UniqueName.make("t-", at: time) }
}
