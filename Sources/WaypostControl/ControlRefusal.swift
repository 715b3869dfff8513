import Waypost

/// The daemon's answer when it does not do what was asked: an ERROR line.
public struct ControlRefusal: Error, Sendable, Hashable {
    /// What kind of refusal it is, for programs.
    public var code: Code
    /// What, why and what to do, for people: `WHAT: WHY; NEXT`.
    public var message: String

    /// The kinds of refusal, by their names on the wire; there is one for each cause that a script may want to tell from others.
    ///
    /// A client that does not know one still has the message.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The line is not a request.
        case badRequest = "bad_request"
        /// The line is longer than requests may be; the connection ends.
        case tooLong = "too_long"
        /// There is no such verb.
        case unknownRequest = "unknown_request"
        /// What was said is a request, but it makes no sense: a cursor behind the end of the log, a fence without a radius.
        case invalidValue = "invalid_value"
        /// What it is about is not there: a fence, a destination, a recording to steer.
        case notFound = "not_found"
        /// It cannot be kept: no room, a read-only disk, a file that cannot be opened.
        case cannotStore = "cannot_store"
        /// Reading or writing failed underway.
        case inputOutput = "io_error"
        /// This user may not know.
        case notAuthorised = "not_authorised"
        /// Nobody may now, or not this way: private mode, a fence of the configuration's own file.
        case notPermitted = "not_permitted"
        /// There are too many connections; this one ends.
        case tooManyConnections = "too_many_connections"
        /// The daemon cannot do it now; later it may.
        case unavailable = "unavailable"
    }

    /// A refusal of that kind, as one line: `WHAT: WHY; NEXT`.
    public init(_ code: Code, what: String, why: String, next: String? = nil) {
        self.init(code, message: "\(what): \(why)" + (next.map { "; \($0)" } ?? ""))
    }

    /// A refusal of that kind, with a whole line for people.
    public init(_ code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// The line that says so, without the line feed.
    public var line: [UInt8] {
        var refusal = RefusalLine()
        (refusal.code, refusal.message) = (code.rawValue, message)
        return refusal.line
    }

    /// What helps a client and a tracker that do not understand each other.
    static let sameVersions = "use waypost and waypostd of one version, and restart the tracker after an upgrade"

    /// A client's word for a message: cut, so that garbage does not come back in full.
    static func quoted(_ word: String) -> String {
        word.count <= 40 ? word : word.prefix(40) + "..."
    }
}

/// The line of a refusal, which comes instead of an answer.
struct RefusalLine: ControlAnswer {
    static let className = "ERROR"
    static let documentation = "The tracker does not do what was asked; this comes instead of an answer."

    /// What kind of refusal it is; a word of ``ControlRefusal/Code``, or of a later version.
    var code = ""
    /// What, why and what to do, for people.
    var message = ""

    mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        let codes = ControlRefusal.Code.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")
        try codec.member("code", &code, absent: "", isOmitted: false, "What kind of refusal it is, for programs: \(codes).")
        try codec.member("message", &message, absent: "", isOmitted: false, "What, why and what to do, for people: `WHAT: WHY; NEXT`.")
    }
}
