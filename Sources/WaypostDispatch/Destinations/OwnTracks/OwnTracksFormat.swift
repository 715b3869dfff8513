import Waypost
import WaypostSystem

/// OwnTracks' messages, for both transports: over MQTT each goes to its topic, over HTTP one after the other to one URL.
///
/// ```
/// {"_type":"location","lat":..,"lon":..,"tst":..,"acc":4,"alt":46,"vel":49,"cog":96,"tid":"v7","_id":"p-4711-.."}   BASE
/// {"_type":"transition","event":"enter"|"leave","desc":"Yard","tst":..,"wtst":..,"acc":4,"lat":..,"lon":..,"t":"c","rid":..}    BASE/event
/// {"_type":"status","linux":{...},"_id":..}                                                                                    BASE/status
/// {"_type":"waypoints","_creator":"waypost","waypoints":[...]}                                                              BASE/waypoints
/// {"_type":"lwt","tst":..}                                                                                                      BASE
/// {"_type":"encrypted","data":BASE64}    any of the others but the last, when there is a secret
/// ```
/// - Units: `tst`, `wtst` and `created_at` whole seconds, cut; `acc` and `alt` (above mean sea level) whole metres, `vel` km/h, `cog` degrees.
///   Unknown values are left out. `acc` is rounded up, so that it never looks better than it is; 0 in a transition means unknown.
/// - How records are expressed: a position is a location; an enter and an exit are transitions; a pass is both; a track call is a location
///   with its name as `poi` and its values as `values`; health is a status; fences are waypoints, where they are wanted. A dwell cannot be
///   expressed: the apps send `enter` again, which would break the alternation that a receiver may rely on; nor can a track call without a
///   place. A record without a time, and without one from which to calculate it, waits until the time of day is known.
/// - `_id` is the record's id, which identifies repeats; `wtst` is the number that exported waypoints of the fence have.
/// - Source: https://owntracks.org/booklet/tech/json/
public struct OwnTracksFormat: RecordFormat {
    /// The identity of the sender, and the options.
    public struct Settings: Sendable, Hashable {
        /// The user's name, one level of a topic: a dash replaces characters with a meaning in topics.
        public var user: String
        /// The device's name, treated like ``user``.
        public var device: String
        /// The topic of locations; `%u` and `%d` stand for user and device.
        public var topicBase = "owntracks/%u/%d"
        /// Two characters that mark the device on maps; nil for the last two letters and digits of its name.
        public var trackerID: String?
        /// The secret for the encryption of payloads; nil for none.
        public var secret: String?
        /// Whether the circles among the fences are sent.
        public var sendsWaypoints = false
        /// Whether messages name their topic, as needed over HTTP, where nothing else does.
        public var namesTopic = false

        /// The settings of a device.
        public init(user: String, device: String) {
            self.user = user
            self.device = device
        }
    }

    /// The topic of locations; the others are below it.
    public let topic: String
    let settings: Settings
    private let trackerID: String
    private let box: SecretBox?

    /// A format with the given settings.
    public init(_ settings: Settings) {
        self.settings = settings
        topic = OwnTracksFormat.expanded(settings.topicBase, settings)
        let signs = settings.device.filter { $0.isLetter || $0.isNumber }
        trackerID = settings.trackerID ?? String((signs.isEmpty ? settings.device : signs).suffix(2))
        box = settings.secret.map { SecretBox(key: OwnTracksFormat.key(of: $0)) }
    }

    /// The key of a secret: shorter secrets are filled with zeros, of longer ones only the beginning counts.
    static func key(of secret: String) -> [UInt8] {
        let bytes = secret.utf8.prefix(SecretBox.keyByteCount)
        return bytes + [UInt8](repeating: 0, count: SecretBox.keyByteCount - bytes.count)
    }

    /// Whether the format can express a record, and everything for it is known.
    public func verdict(on record: DispatchRecord, at now: UTCTime?) -> FormatVerdict {
        switch record.content {
        case .position: record.verdictWithTime(at: now)
        case .track(let call):
            call.position == nil ? .unsaid(reason: "OwnTracks takes no event without a position") : record.verdictWithTime(at: now)
        case .event(let event):
            event.kind == "dwell" ? .unsaid(reason: "OwnTracks has no event for a stay") : record.verdictWithTime(at: now)
        case .health: .said
        case .waypoints: settings.sendsWaypoints ? .said : .unsaid(reason: "it is not told of fences: waypoints = false")
        }
    }

    /// The messages for a record, in order: none, one, or two for a pass.
    ///
    /// - Parameters:
    ///   - record: the record to send.
    ///   - now: the time of sending, as far as it is known.
    /// - Errors: libsodium, which encrypts, is not installed.
    public func messages(for record: DispatchRecord, at now: UTCTime?) throws(FormatError) -> [OwnTracksMessage] {
        let time = record.bestTime(at: now)
        switch record.content {
        case .position(let position):
            guard let time else { return [] }
            return [try location(position, time, record, at: now)]
        case .track(let call):
            guard let time, let position = call.position else { return [] }
            return [try location(position, time, record, at: now)]
        case .event(let event): return try transitions(event, time)
        case .health(let report):
            let status = try message("/status") { json in
                json.member("_type", "status")
                json.member("linux", report)
                json.member("_id", record.id)
            }
            return [status]
        case .waypoints(let waypoints):
            guard settings.sendsWaypoints, let members = waypoints.object else { return [] }
            let list = try message("/waypoints") { json in
                for (name, value) in members.sorted(by: { $0.key < $1.key }) { json.member(named: name, value) }
                json.member("_id", record.id)
            }
            return [list]
        }
    }

