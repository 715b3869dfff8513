/// Something that happened to the tracked object, as the log, the destinations and the watchers receive it.
///
/// An event that is read back from any of them equals the one that was written.
public struct TrackerEvent: Sendable, Hashable {
    /// Identifies this event for ever; an event delivered twice has the same id.
    public var id: String
    /// What happened: `enter`, `exit`, `dwell` or `pass`.
    public var kind: String
    /// The fence's name.
    public var name: String
    /// When the event was decided; nil when the fixes have no times.
    public var time: UTCTime?
    /// The fix that decided it, as far as the event holds it: time, place, speed; nil without a place.
    public var position: Position?
    /// What else is known about it; nil when a log had no room for it.
    public var payload: Payload?

    /// The further details of a fence event.
    public struct Payload: Sendable, Hashable {
        /// The fence's id, when it differs from the name.
        public var fenceID: String?
        /// The visit number: an enter, its dwell and its exit share one; a pass has its own.
        public var visit: UInt64
        /// Why the event was raised.
        public var reason: GeofenceEvent.Reason
        /// When the border was crossed or, with ``isPredicted``, will be crossed; for a pass, the way in.
        public var crossedAt: UTCTime?
        /// When a pass left the area.
        public var leftAt: UTCTime?
        /// True when the border was still ahead.
        public var isPredicted = false
        /// True when it happened while the monitor was not running.
        public var isLate = false
        /// What the decision is based on.
        public var evidence = GeofenceEvent.Evidence()

        /// Creates a payload with what every fence event has.
        public init(fenceID: String? = nil, visit: UInt64, reason: GeofenceEvent.Reason = .crossed) {
            (self.fenceID, self.visit, self.reason) = (fenceID, visit, reason)
        }
    }

    /// Creates an event from its parts.
    public init(id: String, kind: String, name: String, time: UTCTime?, position: Position? = nil, payload: Payload? = nil) {
        (self.id, self.kind, self.name, self.time, self.position, self.payload) = (id, kind, name, time, position, payload)
    }

    /// Creates an event from a monitor's decision; figures are rounded as they are written: distances to centimetres, others to six decimals.
    public init(_ event: GeofenceEvent) {
        var payload = Payload(fenceID: event.fenceID == event.fenceName ? nil : event.fenceID, visit: event.visit, reason: event.reason)
        (payload.crossedAt, payload.leftAt) = (event.crossedAt, event.leftAt)
        (payload.isPredicted, payload.isLate) = (event.isPredicted, event.isLate)
        payload.evidence = event.evidence
        payload.evidence.distanceMetres = event.evidence.distanceMetres.flatMap(TrackerEvent.centimetres)
        payload.evidence.marginMetres = event.evidence.marginMetres.flatMap(TrackerEvent.centimetres)
        payload.evidence.accuracyMetres = event.evidence.accuracyMetres.flatMap(TextBuffer.measured)
        payload.evidence.speedMetresPerSecond = event.evidence.speedMetresPerSecond.flatMap(TextBuffer.measured)
        self.init(
            id: event.id, kind: event.kind.rawValue, name: event.fenceName, time: event.time,
            position: TrackerEvent.position(event.time, event.coordinate, payload.evidence.speedMetresPerSecond), payload: payload)
    }

    /// The fence's id; its name when the payload is missing.
    public var fenceID: String { payload?.fenceID ?? name }

    /// Whether the kind is one that fences have; later versions may add others.
    public var isOfFence: Bool { GeofenceEvent.Kind(rawValue: kind) != nil }

    /// Centimetres are finer than any position.
    private static func centimetres(_ metres: Double) -> Double? { metres.isFinite ? (metres * 100).rounded() / 100 : nil }

    static func position(_ time: UTCTime?, _ coordinate: Coordinate?, _ speedMetresPerSecond: Double?) -> Position? {
        guard let coordinate else { return nil }
        var position = Position(time: time, coordinate: coordinate)
        position.speedMetresPerSecond = speedMetresPerSecond
        return position
    }
}
