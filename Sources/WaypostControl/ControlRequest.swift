import Waypost

/// What a client can ask.
///
/// A new verb is a case here, with its name and options in the two functions below.
public enum ControlRequest: Sendable, Hashable {
    /// The daemon's state, once.
    case status
    /// Positions and events as they come.
    case watch(WatchOptions)
    /// Keeps positions coming until the connection ends, for a reason that `status` shows.
    case hold(reason: String)
    /// Steers the recordings and simulated drives that are played.
    case playback(PlaybackChange)
    /// What the tracker and its box can do.
    case capabilities
    /// The fences, from that one on in their order, with their shapes or without; as many as an answer holds.
    case listFences(from: Int, withShapes: Bool)
    /// The fences that count now, the nearest first, and those that the device is inside of.
    case activeFences
    /// Adds fences, or changes those of the same ids: a GeoJSON FeatureCollection, with more of the same change to come on this connection.
    case addFences(JSONValue, more: Bool)
    /// Removes a fence that was added so.
    case removeFence(id: String)
    /// Switches private mode on or off, or asks how it is when nothing is said.
    case privateMode(on: Bool?)
    /// Ends the track that is recorded and makes its GPX file.
    case rotateLog
    /// Says how far a puller has the log.
    case acknowledge(cursor: UInt64, puller: String)
    /// Removes what was logged from one moment on until before another.
    case eraseLog(from: UTCTime, to: UTCTime)
    /// Sends an application's own event.
    case track(name: String, values: [String: JSONValue])
    /// What waits to be sent.
    case dispatch(DispatchCommand)
    /// What waits for one destination.
    case waiting(WaitingQuestion)
    /// What became of fixes and events.
    case ledger(LedgerQuestion)

    /// Which lines a watch wants.
    public struct WatchOptions: Sendable, Hashable {
        /// Sky views, too.
        public var sky: Bool
        /// Positions, reports without a fix and losses; false for events alone.
        public var positions: Bool
        /// Which positions.
        public var selection: PositionSelection.Options

        /// The options of a plain watch, or others.
        public init(sky: Bool = false, positions: Bool = true, selection: PositionSelection.Options = .init()) {
            self.sky = sky
            self.positions = positions
            self.selection = selection
        }

        /// Whether a line of that topic, sent to every watch, is wanted.
        func wants(_ topic: ControlTopic) -> Bool {
            switch topic {
            case .position: positions && selection.takesEverything
            case .noFix: positions && !selection.isSignificantOnly
            case .sky: positions && sky
            case .loss: positions
            case .event: true
            }
        }
    }

    /// What to change about the recordings and simulated drives that are played; nil leaves it.
    public struct PlaybackChange: Sendable, Hashable {
        /// The position stands still.
        public var isStationary: Bool?
        /// There is no position, while the drive goes on.
        public var isPositionLost: Bool?
        /// It begins again.
        public var resets: Bool

        /// A change, or none: then the answer says how it is.
        public init(isStationary: Bool? = nil, isPositionLost: Bool? = nil, resets: Bool = false) {
            self.isStationary = isStationary
            self.isPositionLost = isPositionLost
            self.resets = resets
        }
    }

