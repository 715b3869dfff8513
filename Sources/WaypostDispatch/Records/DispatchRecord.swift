import Waypost
import WaypostSystem

/// One record on its way to a destination, in the form the destination gets: its content, permanent id, place in its lane, and age.
///
/// A record that is sent again (because its receipt was lost) has the same ``id``; by that key a server removes repeats.
public struct DispatchRecord: Sendable, Hashable {
    /// Unique for ever, across all restarts.
    public var id: String
    /// The lane it waits in.
    public var lane: DispatchLane
    /// Grows from record to record of a lane: its order there.
    ///
    /// A repeated number is a record that is sent again, or one of another lane. A gap is no loss: some records are for other destinations, or are not told to this one. Those that it will never get are counted
    /// (``DestinationState/droppedCount``).
    public var sequence: UInt64
    /// How long ago it happened, by a clock that survives suspend and jumps; never negative, nil when that is unknown.
    public var age: Duration?
    /// When it was accepted, if it has no time of its own and that time has become known since.
    public var takenAt: UTCTime?
    /// Whether it happened before its destination's last cutoff, and should have been sent before it.
    public var isLate = false
    /// The content.
    public var content: Content

    /// The content of a record.
    public enum Content: Sendable, Hashable {
        /// A fix.
        case position(Position)
        /// A border crossing, or a similar event.
        case event(TrackerEvent)
        /// An application's own event.
        case track(TrackCall)
        /// The tracker's health: version, queue, disk.
        case health(JSONValue)
        /// The circles among the fences, as OwnTracks has them (`_type` waypoints); other formats do not send them.
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

    /// When it happened; nil when the time was unknown.
    public var time: UTCTime? {
        switch content {
        case .position(let position): position.time
        case .event(let event): event.time
        case .track(let call): call.time
        case .health, .waypoints: nil
        }
    }

    /// Its kind, in a word: `position`, `track`, `health`, `waypoints`, or the kind of an event (`enter`, `exit`).
    public var kind: String {
        switch content {
        case .position: "position"
        case .event(let event): event.kind
        case .track: "track"
        case .health: "health"
        case .waypoints: "waypoints"
        }
    }

    /// Its name: a fence's name, or the application's name for its event.
    public var name: String? {
        switch content {
        case .event(let event): event.name
        case .track(let call): call.name
        case .position, .health, .waypoints: nil
        }
    }

    /// The place where it happened, with everything that was known of the fix.
    public var position: Position? {
        switch content {
        case .position(let position): position
        case .event(let event): event.position
        case .track(let call): call.position
        case .health, .waypoints: nil
        }
    }
}

/// The lanes in which records wait; each keeps its order.
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
    /// Its permanent id; each call gets a new one.
    public var id: String
    /// The application's name for it.
    public var name: String
    /// The values that the application added.
    public var values: [String: JSONValue]
    /// When it was made, as far as the tracker knew the time.
    public var time: UTCTime?
    /// The place, with everything that was known of the fix.
    public var position: Position?

    /// A call with a new id.
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

    /// 48 bits of the time in milliseconds, when it is known, and 80 or more random bits.
    static func newID(at time: UTCTime?) -> String { UniqueName.make("t-", at: time) }
}
