/// Something that happened between the tracked object and a fence.
public struct GeofenceEvent: Sendable, Hashable {
    /// What happened; the raw values are the words on the wire.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The object came in.
        case enter
        /// The object went out.
        case exit
        /// The object stayed for the fence's dwell time.
        case dwell
        /// The object went through between two fixes.
        case pass
    }

    /// Why an event was raised; the raw values are the words on the wire.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The border was crossed.
        case crossed
        /// The dwell time has passed.
        case stayed
        /// The fence was removed.
        case removed
        /// The fence has a new shape, which leaves the object outside.
        case changed
        /// The fence has expired.
        case expired
    }

    /// The beginning of the id, the same for all events of one monitor and its successors.
    public var idPrefix: String
    /// What happened.
    public var kind: Kind
    /// The fence's id.
    public var fenceID: String
    /// The fence's name.
    public var fenceName: String
    /// The visit number: an enter, its dwell and its exit share one; a pass has its own.
    public var visit: UInt64
    /// Why the event was raised.
    public var reason: Reason
    /// The time of the fix that decided the event.
    public var time: UTCTime?
    /// When the border was crossed, interpolated between the fixes; for a pass, the way in.
    ///
    /// With ``isPredicted``, when it will be crossed. Absent when unknown: the event is late, the position was lost or jumped in between, the
    /// fixes have no times, or the event takes back a prediction.
    public var crossedAt: UTCTime?
    /// When a pass left the area, interpolated between the fixes; absent when the position was lost in between.
    public var leftAt: UTCTime?
    /// The place of the fix that decided the event; absent when no fix is known.
    public var coordinate: Coordinate?
    /// True if it happened while the tracker was not running: the first fix after a restart contradicts the stored state.
    public var isLate: Bool
    /// True when the border was still ahead, by up to half a second (see ``BorderRule/robust``).
    public var isPredicted: Bool
    /// What the decision is based on.
    public var evidence: Evidence

    /// The id of the event; the same crossing found again has the same id.
    public var id: String { "\(idPrefix)\(visit)-\(kind.rawValue)" }

    /// What a decision is based on.
    public struct Evidence: Sendable, Hashable {
        /// The deciding position's distance from the border in metres, negative inside; on the old side when the event is predicted; for a
        /// pass, the distance of the deepest point.
        public var distanceMetres: Double?
        /// How far beyond the border the position had to be, in metres.
        public var marginMetres: Double?
        /// Horizontal accuracy of the fix, 68 %, metres.
        public var accuracyMetres: Double?
        /// Speed over ground, metres per second.
        public var speedMetresPerSecond: Double?
        /// How many fixes in a row the position is based on.
        public var fixes: Int?

        /// Creates evidence without any figures.
        public init() {}
    }
}
