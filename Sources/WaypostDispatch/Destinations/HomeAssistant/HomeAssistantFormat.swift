import Waypost
import WaypostSystem

/// A device of Home Assistant, which finds it by MQTT discovery: the tracker, sensors, and a binary sensor for each fence.
///
/// ```
/// homeassistant/device/NODE/config                   {"dev":{..},"o":{..},"cmps":{"location":{"p":"device_tracker",..},"speed":{"p":"sensor",..},..}}
/// homeassistant/binary_sensor/NODE_fences/FENCE/config {"name":"Yard","stat_t":"waypost/NODE/fence/FENCE",..}
/// waypost/NODE/location                              {"latitude":..,"longitude":..,"gps_accuracy":4.2,"speed":..,"time":..,..}
/// waypost/NODE/health                                {"waiting":12,..}
/// waypost/NODE/fence/FENCE                           ON, OFF
/// waypost/NODE/availability                          online, offline
/// ```
/// - Everything is retained, so that a Home Assistant that starts later has it, too; each connection says anew what there is.
/// - Of the positions of a batch only the newest is told, and none that a later one has overtaken: Home Assistant has no past.
/// - The sensors are unavailable while the device is not connected; the tracker is not, because its last place stays true.
/// - `gps_accuracy` is the 68 % radius in metres, as Home Assistant expects it. Speed m/s, course degrees, altitude metres above sea level.
/// - A fence is known to Home Assistant from the first list of fences or from its first event on; inside it is ON, after an exit OFF. Only
///   circles are on the list; fences of other shapes come with their first event.
/// - It cannot express events of applications.
/// - Source: home-assistant.io, MQTT integration, "Device discovery payload" (2024.11) and the pages of device_tracker, sensor and binary_sensor.
public struct HomeAssistantFormat: MQTTFormat {
    /// The prefix of discovery topics that Home Assistant uses unless it is told otherwise.
    public static let usualDiscoveryPrefix = "homeassistant"

    /// The prefix of discovery topics.
    public var discoveryPrefix = HomeAssistantFormat.usualDiscoveryPrefix
    /// Whether the device is there; if not, it is removed, and nothing else is sent.
    public var isShown = true
    /// The fences as they are now; nil: only events and lists tell them.
    package var fences: KnownFences?
    private let device: String
    /// The device's name as part of topics and ids.
    private let node: String

    /// A format for the device of that name.
    public init(device: String) {
        self.device = device
        node = HomeAssistantFormat.identifier(device)
    }

    /// Everything but events of applications can be expressed.
    public func verdict(on record: DispatchRecord, at now: UTCTime?) -> FormatVerdict {
        if case .track = record.content { .unsaid(reason: "Home Assistant takes no events of applications") } else { .said }
    }

    /// The messages for a record; none while the device is removed.
    public func messages(for record: DispatchRecord, of batch: DispatchBatch, receiptTopic: String?) throws(FormatError) -> [MQTTMessage] {
        guard isShown else { return removal(of: record) }
        switch record.content {
        case .position(let position):
            guard record.lane == .live, record.id == batch.records.last(where: \.isPosition)?.id else { return [] }
            return [location(position)]
        case .event(let event): return fence(event)
        case .health(let report): return [message("health", payload: HomeAssistantFormat.object { $0.members(report.object ?? [:]) })]
        case .waypoints(let list):
            return (list["waypoints"]?.array ?? []).compactMap { waypoint in
                guard let name = waypoint["desc"]?.string else { return nil }
                return fenceConfiguration(id: waypoint["rid"]?.string ?? name, name: name)
            }
        case .track: return []
        }
    }

    /// What there is to discover; or that there is nothing any more.
    public func announcements(of device: String) -> [MQTTMessage] {
        let topic = "\(discoveryPrefix)/device/\(node)/config"
        guard isShown else {
            // An empty message removes what a topic had: first the device, then what it was told.
            return [MQTTMessage(topic: topic, payload: [], isRetained: true)]
                + ["location", "health", "availability"].map { message($0, payload: []) }
        }
        let known = fences?.all ?? []
        return [MQTTMessage(topic: topic, payload: configuration, isRetained: true)]
            + known.map { fenceConfiguration(id: $0.id, name: $0.name) }
            + known.compactMap { fence in fence.isInside.map { fenceState(id: fence.id, isInside: $0) } }
    }

