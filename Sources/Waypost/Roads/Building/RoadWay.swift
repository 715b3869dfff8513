/// A way that somebody can travel on, as the map has it.
public struct RoadWay: Sendable, Equatable {
    /// Its number in the map.
    public var number: Int64
    /// What kind of road it is.
    public var roadClass: RoadClass
    /// Its name, or its number on signs when it has no name; empty when it has neither.
    public var name: String
    /// The speed that is allowed, or else usual, in km/h.
    public var kilometresPerHour: UInt8
    /// What else is known of it.
    public var kind: RoadKind
    /// Which of crossing roads is above: -128...127, 0 is the ground.
    public var layer: Int8
    /// The bits of the modes and directions that may use it.
    var use: UInt8

    /// Whether somebody may travel on it in that mode, in the order of its nodes or against it.
    public func isOpen(for mode: TravelMode, forward: Bool) -> Bool { use & (forward ? mode.forwardBit : mode.forwardBit << 1) != 0 }

    /// Whether a car may use it to get to a place there, or with permission, but not to pass through.
    public var isLimited: Bool { use & RoadFileLayout.limitedBit != 0 }
}

/// What else is known of a road.
public struct RoadKind: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: UInt8

    /// Creates a set from bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Below the ground.
    public static let tunnel = RoadKind(rawValue: 1)
    /// Above something.
    public static let bridge = RoadKind(rawValue: 2)
    /// Part of a roundabout.
    public static let roundabout = RoadKind(rawValue: 4)
    /// A slip road.
    public static let link = RoadKind(rawValue: 8)
    /// Cars go in one direction only.
    public static let oneWay = RoadKind(rawValue: 16)
}

/// A turn that the map forbids, or the only one that it allows.
public struct TurnRestriction: Sendable, Equatable {
    /// The way before, and the way after it.
    public var from, to: Int64
    /// The node between them.
    public var via: Int64
    /// Whether `to` is the only way that may follow, or the one that may not.
    public var isOnly: Bool
    /// Whether it is about turning round.
    public var isUTurn: Bool
    /// The modes that it is for.
    public var modes: Set<TravelMode>

    /// Creates a restriction from its parts.
    public init(
        from: Int64, via: Int64, to: Int64, isOnly: Bool = false, isUTurn: Bool = false, modes: Set<TravelMode> = [.car, .bicycle]
    ) {
        self.from = from
        self.via = via
        self.to = to
        self.isOnly = isOnly
        self.isUTurn = isUTurn
        self.modes = modes
    }
}
