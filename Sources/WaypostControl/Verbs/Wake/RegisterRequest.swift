import Waypost

/// A request about a registration of this user.
///
/// A type of this protocol has a name, a description for the guide, a registration and an answer; everything else is here.
public protocol RegistrationRequest: ControlVerb {
    /// The name of the registration.
    var registration: String { get set }
}

extension RegistrationRequest {
    /// Every local user.
    public static var permission: ControlPermission { .anybody }

    /// A request.
    ///
    /// - Parameter registration: the name of the registration.
    public init(registration: String) {
        self.init()
        self.registration = registration
    }

    /// Passes the name of the registration to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.registration(&registration)
    }
}

/// `register`: wants a program woken by what happens, though it is not running.
public struct RegisterRequest: RegistrationRequest {
    /// `register`.
    public static let name = "register"
    /// Its description in the guide of the control socket.
    public static let documentation = """
        Registers this user's program NAME for events; it is on the disk when the answer comes. The user must be authorised with scope `always`; \
        whoever may only know roughly where the device is registers for `significant` only, and gets the reduced position. The \
        tracker does not start the program itself, and does not know how to: `waypost agent` does, as that user (see `waypost register`).
        """

    /// The name: 1 to 64 letters, digits, `-`, `_` and `.`, the first no `.`.
    public var registration = ""
    /// What wakes the program.
    public var kinds: [WakeKind] = []
    /// Whether it is a unit of systemd, which acknowledges its events itself.
    public var isUnit = false
    /// What is started, for people.
    public var program = ""

    /// A request with no values set.
    public init() {}

    /// Passes its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.registration(&registration)
        try codec.member(
            "on", &kinds, rule: ControlRule("a list with at least one of significant, enter, exit, dwell, pass") { !$0.isEmpty },
            "What wakes the program: significant, enter, exit, dwell, pass.")
        try codec.member("unit", &isUnit, absent: false, "Whether it is a unit of systemd, which acknowledges its events itself.")
        try codec.member(
            "program", &program, rule: ControlRule("a text of 1 to 4096 bytes") { (1...4_096).contains($0.utf8.count) },
            "What is started, for people.")
    }

    /// The answer that it is registered.
    public typealias Answer = RegistrationChanged
}

/// `unregister`: removes a registration with its events.
public struct UnregisterRequest: RegistrationRequest {
    /// `unregister`.
    public static let name = "unregister"
    /// Its description in the guide of the control socket.
    public static let documentation = "Removes a registration of this user, with the events that wait for it."

    /// The name.
    public var registration = ""

    /// A request with no values set.
    public init() {}

    /// The answer that it is removed.
    public typealias Answer = RegistrationChanged
}

/// `rehearse`: wakes a program with a synthetic event, in the way of a real one.
public struct RehearseRequest: RegistrationRequest {
    /// `rehearse`.
    public static let name = "rehearse"
    /// Its description in the guide of the control socket.
    public static let documentation = "Wakes a program of this user with a synthetic event (`test` is true), in the way of a real one."

    /// The name.
    public var registration = ""

    /// A request with no values set.
    public init() {}

    /// The answer with the event's id.
    public typealias Answer = RegistrationChanged
}

/// A registration was made, changed or removed; it is on the disk.
public struct RegistrationChanged: ControlAnswer {
    /// `REGISTERED`.
    public static let className = "REGISTERED"
    /// Its description in the guide of the control socket.
    public static let documentation = "A registration was made, changed or removed; it is on the disk."

    /// The name.
    public var registration = ""
    /// The id of the event, of a rehearsal.
    public var id: String?
    /// Whether somebody is there who starts this user's programs: `waypost agent`.
    public var hasAgent = false
    /// Whether the program of a registration that was removed runs still; it goes on to its end.
    public var isRunning = false

    /// An answer with no values set.
    public init() {}

    /// Passes its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.member("name", &registration, "The name.")
        try codec.member("id", &id, "The id of the event, of a rehearsal.")
        try codec.member("agent", &hasAgent, absent: false, "Whether somebody is connected who starts this user's programs.")
        try codec.member(
            "running", &isRunning, absent: false,
            "Whether the program of a registration that was removed runs still; it goes on to its end.")
    }
}

extension WakeKind: ControlChoice {}

extension ControlCodec {
    /// The name of a registration.
    mutating func registration(_ name: inout String) throws(Failure) {
        try member(
            "name", &name, rule: ControlRule(AccessPolicy.keyWords) { AccessPolicy.isKey($0) },
            "The name of the registration: 1 to 64 letters, digits, `-`, `_` and `.`, the first no `.`.")
    }
}