    /// The request on a line.
    ///
    /// Options that the verb does not know are refused rather than skipped: an older daemon must not answer another question than was asked.
    public init(line: Span<UInt8>) throws(ControlRefusal) {
        let value: JSONValue
        do { value = try JSONParser(maximumDepth: 16).parse(line) } catch {
            throw ControlRefusal(.badRequest, what: "request", why: "is not JSON: column \(error.column): \(error.reason)")
        }
        guard let members = value.object else { throw ControlRefusal(.badRequest, what: "request", why: "is not a JSON object") }
        guard let verb = members["request"]?.string else {
            throw ControlRefusal(.badRequest, what: "request", why: "has no \"request\" in the object")
        }
        var options = Options(verb: verb, members: members)
        switch verb {
        case "status": self = .status
        case "watch": self = .watch(try options.watch())
        case "hold": self = .hold(reason: try options.string("reason"))
        case "playback":
            self = .playback(
                PlaybackChange(
                    isStationary: try options.bool("stationary"), isPositionLost: try options.bool("position_lost"),
                    resets: try options.bool("reset") ?? false))
        case "capabilities": self = .capabilities
        case "fences_list":
            self = .listFences(from: Int(clamping: try options.count("from")), withShapes: try options.bool("shapes") ?? false)
        case "fences_active": self = .activeFences
        case "fences_add": self = .addFences(try options.object("fences"), more: try options.bool("more") ?? false)
        case "fences_remove": self = .removeFence(id: try options.string("id"))
        case "private": self = .privateMode(on: try options.bool("on"))
        case "log_rotate": self = .rotateLog
        case "log_ack": self = .acknowledge(cursor: try options.count("cursor"), puller: try options.string("puller"))
        case "log_erase":
            let (from, to) = (try options.time("from"), try options.time("to"))
            guard from < to else { throw ControlRefusal(.badRequest, what: "log_erase", why: "\"from\" must be before \"to\"") }
            self = .eraseLog(from: from, to: to)
        case "track":
            self = .track(name: try options.string("name"), values: try options.object("values").object ?? [:])
        case "dispatch": self = .dispatch(try options.dispatch())
        case "waiting_export": self = .waiting(.export(destination: try options.string("destination"), after: try options.waitingPage()))
        case "waiting_move":
            self = .waiting(.move(destination: try options.string("destination"), target: try options.string("target")))
        case "waiting_discard": self = .waiting(.discard(destination: try options.string("destination")))
        case "ledger": self = .ledger(try options.ledger())
        default:
            throw ControlRefusal(
                .unknownRequest, what: "request \"\(ControlRefusal.quoted(verb))\"", why: "is not known to this tracker",
                next: ControlRefusal.sameVersions)
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
                    if !options.positions { json.member("positions", false) }
                    if options.selection.isSignificantOnly { json.member("significant", true) }
                    if options.selection.distanceFilterMetres > 0 { json.member("distance", options.selection.distanceFilterMetres) }
                    if options.selection.accuracy != .best { json.member("accuracy", options.selection.accuracy.rawValue) }
                case .hold(let reason):
                    json.member("request", "hold")
                    json.member("reason", reason)
                case .playback(let change):
                    json.member("request", "playback")
                    json.member("stationary", change.isStationary)
                    json.member("position_lost", change.isPositionLost)
                    if change.resets { json.member("reset", true) }
                case .capabilities: json.member("request", "capabilities")
                case .listFences(let from, let withShapes):
                    json.member("request", "fences_list")
                    json.member("from", from)
                    json.member("shapes", withShapes)
                case .activeFences: json.member("request", "fences_active")
                case .addFences(let collection, let more):
                    json.member("request", "fences_add")
                    if more { json.member("more", true) }
                    json.member("fences", collection)
                case .removeFence(let id):
                    json.member("request", "fences_remove")
                    json.member("id", id)
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
                case .track(let name, let values):
                    json.member("request", "track")
                    json.member("name", name)
                    json.member("values", .object(values))
                case .ledger(.record(let id)):
                    json.member("request", "ledger")
                    json.member("id", id)
                case .ledger(.since(let time, let page)):
                    json.member("request", "ledger")
                    json.member("since", time)
                    json.member("page", page.text)
                case .waiting(let question):
                    json.member("request", question.verb)
                    switch question {
                    case .export(let name, let page):
                        json.member("destination", name)
                        json.member("page", page?.text)
                    case .move(let name, let target):
                        json.member("destination", name)
                        json.member("target", target)
                    case .discard(let name): json.member("destination", name)
                    }
                case .dispatch(let command):
                    json.member("request", "dispatch")
                    json.member("action", command.action.rawValue)
                    json.member("destination", command.destination)
                    json.member("number", command.number.map { Int(clamping: $0) })
                    if command.action == .drain { json.member("budget", Int(clamping: command.budgetSeconds)) }
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
            guard let bool = value.bool else { throw wrong(name, "true or false") }
            return bool
        }

        mutating func watch() throws(ControlRefusal) -> WatchOptions {
            var selection = PositionSelection.Options(isSignificantOnly: try bool("significant") ?? false)
            if let value = rest.removeValue(forKey: "distance") {
                guard let metres = value.double, (0...1_000_000).contains(metres) else {
                    throw wrong("distance", "metres, from 0 to 1000000")
                }
                selection.distanceFilterMetres = metres
            }
            if let value = rest.removeValue(forKey: "accuracy") {
                guard let level = value.string.flatMap(DesiredAccuracy.init(rawValue:)) else {
                    throw wrong("accuracy", "one of \(DesiredAccuracy.allCases.map(\.rawValue).joined(separator: ", "))")
                }
                selection.accuracy = level
            }
            return WatchOptions(sky: try bool("sky") ?? false, positions: try bool("positions") ?? true, selection: selection)
        }

        mutating func dispatch() throws(ControlRefusal) -> DispatchCommand {
            let actions = DispatchCommand.Action.allCases
            guard let action = DispatchCommand.Action(rawValue: try string("action")) else {
                throw wrong("action", "one of \(actions.map(\.rawValue).joined(separator: ", "))")
            }
            var command = DispatchCommand(action)
            if rest["destination"] != nil { command.destination = try string("destination") }
            if rest["number"] != nil { command.number = try count("number") }
            if action == .drain, rest["budget"] != nil {
                command.budgetSeconds = try count("budget")
                let longest = DispatchCommand.maximumBudgetSeconds
                guard (1...longest).contains(command.budgetSeconds) else { throw wrong("budget", "seconds, from 1 to \(longest)") }
            }
            return command
        }

        mutating func ledger() throws(ControlRefusal) -> LedgerQuestion {
            if rest["id"] != nil { return .record(id: try string("id")) }
            let since = try time("since")
            guard rest["page"] != nil else { return .since(since, .outbox(0)) }
            guard let page = LedgerPage(text: try string("page")) else { throw wrong("page", "what \"next\" of the answer before said") }
            return .since(since, page)
        }

        mutating func waitingPage() throws(ControlRefusal) -> WaitingPage? {
            guard rest["page"] != nil else { return nil }
            guard let page = WaitingPage(text: try string("page")) else { throw wrong("page", "what \"next\" of the answer before said") }
            return page
        }

        mutating func string(_ name: String) throws(ControlRefusal) -> String {
            guard let string = rest.removeValue(forKey: name)?.string else { throw wrong(name, "a text") }
            return string
        }

        mutating func object(_ name: String) throws(ControlRefusal) -> JSONValue {
            guard let value = rest.removeValue(forKey: name), value.object != nil else { throw wrong(name, "an object") }
            return value
        }

        mutating func count(_ name: String) throws(ControlRefusal) -> UInt64 {
            guard let count = rest.removeValue(forKey: name)?.int, count >= 0 else { throw wrong(name, "a whole number") }
            return UInt64(count)
        }

        mutating func time(_ name: String) throws(ControlRefusal) -> UTCTime {
            guard let time = rest.removeValue(forKey: name)?.time else {
                throw wrong(name, "a time of RFC 3339")
            }
            return time
        }

        private func wrong(_ name: String, _ expected: String) -> ControlRefusal {
            ControlRefusal(.badRequest, what: verb, why: "\"\(name)\" must be \(expected)")
        }

        func refuseRest() throws(ControlRefusal) {
            guard let name = rest.keys.min() else { return }
            throw ControlRefusal(
                .badRequest, what: verb, why: "has no option \"\(ControlRefusal.quoted(name))\"", next: ControlRefusal.sameVersions)
        }
    }
}
