/// An area whose border is watched: its shape, and which events it raises.
public struct Geofence: Sendable, Hashable {
    /// The id of the fence; adding a second fence with the same id replaces the first.
    public var id: String
    /// The name for people and for events.
    public var name: String
    /// The area.
    public var shape: FenceShape
    /// The time inside, in seconds, after which a `dwell` event is raised, once per visit; nil for never.
    public var dwellSeconds: Double? {
        get { dwell == Geofence.never ? nil : dwell }
        set { dwell = newValue ?? Geofence.never }
    }
    /// When the fence expires; nil for never.
    public var expires: UTCTime? {
        get { end == Geofence.noEnd ? nil : end }
        set { end = newValue ?? Geofence.noEnd }
    }
    /// Which events are raised; the others still change the state.
    public var notifications: FenceNotifications

    /// Why it cannot be watched, for people, after its name; nil when it can.
    package var problem: String? {
        if id.isEmpty { return "has no id" }
        guard let dwellSeconds, !(0...FenceDraft.longestDwellSeconds).contains(dwellSeconds) else { return nil }
        return "has a dwell of \(dwellSeconds) s; it must be from 0 to \(Int(FenceDraft.longestDwellSeconds)) s"
    }

    // Optionals would take 16 bytes more, which 100 000 fences multiply.
    private var dwell: Double
    private var end: UTCTime
    private static let never = -Double.infinity
    private static let noEnd = UTCTime(millisecondsSince1970: .min)

    /// Creates a fence that raises all events and never expires.
    public init(
        id: String, name: String? = nil, shape: FenceShape, dwellSeconds: Double? = nil, expires: UTCTime? = nil,
        notifications: FenceNotifications = .all
    ) {
        self.id = id
        self.name = name ?? id
        self.shape = shape
        self.notifications = notifications
        dwell = dwellSeconds ?? Geofence.never
        end = expires ?? Geofence.noEnd
    }
}

/// The kinds of events that a fence raises.
public struct FenceNotifications: OptionSet, Sendable, Hashable {
    /// One bit per kind.
    public let rawValue: UInt8

    /// Creates a set from its bits.
    @inlinable
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The object came in.
    public static let enter = FenceNotifications(rawValue: 1)
    /// The object went out.
    public static let exit = FenceNotifications(rawValue: 2)
    /// The object stayed.
    public static let dwell = FenceNotifications(rawValue: 4)
    /// The object went through and out again between two fixes.
    public static let pass = FenceNotifications(rawValue: 8)
    /// Every kind.
    public static let all: FenceNotifications = [.enter, .exit, .dwell, .pass]
}
