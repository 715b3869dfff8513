import Waypost

/// The control socket's protocol: one JSON object per line, both ways.
///
/// ```
/// daemon  {"class":"HELLO","protocol":1,"version":"0.1.0"}            at once; "service":true under a service manager
/// client  {"request":"status"}
/// daemon  {"class":"STATUS",...}
/// client  {"request":"watch","sky":true}
/// daemon  {"class":"TPV",...}  {"class":"SKY",...}  {"class":"LOST",...}  {"class":"EVENT",...}   as they come
/// client  {"request":"watch","significant":true}       or "distance":50, "accuracy":"nearestTenMeters", "positions":false
/// client  {"request":"hold","reason":"photo walk"}     until the connection ends
/// daemon  {"class":"HELD","reason":"photo walk"}
/// client  {"request":"playback","stationary":true}     or "position_lost", "reset"; nothing: how is it?
/// daemon  {"class":"PLAYBACK","playing":1,"stationary":true,"position_lost":false}
/// client  {"request":"capabilities"}
/// daemon  {"class":"CAPABILITIES",...}
/// client  {"request":"fences_list","from":0,"shapes":false}
/// daemon  {"class":"FENCES","total":2,"features":[...]}
/// client  {"request":"fences_add","fences":{"type":"FeatureCollection","features":[...]}}   or fences_remove with "id", fences_active
/// daemon  {"class":"FENCES_CHANGED","changed":2}
/// client  {"request":"fences_add","more":true,"fences":{...}}   a part of a change; the one without "more" makes all of it, or the end none
/// daemon  {"class":"FENCES_CHANGED","changed":0,"waiting":500}
/// client  {"request":"private","on":true}      without "on": how is it?
/// daemon  {"class":"PRIVATE","on":true}
/// client  {"request":"log_rotate"}
/// daemon  {"class":"ROTATED","track":"/var/log/waypost/NAME.gpx","positions":3600}
/// client  {"request":"log_ack","cursor":4711,"puller":"home"}
/// daemon  {"class":"ACKNOWLEDGED","puller":"home","cursor":4711}
/// client  {"request":"log_erase","from":"2026-11-21T11:00:00Z","to":"2026-11-21T12:00:00Z"}
/// daemon  {"class":"ERASED","positions":3600,"tracks":1}
/// client  {"request":"track","name":"delivered","values":{"parcel":7}}
/// daemon  {"class":"TRACKED","id":"t-...","not_for":["recorder"],"why":["..."]}   destinations that have no word for it, and why each
/// client  {"request":"dispatch","action":"now","destination":"home"}   or status, pause, resume, drain ("budget"), list, retry, drop ("number")
/// daemon  {"class":"DISPATCHED","completion":"good"}                     {"class":"DISPATCH",...} {"class":"DEAD_LETTERS",...}
/// client  {"request":"ledger","id":"t-..."}                               or "since":"2026-11-21T11:00:00Z", then "page" as "next" said
/// daemon  {"class":"LEDGER","records":[{"kind":"track","id":"t-...","destinations":[{"name":"home","state":"queued"}]}]}
///         {"class":"DROPPED","count":12}       the client was too slow for so many lines, the oldest
/// daemon  {"class":"ERROR","code":"unknown_request","message":"..."}  instead of an answer
/// ```
/// - `class` is always the first member. Members and classes that a client does not know are to be skipped: they may be added without
///   a new protocol number.
/// - Answers come in the order of the requests; a watch goes on until the connection ends, and further requests are answered between
///   its lines. A second `watch` replaces the first one's options.
/// - A client may shut down its sending side: what it asked for is still answered, and a watch goes on.
public enum ControlProtocol {
    /// The number of the protocol; it changes when an old client would misunderstand a new daemon.
    public static let version = 1
    /// The longest request line in bytes, without the line feed.
    public static let maximumRequestBytes = 64 << 10
    /// The longest line in bytes that a client takes from the daemon.
    public static let maximumAnswerBytes = 4 << 20

    /// The first line of every connection.
    static func hello(programVersion: String, isService: Bool) -> [UInt8] {
        object("HELLO") { json in
            json.member("protocol", version)
            json.member("version", programVersion)
            if isService { json.member("service", true) }
        }
    }

    /// Whether a line is one of those that a watch sends; no answer is of such a class.
    static func isWatched(_ line: [UInt8]) -> Bool {
        watchedClasses.contains { line.starts(with: "{\"class\":\"\($0)\"".utf8) }
    }

    private static let watchedClasses = ["TPV", "SKY", "LOST", "EVENT", "DROPPED"]

    /// Tells a watcher how many lines it has missed.
    static func dropped(_ count: Int) -> [UInt8] {
        object("DROPPED") { json in json.member("count", count) }
    }

    /// A line of any class, for what the daemon has to tell: `class` first, then what the closure writes.
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

/// What a line to watchers is about; a watch chooses by it.
public enum ControlTopic: Sendable, Hashable, CaseIterable {
    /// A position (TPV); watches that are selective get theirs by ``ControlServer/send(_:to:)``.
    case position
    /// A report without a fix (TPV).
    case noFix
    /// The satellites in view (SKY); only for watches that ask.
    case sky
    /// The position was lost (LOST).
    case loss
    /// Anything that happened (EVENT).
    case event
}
