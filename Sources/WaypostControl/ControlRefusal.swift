import Waypost

/// The daemon's answer when it does not do what was asked: an ERROR line.
public struct ControlRefusal: Error, Sendable, Hashable {
    /// What kind of refusal it is, for programs.
    public var code: Code
    /// Why, for people.
    public var message: String

    /// The kinds of refusal, by their names on the wire.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The line is not a request.
        case badRequest = "bad_request"
        /// The line is longer than requests may be; the connection ends.
        case tooLong = "too_long"
        /// There is no such verb.
        case unknownRequest = "unknown_request"
        /// This user may not know.
        case notAuthorised = "not_authorised"
        /// There are too many connections; this one ends.
        case tooManyConnections = "too_many_connections"
        /// The daemon cannot answer now.
        case unavailable = "unavailable"
    }

    /// A refusal of that kind and reason.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The line that says so, without the line feed.
    public var line: [UInt8] {
        ControlProtocol.object("ERROR") { json in
            json.member("code", code.rawValue)
            json.member("message", message)
        }
    }

    /// A client's word for a message: cut, so that garbage does not come back in full.
    static func quoted(_ word: String) -> String {
        word.count <= 40 ? word : word.prefix(40) + "..."
    }
}
