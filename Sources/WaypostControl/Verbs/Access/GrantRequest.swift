import Waypost

/// `grant`: says what a user or a group may know.
public struct GrantRequest: ControlVerb {
    /// `grant`.
    public static let name = "grant"
    /// Root and the tracker's own user.
    public static let permission = ControlPermission.administrators
    /// Its description in the guide of the control socket.
    public static let documentation = """
        Says what a user or a group may know of the position. It holds at once, on open connections, too, and counts before the policy file; one \
        with `seconds` ends after that time or with the tracker.
        """

    /// The user, by name or number, or a group with `@` before it.
    public var who = ""
    /// How much.
    public var level = AuthorisationLevel.none
    /// When; nil for the scope that was granted before, or else while connected.
    public var scope: AuthorisationScope?
    /// How many seconds it holds; nil for ever.
    public var seconds: Int?
    /// The purpose for which full accuracy may be asked for; nil for a grant that needs none.
    public var purpose: String?

    /// A request with no values set.
    public init() {}

    /// Passes its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.member("who", &who, "The user, by name or number, or a group with @ before it.")
        try codec.member(
            "level", &level, rule: ControlRule("one of none, reduced, full") { $0 != .notDetermined }, "How much of the position.")
        try codec.member("scope", &scope, "While connected, or always; as before when absent, or else while connected.")
        try codec.member(
            "seconds", &seconds, rule: ControlRule("seconds, from 1 to 31536000") { (1...31_536_000).contains($0) },
            "How long it holds; for ever when absent.")
        try codec.member(
            "purpose", &purpose, rule: ControlRule("the key of a purpose") { AccessPolicy.isKey($0) },
            "Full accuracy only while a program asks for it for this purpose; the user keeps what was granted before.")
    }

    /// The answer that it is granted.
    public typealias Answer = GrantChanged
}

/// `revoke`: takes back what was granted.
public struct RevokeRequest: ControlVerb {
    /// `revoke`.
    public static let name = "revoke"
    /// Root and the tracker's own user.
    public static let permission = ControlPermission.administrators
    /// Its description in the guide of the control socket.
    public static let documentation =
        "Takes back all that was granted to a user or a group; the rule of the policy file, if any, counts again."

    /// The user, by name or number, or a group with `@` before it.
    public var who = ""

    /// A request with no values set.
    public init() {}

    /// A request.
    ///
    /// - Parameter who: the user, by name or number, or a group with `@` before it.
    public init(who: String) {
        self.who = who
    }

    /// Passes its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.member("who", &who, "The user, by name or number, or a group with @ before it.")
    }

    /// The answer that it is taken back.
    public typealias Answer = GrantChanged
}

/// The tracker has changed what a user or a group may know.
public struct GrantChanged: ControlAnswer {
    /// `GRANTED`.
    public static let className = "GRANTED"
    /// Its description in the guide of the control socket.
    public static let documentation = "What a user or a group may know has changed."

    /// The user, or a group with `@` before it.
    public var who = ""
    /// How many grants were taken back.
    public var count = 0
    /// What the user or group has now by name; nil when nobody has decided.
    public var level: AuthorisationLevel?
    /// When that holds; nil when nobody has decided.
    public var scope: AuthorisationScope?
    /// Why nobody but root may know anything, whatever is granted; nil when the policy and the grants can be used.
    public var problem: String?

    /// An answer with no values set.
    public init() {}

    /// Passes its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.member("who", &who, "The user, or a group with @ before it.")
        try codec.member("count", &count, absent: 0, "How many grants were taken back.")
        try codec.member("level", &level, "What this user or group may know now; absent when nobody has decided.")
        try codec.member("scope", &scope, "When: while connected, or always.")
        try codec.member("problem", &problem, "Why nobody but root may know anything, whatever is granted.")
    }
}