    /// `online` and `offline`.
    public func presence(of device: String) -> MQTTSettings.Presence {
        MQTTSettings.Presence(
            birth: message("availability", payload: Array("online".utf8)), will: message("availability", payload: Array("offline".utf8)))
    }

    /// Home Assistant knows no receipts.
    public var carriesIDs: Bool { false }

    // MARK: - States

    private func location(_ position: Position) -> MQTTMessage {
        message(
            "location",
            payload: HomeAssistantFormat.object { json in
                json.member("latitude", position.coordinate.latitudeDegrees)
                json.member("longitude", position.coordinate.longitudeDegrees)
                json.member("gps_accuracy", measured: position.accuracy?.radiusMetres)
                json.member("altitude", measured: position.altitudeMSLMetres)
                json.member("speed", measured: position.speedMetresPerSecond)
                json.member("course", measured: position.writtenCourseDegrees)
                json.member("satellites", position.quality.satellitesUsed)
                json.member("time", position.time)
            })
    }

    /// A fence, in case it is new, and its state.
    private func fence(_ event: TrackerEvent) -> [MQTTMessage] {
        let isInside: Bool? =
            switch event.kind {
            case "enter", "dwell": true
            case "exit": false
            default: nil
            }
        switch event.payload?.reason {
        case .removed, .expired: fences?.forget(id: event.fenceID)
        default: fences?.note(id: event.fenceID, name: event.name, isInside: isInside)
        }
        let configuration = fenceConfiguration(id: event.fenceID, name: event.name)
        return [configuration] + (isInside.map { [fenceState(id: event.fenceID, isInside: $0)] } ?? [])
    }

    private func fenceState(id: String, isInside: Bool) -> MQTTMessage {
        message("fence/\(HomeAssistantFormat.digest(id))", payload: Array((isInside ? "ON" : "OFF").utf8))
    }

    /// What removes the fences that a record names.
    private func removal(of record: DispatchRecord) -> [MQTTMessage] {
        let ids: [String] =
            switch record.content {
            case .event(let event): [event.fenceID]
            case .waypoints(let list): (list["waypoints"]?.array ?? []).compactMap { ($0["rid"] ?? $0["desc"])?.string }
            case .position, .track, .health: []
            }
        return ids.map(HomeAssistantFormat.digest).flatMap { digest in
            [
                MQTTMessage(topic: "\(discoveryPrefix)/binary_sensor/\(node)_fences/\(digest)/config", payload: [], isRetained: true),
                message("fence/\(digest)", payload: []),
            ]
        }
    }

    // MARK: - Discovery

    private static let unknown = " | default('None') }}"

    /// A sensor: its key in the location or the health, and how Home Assistant shows it.
    private struct Sensor {
        var key: String
        var name: String
        var topic = "location"
        var field: String?
        var deviceClass: String?
        var unit: String?
        var icon: String?
        var isMeasurement = true
        var isDiagnostic = false
    }

    private static let sensors = [
        Sensor(key: "speed", name: "Speed", deviceClass: "speed", unit: "m/s"),
        Sensor(key: "course", name: "Course", unit: "°", icon: "mdi:compass-outline", isMeasurement: false),
        Sensor(key: "altitude", name: "Altitude", deviceClass: "distance", unit: "m"),
        Sensor(key: "accuracy", name: "Accuracy", field: "gps_accuracy", deviceClass: "distance", unit: "m", isDiagnostic: true),
        Sensor(key: "satellites", name: "Satellites", icon: "mdi:satellite-variant", isDiagnostic: true),
        Sensor(key: "last_fix", name: "Last fix", field: "time", deviceClass: "timestamp", isMeasurement: false, isDiagnostic: true),
        Sensor(key: "queue", name: "Queue", topic: "health", field: "waiting", icon: "mdi:tray-full", isDiagnostic: true),
    ]

