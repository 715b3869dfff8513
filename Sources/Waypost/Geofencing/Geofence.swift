/// An area whose border matters: its shape, and what is to be told about it.
public struct Geofence: Sendable, Hashable {
    /// What tells this fence from every other one; adding a second one of the same id replaces the first.
    public var id: String
    /// The name for people and for events.
    public var name: String
    /// The area.
    public var shape: FenceShape
    /// After how many seconds inside a `dwell` event comes, once per stay; nil for never.
    public var dwellSeconds: Double?
    /// From when on the fence counts no longer.
    public var expires: UTCTime?
    /// Which events are told; what is not told still changes the state.
    public var notifications: FenceNotifications

    /// A fence that tells everything and never expires.
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

/// The kinds of events that a fence tells.
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