    /// The broker's message when we are gone; never encrypted, because it holds nothing, and never retained, because it would replace the
    /// last location.
    ///
    /// - Parameter time: the moment of our first connection.
    public func will(connectedAt time: UTCTime?) -> OwnTracksMessage {
        let payload = OwnTracksFormat.object { json in
            json.member("_type", "lwt")
            json.member("tst", time.map { Int($0.secondsSince1970) })
        }
        return OwnTracksMessage(topic: topic, payload: payload)
    }

    // MARK: - Kinds

    private func location(
        _ position: Position, _ time: UTCTime, _ record: DispatchRecord, at now: UTCTime?
    ) throws(FormatError) -> OwnTracksMessage {
        let tst = Int((position.time ?? time).secondsSince1970)
        var message = try message("") { json in
            json.member("_type", "location")
            json.member("lat", position.coordinate.latitudeDegrees)
            json.member("lon", position.coordinate.longitudeDegrees)
            json.member("tst", tst)
            if let sent = now.map({ Int($0.secondsSince1970) }), sent != tst { json.member("created_at", sent) }
            json.member("acc", OwnTracksFormat.whole(position.accuracy?.radiusMetres, .up).flatMap { $0 > 0 ? $0 : nil })
            json.member("alt", OwnTracksFormat.whole(position.altitudeMSLMetres))
            json.member("vel", OwnTracksFormat.whole(position.speedMetresPerSecond.map { $0 * 3.6 }))
            json.member("cog", OwnTracksFormat.whole(position.courseDegrees).map { $0 % 360 })
            json.member("tid", trackerID)
            if case .track(let call) = record.content {
                json.member("t", "u")
                json.member("poi", call.name)
                if !call.values.isEmpty { json.member("values", .object(call.values)) }
            }
            json.member("_id", record.id)
        }
        // Among older positions only those that come in order may become the last location.
        if case .position = record.content { message.isRetained = record.lane == .live }
        return message
    }

    private func transitions(_ event: TrackerEvent, _ decided: UTCTime?) throws(FormatError) -> [OwnTracksMessage] {
        let crossed = event.payload?.crossedAt ?? decided
        let left = event.payload?.leftAt ?? decided
        let steps: [(word: String, time: UTCTime?, id: String)] =
            switch event.kind {
            case "enter": [("enter", crossed, event.id)]
            case "exit": [("leave", crossed, event.id)]
            case "pass": [("enter", crossed, event.id + "-enter"), ("leave", left, event.id + "-leave")]
            default: []
            }
        let accuracy = event.position?.accuracy?.radiusMetres ?? event.payload?.evidence.accuracyMetres
        var messages: [OwnTracksMessage] = []
        for step in steps {
            guard let time = step.time else { continue }
            messages.append(
                try message("/event") { json in
                    json.member("_type", "transition")
                    json.member("event", step.word)
                    json.member("desc", event.name)
                    json.member("tst", Int(time.secondsSince1970))
                    json.member("wtst", OwnTracksStamps.stamp(of: event.fenceID))
                    json.member("acc", OwnTracksFormat.whole(accuracy, .up) ?? 0)
                    json.member("lat", event.position?.coordinate.latitudeDegrees)
                    json.member("lon", event.position?.coordinate.longitudeDegrees)
                    json.member("t", "c")
                    json.member("rid", event.fenceID)
                    json.member("tid", trackerID)
                    json.member("_id", step.id)
                })
        }
        return messages
    }

    // MARK: - Parts

    private func message(_ suffix: String, _ members: (inout JSONWriter) -> Void) throws(FormatError) -> OwnTracksMessage {
        let topic = topic + suffix
        let payload = OwnTracksFormat.object { json in
            members(&json)
            if settings.namesTopic { json.member("topic", topic) }
        }
        return OwnTracksMessage(topic: topic, payload: try sealed(payload))
    }

    private func sealed(_ payload: [UInt8]) throws(FormatError) -> [UInt8] {
        guard let box else { return payload }
        let data: [UInt8]
        do throws(LibraryError) { data = try box.seal(payload) } catch { throw FormatError(reason: error.reason) }
        return OwnTracksFormat.object { json in
            json.member("_type", "encrypted")
            json.member("data", Base64.encode(data))
        }
    }

    private static func expanded(_ base: String, _ settings: Settings) -> String {
        base.split(separator: "/", omittingEmptySubsequences: false).map { level in
            switch level {
            case "%u": oneLevel(settings.user)
            case "%d": oneLevel(settings.device)
            default: String(level)
            }
        }.joined(separator: "/")
    }

    /// A name without characters that have a meaning in topics (MQTT 3.1.1, section 4.7).
    private static func oneLevel(_ name: String) -> String { String(name.map { "/+#\0".contains($0) ? "-" : $0 }) }

    private static func object(_ members: (inout JSONWriter) -> Void) -> [UInt8] {
        var text = TextBuffer(capacity: 320)
        text.appendJSON { $0.object(members) }
        return text.bytes
    }

    /// A measurement as a whole number; nil for an impossible one.
    private static func whole(_ value: Double?, _ rule: FloatingPointRoundingRule = .toNearestOrAwayFromZero) -> Int? {
        value.flatMap { Int(exactly: $0.rounded(rule)) }
    }
}

/// One message of OwnTracks.
public struct OwnTracksMessage: Sendable, Hashable {
    /// Its topic over MQTT.
    public var topic: String
    /// Whether the broker keeps it for later subscribers: only the newest location.
    public var isRetained = false
    /// The message, UTF-8.
    public var payload: [UInt8]

    /// A message that is not retained.
    public init(topic: String, payload: [UInt8]) {
        self.topic = topic
        self.payload = payload
    }
}
