/// An area whose border is watched: its shape, and which events it gives.
public struct Geofence: Sendable, Hashable {
    /// The id of the fence; adding a second fence with the same id replaces the first.
    public var id: String
    /// The name for people and for events.
    public var name: String
    /// The area.
    public var shape: FenceShape
    /// After how many seconds inside a `dwell` event is given, once per stay; nil for never.
    public var dwellSeconds: Double?
    /// When the fence expires.
    public var expires: UTCTime?
    /// Which events are given; others still change the state.
    public var notifications: FenceNotifications

    /// A fence that gives all events and never expires.
    public init(
        id: String, name: String? = nil, shape: FenceShape, dwellSeconds: Double? = nil, expires: UTCTime? = nil,
        notifications: FenceNotifications = .all
    ) {
        self.id = id
        self.name = name ?? id
        self.shape = shape
        self.dwellSeconds = dwellSeconds
        self.expires = expires
        self.notifications = notifications
    }
}

/// The kinds of events that a fence gives.
public struct FenceNotifications: OptionSet, Sendable, Hashable {
    /// One bit per kind.
    public let rawValue: UInt8

    /// The kinds of those bits.
    @inlinable
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Coming in.
    public static let enter = FenceNotifications(rawValue: 1)
    /// Going out.
    public static let exit = FenceNotifications(rawValue: 2)
    /// Having stayed.
    public static let dwell = FenceNotifications(rawValue: 4)
    /// Through and out again between two fixes.
    public static let pass = FenceNotifications(rawValue: 8)
    /// Every kind.
    public static let all: FenceNotifications = [.enter, .exit, .dwell, .pass]
}
