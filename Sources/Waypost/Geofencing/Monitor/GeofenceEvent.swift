/// Something that happened between the tracked object and a fence.
public struct GeofenceEvent: Sendable, Hashable {
    /// What happened; the raw values are the words on the wire.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// It came in.
        case enter
        /// It went out.
        case exit
        /// It stayed for as long as the fence says.
        case dwell
        /// It went through between two fixes.
        case pass
    }

    /// Why there is an event; the raw values are the words on the wire.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The border was crossed.
        case crossed
        /// The fence's dwell time is over.
        case stayed
        /// The fence is gone.
        case removed
        /// The fence has another shape now, which leaves the object outside.
        case changed
        /// The fence's time is over.
        case expired
    }

    /// The beginning of the id, which is the same for all events of one monitor and its successors.
    public var idPrefix: String
    /// What happened.
    public var kind: Kind
    /// The fence's id.
    public var fenceID: String
    /// The fence's name.
    public var fenceName: String
    /// The stay: an enter, its dwell and its exit have the same number; a pass has its own.
    public var visit: UInt64
    /// Why.
    public var reason: Reason
    /// The time of the fix at which it was decided.
    public var time: UTCTime?
    /// When the border was crossed, interpolated between the fixes; for a pass, inward.
    ///
    /// With ``isPredicted``, when it will be. Absent when that cannot be known: the event is late, the position was lost or jumped in between, fixes
    /// have no times, or it takes back a prediction.
    public var crossedAt: UTCTime?
    /// When a pass left the area, interpolated between the fixes; absent when the position was lost in between.
    public var leftAt: UTCTime?
    /// Where the fix was at which it was decided; absent when no fix is known.
    public var coordinate: Coordinate?
    /// True if it happened while the tracker was not running: the first fix after a restart contradicts the state before it.
    public var isLate: Bool
    /// True when the border was still ahead, by up to half a second (see ``BorderRule/robust``).
    public var isPredicted: Bool
    /// What the decision rests on.
    public var evidence: Evidence

    /// The id of the event; if the same crossing is found again, it has the same id.
    public var id: String { "\(idPrefix)\(visit)-\(kind.rawValue)" }

    /// What a decision rests on.
    public struct Evidence: Sendable, Hashable {
        /// Distance of the position that decided from the border, metres, negative inside: on the old side where the event is predicted; for a
        /// pass of the deepest point.
        public var distanceMetres: Double?
        /// How far beyond the border the position had to be, metres.
        public var marginMetres: Double?
        /// Horizontal accuracy of the fix, 68 %, metres.
        public var accuracyMetres: Double?
        /// Speed over ground, metres per second.
        public var speedMetresPerSecond: Double?
        /// How many fixes in a row the position rests on.
        public var fixes: Int?

        /// Nothing known.
        public init() {}
    }
}
