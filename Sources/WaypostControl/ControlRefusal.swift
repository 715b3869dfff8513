import Waypost

/// The daemon's answer when it does not carry out a request: an ERROR line.
public struct ControlRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of refusal, for programs.
    public var code: Code
    /// The problem, its cause and the remedy, for people: `WHAT: WHY; NEXT`.
    public var message: String
    /// The same.
    public var description: String { message }

    /// The kinds of refusal, by their names on the wire; there is one for each cause that a script may want to distinguish.
    ///
    /// A client that does not know a code still has the message.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The line is not a request.
        case badRequest = "bad_request"
        /// The line is longer than requests may be; the connection ends.
        case tooLong = "too_long"
        /// There is no such verb.
        case unknownRequest = "unknown_request"
        /// It is a request, but its values make no sense: a cursor after the end of the log, a fence without a radius.
        case invalidValue = "invalid_value"
        /// The thing it refers to does not exist: a fence, a destination, a recording to control.
        case notFound = "not_found"
        /// It cannot be stored: no space, a read-only disk, a file that cannot be opened.
        case cannotStore = "cannot_store"
        /// Reading or writing failed on the way.
        case inputOutput = "io_error"
        /// This user has no access.
        case notAuthorised = "not_authorised"
        /// It is not allowed now for anybody, or not in this way: private mode, a fence from the configuration's own file.
        case notPermitted = "not_permitted"
        /// There are too many connections; this one ends.
        case tooManyConnections = "too_many_connections"
        /// The daemon cannot do it now, but may later.
        case unavailable = "unavailable"
    }

    /// A refusal of the given kind, as one line: `WHAT: WHY; NEXT`.
    public init(_ code: Code, what: String, why: String, next: String? = nil) {
        self.init(code, message: "\(what): \(why)" + (next.map { "; \($0)" } ?? ""))
    }

    /// A refusal of the given kind, with a complete line for people.
    public init(_ code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// The ERROR line, without the line feed.
    public var line: [UInt8] {
        var refusal = RefusalLine()
        (refusal.code, refusal.message) = (code.rawValue, message)
        return refusal.line
    }

    /// The remedy for a client and a tracker that do not understand each other.
    static let sameVersions = "use waypost and waypostd of one version, and restart the tracker after an upgrade"

    /// A client's text for use in a message: shortened, so that garbage does not come back in full.
    static func quoted(_ word: String) -> String {
        word.count <= 40 ? word : word.prefix(40) + "..."
    }
}

/// The line of a refusal, which is sent instead of an answer.
struct RefusalLine: ControlAnswer {
    static let className = "ERROR"
    static let documentation = "The tracker refuses a request; this is sent instead of an answer."

    /// The kind of refusal; a word of ``ControlRefusal/Code``, or of a later version.
    var code = ""
    /// The problem, its cause and the remedy, for people.
    var message = ""

    mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        let codes = ControlRefusal.Code.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")
        try codec.member("code", &code, absent: "", isOmitted: false, "The kind of refusal, for programs: \(codes).")
        try codec.member("message", &message, absent: "", isOmitted: false, "Problem, cause and remedy, for people: `WHAT: WHY; NEXT`.")
    }
}
