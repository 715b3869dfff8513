/// How much of the position somebody may know.
public enum AuthorisationLevel: String, Sendable, Hashable, CaseIterable, Comparable {
    /// Nobody has decided yet; it counts as none, but asking may change that.
    case notDetermined = "not_determined"
    /// Nothing.
    case none
    /// Roughly where, at most four times an hour (``PositionReduction``).
    case reduced
    /// Everything.
    case full

    /// Whether anything of the position may be known.
    public var isAllowed: Bool { self >= .reduced }

    /// Whether a level allows less than another.
    public static func < (left: AuthorisationLevel, right: AuthorisationLevel) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .notDetermined: 0
        case .none: 1
        case .reduced: 2
        case .full: 3
        }
    }
}

/// When somebody may know the position.
public enum AuthorisationScope: String, Sendable, Hashable, CaseIterable {
    /// While connected to the tracker.
    case attached
    /// Always: a program may also be started because something happened.
    case always
}

/// What somebody may know, and when.
public struct Authorisation: Sendable, Hashable {
    /// How much.
    public var level: AuthorisationLevel
    /// When.
    public var scope: AuthorisationScope
    /// Whether the level is for a while only: it ends with a time or a connection.
    public var isTemporary: Bool

    /// An authorisation.
    ///
    /// - Parameters:
    ///   - level: how much may be known.
    ///   - scope: when.
    ///   - isTemporary: whether the level is for a while only.
    public init(_ level: AuthorisationLevel, _ scope: AuthorisationScope = .attached, isTemporary: Bool = false) {
        (self.level, self.scope, self.isTemporary) = (level, scope, isTemporary)
    }

    /// The wider of two: the higher level, and of equal levels the wider scope.
    func widened(by other: Authorisation) -> Authorisation {
        if level != other.level { return level > other.level ? self : other }
        return scope == .always ? self : other
    }
}

/// What a client of the tracker may know and do.
package struct PeerAccess: Sendable, Hashable {
    /// What it may know of the position.
    package var authorisation: Authorisation
    /// Whether it may change what the tracker does: root, the tracker's own user, and members of its group.
    package var isOperator: Bool
    /// Whether it may decide what others know: root and the tracker's own user.
    package var isAdministrator: Bool
    /// Whether nobody but root and the tracker's own user is served, because the policy or the grants cannot be used.
    package var isClosed = false

    /// Access from its parts.
    package init(_ authorisation: Authorisation, isOperator: Bool = false, isAdministrator: Bool = false) {
        (self.authorisation, self.isOperator, self.isAdministrator) = (authorisation, isOperator, isAdministrator)
    }

    /// How much of the position it may know.
    package var level: AuthorisationLevel { authorisation.level }

    /// Nobody has decided about this client.
    package static let none = PeerAccess(Authorisation(.notDetermined))
    /// Somebody, while the policy or the grants cannot be used.
    package static var closed: PeerAccess {
        var access = PeerAccess(Authorisation(.none))
        access.isClosed = true
        return access
    }
    /// A member of the tracker's group.
    package static let full = PeerAccess(Authorisation(.full, .always), isOperator: true)
    /// Root, or the tracker's own user.
    package static let administrator = PeerAccess(Authorisation(.full, .always), isOperator: true, isAdministrator: true)
}
