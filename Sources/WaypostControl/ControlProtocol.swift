import Waypost

/// The control socket's protocol: one JSON object per line, both ways.
///
/// ```
/// daemon  {"class":"HELLO","protocol":1,"version":"0.1.0"}            at once
/// client  {"request":"hold","reason":"photo walk"}
/// daemon  {"class":"HELD","reason":"photo walk"}
/// client  {"request":"watch","sky":true}
/// daemon  {"class":"TPV",...}  {"class":"SKY",...}  {"class":"LOST",...}  {"class":"EVENT",...}   as they come
/// client  {"request":"unheard"}
/// daemon  {"class":"ERROR","code":"unknown_request","message":"..."}  instead of an answer
/// ```
/// The guide "The control socket" has every request and answer; it is made from ``ControlRequests/all``.
/// - `class` is always the first member. Members and classes that a client does not know are to be skipped: they may be added without
///   a new protocol number.
/// - Answers come in the order of the requests; a watch continues until the connection ends, and further requests are answered between
///   its lines. A second `watch` replaces the first one's options.
/// - A client may shut down its sending side: its requests are still answered, and a watch continues.
public enum ControlProtocol {
    /// The number of the protocol; it changes when an old client would misunderstand a new daemon.
    public static let version = 1
    /// The longest request line in bytes, without the line feed.
    public static let maximumRequestBytes = 64 << 10
    /// The longest line in bytes that a client accepts from the daemon.
    public static let maximumAnswerBytes = 4 << 20

    /// Whether a line is one that a watch sends; answers have other classes.
    static func isWatched(_ line: [UInt8]) -> Bool {
        watchedClasses.contains { line.starts(with: "{\"class\":\"\($0)\"".utf8) }
    }

    private static let watchedClasses = ["TPV", "SKY", "LOST", "EVENT", "DROPPED", "AUTHORISATION_CHANGE", "WAKE", "LAUNCH"]

    /// A line of any class from the daemon: `class` first, then the members that the closure writes.
    public static func object(_ name: String, _ members: (inout JSONWriter) -> Void) -> [UInt8] {
        var text = TextBuffer()
        text.appendJSON { json in
            json.object { json in
                json.member("class", name)
                members(&json)
            }
        }
        return text.bytes
    }
}

/// The first line of every connection.
struct Greeting: ControlAnswer {
    static let className = "HELLO"
    static let documentation = "The first line of every connection."

    /// The number of the protocol.
    var protocolVersion = ControlProtocol.version
    /// The tracker's version.
    var version = ""
    /// Whether a service manager started the tracker and keeps its messages.
    var isOfService = false

    mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.member(
            "protocol", &protocolVersion, "The number of the protocol; it changes when an old client would misunderstand a new tracker.")
        try codec.member("version", &version, absent: "", isOmitted: false, "The tracker's version.")
        try codec.member("service", &isOfService, absent: false, "Whether a service manager started the tracker and keeps its messages.")
    }
}

/// The topic of a line to watchers, by which a watch selects.
public enum ControlTopic: Sendable, Hashable, CaseIterable {
    /// A position (TPV); selective watches get theirs by `ControlServer`.
    case position
    /// A report without a fix (TPV).
    case noFix
    /// The satellites in view (SKY); only for watches that ask.
    case sky
    /// The place on a road (MATCHED); only for watches that ask.
    case matched
    /// The position was lost (LOST).
    case loss
    /// An event (EVENT).
    case event
}
