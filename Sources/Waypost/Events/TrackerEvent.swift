/// Something that happened to the tracked object, on its way to those who want to know: the log, the destinations, those who watch.
///
/// An event that is read back from any of them equals the one that was written.
public struct TrackerEvent: Sendable, Hashable {
    /// Tells this event from every other one, for ever; told again, it is the same event.
    public var id: String
    /// What happened: `enter`, `exit`, `dwell` or `pass`.
    public var kind: String
    /// The fence's name.
    public var name: String
    /// When it was decided; nil when the fixes have no times.
    public var time: UTCTime?
    /// The fix that decided it, as far as the event tells of it: time, place, speed; nil without a place.
    public var position: Position?
    /// What else is known of it; nil when a log had no room for it.
    public var payload: Payload?

    /// What a fence event tells besides.
    public struct Payload: Sendable, Hashable {
        /// The fence's id, where that is not its name.
        public var fenceID: String?
        /// The stay: an enter, its dwell and its exit have the same number; a pass has its own.
        public var visit: UInt64
        /// Why there is an event.
        public var reason: GeofenceEvent.Reason
        /// When the border was crossed or, with ``isPredicted``, will be; for a pass, inward.
        public var crossedAt: UTCTime?
        /// When a pass left the area.
        public var leftAt: UTCTime?
        /// True when the border was still ahead.
        public var isPredicted = false
        /// True when it happened while nobody watched.
        public var isLate = false
        /// What the decision rests on.
        public var evidence = GeofenceEvent.Evidence()

        /// A payload with what every fence event has.
        public init(fenceID: String? = nil, visit: UInt64, reason: GeofenceEvent.Reason = .crossed) {
            (self.fenceID, self.visit, self.reason) = (fenceID, visit, reason)
        }
    }

    /// An event from its parts.
    public init(id: String, kind: String, name: String, time: UTCTime?, position: Position? = nil, payload: Payload? = nil) {
        (self.id, self.kind, self.name, self.time, self.position, self.payload) = (id, kind, name, time, position, payload)
    }

    /// What a monitor decided; figures are rounded as they are written: distances to centimetres, others to six decimals.
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

    /// Whether it is of a kind that fences have; a later version may have others.
    public var isOfFence: Bool { GeofenceEvent.Kind(rawValue: kind) != nil }

    /// Centimetres are more than any position is good for.
    private static func centimetres(_ metres: Double) -> Double? { metres.isFinite ? (metres * 100).rounded() / 100 : nil }

    static func position(_ time: UTCTime?, _ coordinate: Coordinate?, _ speedMetresPerSecond: Double?) -> Position? {
        guard let coordinate else { return nil }
        var position = Position(time: time, coordinate: coordinate)
        position.speedMetresPerSecond = speedMetresPerSecond
        return position
    }
}
