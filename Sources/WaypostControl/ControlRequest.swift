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

        func refuseRest() throws(ControlRefusal) {
            guard let name = rest.keys.min() else { return }
            throw ControlRefusal(.badRequest, "unknown option \"\(ControlRefusal.quoted(name))\" of \(verb)")
        }
    }
}
