import Waypost

/// What a client can ask.
///
/// A new verb is a case here, with its name and options in the two functions below.
public enum ControlRequest: Sendable, Hashable {
    /// The daemon's state, once.
    case status
    /// Positions and events as they come.
    case watch(WatchOptions)
    /// Switches private mode on or off, or asks how it is when nothing is said.
    case privateMode(on: Bool?)
    /// Ends the track that is recorded and makes its GPX file.
    case rotateLog
    /// Says how far a puller has the log.
    case acknowledge(cursor: UInt64, puller: String)
    /// Removes what was logged from one moment on until before another.
    case eraseLog(from: UTCTime, to: UTCTime)

    /// Which lines a watch wants besides positions, losses and events.
    public struct WatchOptions: Sendable, Hashable {
        /// Sky views, too.
        public var sky: Bool

        /// The options of a plain watch, or others.
        public init(sky: Bool = false) {
            self.sky = sky
        }

        /// Whether lines of that topic are wanted.
        func wants(_ topic: ControlTopic) -> Bool {
            topic == .sky ? sky : true
        }
    }

    /// The request on a line.
    ///
    /// Options that the verb does not know are refused rather than skipped: an older daemon must not answer another question than was asked.
    public init(line: Span<UInt8>) throws(ControlRefusal) {
        let value: JSONValue
        do { value = try JSONParser(maximumDepth: 16).parse(line) } catch {
            throw ControlRefusal(.badRequest, "not JSON: column \(error.column): \(error.reason)")
        }
        guard let members = value.object else { throw ControlRefusal(.badRequest, "not a JSON object") }
        guard let verb = members["request"]?.string else { throw ControlRefusal(.badRequest, "no \"request\" in the object") }
        var options = Options(verb: verb, members: members)
        switch verb {
        case "status": self = .status
        case "watch": self = .watch(WatchOptions(sky: try options.bool("sky") ?? false))
        case "private": self = .privateMode(on: try options.bool("on"))
        case "log_rotate": self = .rotateLog
        case "log_ack": self = .acknowledge(cursor: try options.count("cursor"), puller: try options.string("puller"))
        case "log_erase": self = .eraseLog(from: try options.time("from"), to: try options.time("to"))
        default: throw ControlRefusal(.unknownRequest, "unknown request \"\(ControlRefusal.quoted(verb))\"")
        }
        try options.refuseRest()
    }

    /// The line that asks this, without the line feed.
    public var line: [UInt8] {
        var text = TextBuffer()
        text.appendJSON { json in
            json.object { json in
                switch self {
                case .status: json.member("request", "status")
                case .watch(let options):
                    json.member("request", "watch")
                    json.member("sky", options.sky)
                case .privateMode(let on):
                    json.member("request", "private")
                    json.member("on", on)
                case .rotateLog: json.member("request", "log_rotate")
                case .acknowledge(let cursor, let puller):
                    json.member("request", "log_ack")
                    json.member("cursor", Int(clamping: cursor))
                    json.member("puller", puller)
                case .eraseLog(let from, let to):
                    json.member("request", "log_erase")
                    json.member("from", from)
                    json.member("to", to)
                }
            }
        }
        return text.bytes
    }

    /// The members of a request beside its verb; each is taken once.
    private struct Options {
        let verb: String
        var rest: [String: JSONValue]

        init(verb: String, members: [String: JSONValue]) {
            self.verb = verb
            rest = members
            rest["request"] = nil
        }

        mutating func bool(_ name: String) throws(ControlRefusal) -> Bool? {
            guard let value = rest.removeValue(forKey: name) else { return nil }
            guard let bool = value.bool else { throw ControlRefusal(.badRequest, "\"\(name)\" of \(verb) must be true or false") }
            return bool
        }

        mutating func string(_ name: String) throws(ControlRefusal) -> String {
            guard let string = rest.removeValue(forKey: name)?.string else { throw wrong(name, "a text") }
            return string
        }

        mutating func count(_ name: String) throws(ControlRefusal) -> UInt64 {
            guard let count = rest.removeValue(forKey: name)?.int, count >= 0 else { throw wrong(name, "a whole number") }
            return UInt64(count)
        }

        mutating func time(_ name: String) throws(ControlRefusal) -> UTCTime {
            guard let time = rest.removeValue(forKey: name)?.string.flatMap(UTCTime.init(rfc3339:)) else {
                throw wrong(name, "a time of RFC 3339")
            }
            return time
        }

        private func wrong(_ name: String, _ expected: String) -> ControlRefusal {
            ControlRefusal(.badRequest, "\"\(name)\" of \(verb) must be \(expected)")
        }

        func refuseRest() throws(ControlRefusal) {
            guard let name = rest.keys.min() else { return }
            throw ControlRefusal(.badRequest, "unknown option \"\(ControlRefusal.quoted(name))\" of \(verb)")
        }
    }
}
