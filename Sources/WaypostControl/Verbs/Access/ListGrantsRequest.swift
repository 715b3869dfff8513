import Waypost

/// `grants`: who may know what, and who asks.
public struct ListGrantsRequest: ControlVerb {
    /// `grants`.
    public static let name = "grants"
    /// Every local user, about themselves.
    public static let permission = ControlPermission.anybody
    /// Its description in the guide of the control socket.
    public static let documentation = """
        Lists who may know what, what each door gives, and who asks. Who does not operate the tracker is told of their own user and groups alone.
        """

    /// A request.
    public init() {}

    /// Passes its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {}

    /// Who may know what.
    public typealias Answer = GrantReport
}

/// Who may know what, and who asks.
public struct GrantReport: ControlAnswer {
    /// `GRANTS`.
    public static let className = "GRANTS"
    /// Its description in the guide of the control socket.
    public static let documentation = "Who may know what of the position, what each door gives, and who asks."

    /// The policy file.
    public var policy = ""
    /// Whether there is one.
    public var hasPolicy = false
    /// Why nobody but root may know anything; nil when all is well.
    public var problem: String?
    /// Users and groups, in the order of their names.
    public var grants: [GrantEntry] = []
    /// What the configured doors give.
    public var doors: [DoorEntry] = []
    /// Who asks and has no answer yet.
    public var questions: [QuestionEntry] = []
    /// What each purpose is, in the words of the policy file.
    public var purposes: [String: JSONValue] = [:]

    /// An answer with no values set.
    public init() {}

    /// Passes its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.member("policy", &policy, "The policy file.")
        try codec.member("exists", &hasPolicy, "Whether there is one.")
        try codec.member("problem", &problem, "Why nobody but root may know anything; absent when all is well.")
        try codec.member("grants", &grants, "Users and groups for whom somebody has decided.")
        try codec.member("doors", &doors, "What each configured door gives.")
        try codec.member("asking", &questions, "Who asks and has no answer yet.")
        try codec.member("purposes", &purposes, "What each purpose is, by its key.")
    }
}

/// What a user or a group may know, and where that is said.
public struct GrantEntry: ControlObject {
    /// Where a grant comes from.
    public struct Origin: ControlWord {
        /// The word on the wire.
        public let text: String

        /// A word from its text.
        public init(_ text: String) {
            self.text = text
        }

        /// Always so: root, the tracker's user, its group.
        public static let builtIn = Origin("built_in")
        /// The policy file.
        public static let policy = Origin("policy")
        /// `waypost grant`.
        public static let grant = Origin("grant")

        /// The words of this version.
        public static let known: [Origin] = [.builtIn, .policy, .grant]
    }

    /// The user, or a group with `@` before it.
    public var who = ""
    /// How much.
    public var level = AuthorisationLevel.none
    /// When.
    public var scope = AuthorisationScope.attached
    /// Where that is said.
    public var origin = Origin.grant
    /// How many seconds it still holds; nil for ever.
    public var seconds: Int?
    /// The purpose for which full accuracy may be asked for.
    public var purpose: String?

    /// An entry with no values set.
    public init() {}

    /// Passes its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.member("who", &who, "The user, or a group with @ before it.")
        try codec.member("level", &level, "How much of the position.")
        try codec.member("scope", &scope, "While connected, or always.")
        try codec.member("from", &origin, "Where that is said.")
        try codec.member("seconds", &seconds, "How long it still holds; absent for ever.")
        try codec.member("purpose", &purpose, "Only while a program asks for full accuracy for this purpose.")
    }
}

/// What a door gives.
public struct DoorEntry: ControlObject {
    /// Its key in `[share]`, or `page` or `guest`.
    public var name = ""
    /// How much of the position it gives.
    public var level = AuthorisationLevel.none

    /// An entry with no values set.
    public init() {}

    /// A door.
    ///
    /// - Parameters:
    ///   - name: its key in `[share]`, or `page` or `guest`.
    ///   - level: how much of the position it gives.
    public init(name: String, level: AuthorisationLevel) {
        (self.name, self.level) = (name, level)
    }

    /// Passes its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.member("name", &name, "Its key in `[share]`, or `page` or `guest`.")
        try codec.member("level", &level, "How much of the position it gives.")
    }
}

/// Somebody who asks for the position.
public struct QuestionEntry: ControlObject {
    /// The user.
    public var who = ""
    /// The process; nil when it is not known.
    public var processID: Int?
    /// Why, in the program's words.
    public var reason: String?
    /// The purpose for which it asks for full accuracy; nil for the position as such.
    public var purpose: String?
    /// How many seconds it has been waiting.
    public var seconds = 0

    /// An entry with no values set.
    public init() {}

    /// Passes its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.member("who", &who, "The user.")
        try codec.member("pid", &processID, "The process; absent when it is not known.")
        try codec.member("reason", &reason, "Why, in the program's words.")
        try codec.member("purpose", &purpose, "The purpose for which it asks for full accuracy.")
        try codec.member("seconds", &seconds, "How long it has been waiting.")
    }
}