    private var configuration: [UInt8] {
        HomeAssistantFormat.object { json in
            writeDevice(to: &json)
            json.object("o") { json in
                json.member("name", "waypost")
                json.member("sw", WaypostVersion.text)
            }
            json.object("cmps") { json in
                json.object("location") { json in
                    json.member("p", "device_tracker")
                    json.member("unique_id", "\(node)_location")
                    // Named like the device itself.
                    json.member("name", json: "null".utf8)
                    json.member("source_type", "gps")
                    json.member("json_attr_t", topic("location"))
                }
                for sensor in HomeAssistantFormat.sensors {
                    json.member(named: sensor.key, .object(members(of: sensor)))
                }
            }
        }
    }

    private func members(of sensor: Sensor) -> [String: JSONValue] {
        var members: [String: JSONValue] = [
            "p": .string("sensor"), "unique_id": .string("\(node)_\(sensor.key)"), "name": .string(sensor.name),
            "stat_t": .string(topic(sensor.topic)),
            "val_tpl": .string("{{ value_json.\(sensor.field ?? sensor.key)\(HomeAssistantFormat.unknown)"),
            "avty_t": .string(topic("availability")),
        ]
        members["dev_cla"] = sensor.deviceClass.map(JSONValue.string)
        members["unit_of_meas"] = sensor.unit.map(JSONValue.string)
        members["ic"] = sensor.icon.map(JSONValue.string)
        if sensor.isMeasurement { members["stat_cla"] = .string("measurement") }
        if sensor.isDiagnostic { members["ent_cat"] = .string("diagnostic") }
        return members
    }

    private func fenceConfiguration(id: String, name: String) -> MQTTMessage {
        let digest = HomeAssistantFormat.digest(id)
        let payload = HomeAssistantFormat.object { json in
            writeDevice(to: &json)
            json.member("unique_id", "\(node)_fence_\(digest)")
            json.member("name", name)
            json.member("ic", "mdi:map-marker-radius")
            json.member("stat_t", topic("fence/\(digest)"))
            json.member("avty_t", topic("availability"))
        }
        return MQTTMessage(topic: "\(discoveryPrefix)/binary_sensor/\(node)_fences/\(digest)/config", payload: payload, isRetained: true)
    }

    private func writeDevice(to json: inout JSONWriter) {
        json.object("dev") { json in
            json.array("ids") { $0.element("waypost_\(node)") }
            json.member("name", device)
            json.member("mf", "waypost")
            json.member("mdl", "GPS tracker")
            json.member("sw", WaypostVersion.text)
        }
    }

    // MARK: - Parts

    private func topic(_ part: String) -> String { "waypost/\(node)/\(part)" }

    private func message(_ part: String, payload: [UInt8]) -> MQTTMessage {
        MQTTMessage(topic: topic(part), payload: payload, isRetained: true)
    }

    /// A name as an id of Home Assistant, which knows letters, digits, `_` and `-`: one with others gets a part that no other name has.
    static func identifier(_ name: String) -> String {
        let kept = String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "-" || $0 == "_" ? $0 : "_" })
        return kept == name && !name.isEmpty ? name : "\(kept.prefix(40))_\(digest(name))"
    }

    /// A part of topics and ids for any text: letters and digits, the same for the same text.
    static func digest(_ text: String) -> String {
        var hash = SHA256()
        hash.update(Array(text.utf8).span.bytes)
        return String(SHA256.hexadecimal(hash.finish()).prefix(12))
    }

    private static func object(_ members: (inout JSONWriter) -> Void) -> [UInt8] {
        var text = TextBuffer(capacity: 512)
        text.appendJSON { $0.object(members) }
        return text.bytes
    }
}

extension DispatchRecord {
    fileprivate var isPosition: Bool { if case .position = content { true } else { false } }
}
