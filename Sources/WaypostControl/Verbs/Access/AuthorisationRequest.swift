import Waypost

/// `authorisation`: what this client may know; it can also ask for more.
public struct AuthorisationRequest: ControlVerb {
    /// `authorisation`.
    public static let name = "authorisation"
    /// Every local user.
    public static let permission = ControlPermission.anybody
    /// Its description in the guide of the control socket.
    public static let documentation = """
        Asks what this client may know of the position. With a `reason` it also asks the administrator for it, and with a `purpose` for full \
        accuracy for a while; a question stands until it is answered or the connection ends.
        """

    /// Why the program needs the position, for the administrator; nil when it does not ask.
    public var reason: String?
    /// The purpose, as the policy file has it, for which it needs full accuracy as long as the connection lasts; nil for none.
    public var purpose: String?
    /// Whether changes are told on this connection.
    public var isFollowed = false

    /// The longest reason, in characters.
    public static let longestReason = 500

    /// A request that only asks what may be known now.
    public init() {}

    /// A request.
    ///
    /// - Parameters:
    ///   - reason: why the program needs the position, for the administrator, at most 500 characters; nil when it does not ask.
    ///   - purpose: the purpose for which it needs full accuracy; nil for none.
    ///   - isFollowed: whether changes are told on this connection.
    public init(reason: String? = nil, purpose: String? = nil, isFollowed: Bool = false) {
        (self.reason, self.purpose, self.isFollowed) = (reason, purpose, isFollowed)
    }

    /// Passes its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        let longest = AuthorisationRequest.longestReason
        try codec.member(
            "reason", &reason, rule: ControlRule("a text of 1 to \(longest) characters") { (1...longest).contains($0.count) },
            "Asks for the position: why the program needs it, for the administrator.")
        try codec.member(
            "purpose", &purpose, rule: ControlRule("the key of a purpose") { AccessPolicy.isKey($0) },
            "Asks for full accuracy as long as the connection lasts: a purpose of the policy file.")
        try codec.member("follow", &isFollowed, absent: false, "Whether changes are told on this connection, as AUTHORISATION_CHANGE.")
    }

    /// What the client may know.
    public struct Answer: ControlAnswer {
        /// `AUTHORISATION`.
        public static let className = "AUTHORISATION"
        /// Its description in the guide of the control socket.
        public static let documentation = "What the client may know of the position."

        /// How much, when, and whether for a while only.
        public var authorisation = Authorisation(.notDetermined)
        /// Whether the question waits for the administrator's answer.
        public var isAsked = false
        /// What the purpose is, in the words of the policy file.
        public var purposeText: String?

        /// An answer that nobody has decided.
        public init() {}

        /// Passes its members to the codec.
        public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
            try codec.authorisation(&authorisation)
            try codec.member("asked", &isAsked, absent: false, "Whether the question waits for the administrator's answer.")
            try codec.member("purpose_text", &purposeText, "What the purpose is, in the words of the policy file.")
        }
    }
}

/// What a client may know has changed.
public struct AuthorisationChange: ControlAnswer {
    /// `AUTHORISATION_CHANGE`.
    public static let className = "AUTHORISATION_CHANGE"
    /// Its description in the guide of the control socket.
    public static let documentation = "What the client may know has changed; sent to watches and to clients that follow it."

    /// What it may know now.
    public var authorisation = Authorisation(.notDetermined)

    /// A change with no values set.
    public init() {}

    /// A change.
    ///
    /// - Parameter authorisation: what the client may know now.
    public init(_ authorisation: Authorisation) {
        self.authorisation = authorisation
    }

    /// Passes its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.authorisation(&authorisation)
    }
}

extension AuthorisationLevel: ControlChoice {}
extension AuthorisationScope: ControlChoice {}

extension ControlCodec {
    /// The members of an authorisation.
    mutating func authorisation(_ authorisation: inout Authorisation) throws(Failure) {
        try member("level", &authorisation.level, "How much of the position may be known.")
        try member("scope", &authorisation.scope, "While connected, or always: a registration needs `always`.")
        try member("temporary", &authorisation.isTemporary, absent: false, "Whether it ends with a time or a connection.")
    }
}
