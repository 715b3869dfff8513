import Waypost
import WaypostSystem

/// Traccar's OsmAnd protocol (port 5055), as a form or as JSON: one record per request.
///
/// ```
/// id=van-7&recordId=p-4711-1777692302000&lat=47.1&lon=9.5&timestamp=1777692302000&speed=26.242&bearing=96.25&altitude=46&accuracy=4.2&hdop=0.9
/// {"device_id":"van-7","location":{"timestamp":"2026-05-02T03:25:02.000Z",
///   "coords":{"latitude":47.1,"longitude":9.5,"accuracy":4.2,"speed":13.5,"heading":96.25,"altitude":46},"extras":{"recordId":"p-..."}}}
/// ```
/// - Units: the form has knots, JSON has m/s; degrees, metres, altitude above mean sea level. Times are milliseconds since 1970 or end in Z: the
///   server would read any other in its own zone. In the form unknown values are left out; JSON requires all of `coords`, where -1 is an
///   unknown speed or heading, and 0 an unknown accuracy or altitude. JSON requires a time, too: a record without a time and an age is sent
///   as a form, without a time.
/// - How records are expressed: a position is a position. An event, a track call and health are attributes (`event`, `geofence`, the call's
///   values) without a place; the server gives them the last one it has. Events are sent before the positions that wait, so with their own place
///   they would be newer than those, and Traccar finds no crossing and no trip in positions older than its last one. Where no positions are
///   sent, events have their place. An enter and an exit are alarms, too (`geofenceEnter`, `geofenceExit`).
/// - A device that the server does not know: 400 to the form, 404 to JSON. The 400 does not mean that a record is bad: none becomes a dead
///   letter before the server has accepted another one.
/// - Traccar takes 0, 0 for no place. It does not recognise repeats: a record that was sent again is there twice, with the same `recordId`.
public struct TraccarFormat: HTTPFormat {
    /// How a record is written.
    public enum Shape: String, Sendable, Hashable, CaseIterable {
        /// A form, which every version accepts.
        case form
        /// JSON, which later versions accept as well.
        case json
    }

    /// Each record has its own request; records that are confirmed together are written to the disk together.
    public let maximumBatchCount = 100
    private let device: String
    private let shape: Shape
    private let placesEvents: Bool

    /// A format for a device.
    ///
    /// - Parameters:
    ///   - device: the device's identifier at the server.
    ///   - shape: how a position is written.
    ///   - placesEvents: whether events have their own place; for destinations that get no positions.
    public init(device: String, shape: Shape = .form, placesEvents: Bool = false) {
        self.device = device
        self.shape = shape
        self.placesEvents = placesEvents
    }

    /// It can express everything but fences.
    public func verdict(on record: DispatchRecord, at now: UTCTime?) -> FormatVerdict {
        record.isNative ? .said : .unsaid(reason: "fences are told only where they can be shown")
    }

    /// A request for each record.
    public func messages(for batch: DispatchBatch) throws(FormatError) -> [HTTPMessage] {
        batch.records.enumerated().compactMap { index, record in
            guard record.isNative else { return nil }
            let time = record.bestTime(at: batch.time)
            var place: Position? = record.position
            if case .position = record.content {} else if !placesEvents { place = nil }
            if shape == .json, let time { return HTTPMessage(body: json(record, time, place), settledCount: index + 1) }
            let body = form(record, time, place)
            return HTTPMessage(contentType: "application/x-www-form-urlencoded", body: body, settledCount: index + 1)
        }
    }

    // MARK: - Shapes

    private func form(_ record: DispatchRecord, _ time: UTCTime?, _ place: Position?) -> [UInt8] {
        var text = TextBuffer(capacity: 256)
        func add(_ name: String, _ value: (inout TextBuffer) -> Void) {
            if text.count > 0 { text.append("&") }
            text.append(percentEncoded: name)
            text.append("=")
            value(&text)
        }
        func add(_ name: String, _ value: Double?) {
            if let value, value.isFinite { add(name) { $0.append(shortest: value) } }
        }
        add("id") { $0.append(percentEncoded: device) }
        if let place {
            add("lat", place.coordinate.latitudeDegrees)
            add("lon", place.coordinate.longitudeDegrees)
        }
        if let time { add("timestamp") { $0.append(integer: time.millisecondsSince1970) } }
        if let place {
            // To a thousandth of a knot: 2 m an hour.
            add("speed", place.speedMetresPerSecond.map { ($0 * TraccarFormat.knots * 1_000).rounded() / 1_000 })
            add("bearing", place.courseDegrees)
            add("altitude", place.altitudeMSLMetres)
            add("accuracy", place.accuracy?.radiusMetres)
            add("hdop", place.quality.hdop)
        }
        for (name, value) in attributes(of: record) {
            add(name) { text in
                if case .string(let value) = value {
                    text.append(percentEncoded: value)
                } else {
                    text.append(percentEncoded: value.jsonText)
                }
            }
        }
        return text.bytes
    }

    private func json(_ record: DispatchRecord, _ time: UTCTime, _ place: Position?) -> [UInt8] {
        var text = TextBuffer(capacity: 384)
        text.appendJSON { json in
            json.object { json in
                json.member("device_id", device)
                json.object("location") { json in
                    json.member("timestamp", time)
                    if let place {
                        json.object("coords") { json in
                            json.member("latitude", place.coordinate.latitudeDegrees)
                            json.member("longitude", place.coordinate.longitudeDegrees)
                            json.member("accuracy", place.accuracy?.radiusMetres ?? 0)
                            json.member("speed", place.speedMetresPerSecond ?? -1)
                            json.member("heading", place.courseDegrees ?? -1)
                            json.member("altitude", place.altitudeMSLMetres ?? 0)
                        }
                    }
                    json.object("extras") { json in
                        if let hdop = place?.quality.hdop { json.member("hdop", hdop) }
                        for (name, value) in attributes(of: record) { json.member(named: name, value) }
                    }
                }
            }
        }
        return text.bytes
    }

    // MARK: - Attributes

    /// The values of a record besides time and place: text, numbers and truth values.
    private func attributes(of record: DispatchRecord) -> [(name: String, value: JSONValue)] {
        var attributes: [(name: String, value: JSONValue)] = [("recordId", .string(record.id))]
        switch record.content {
        case .position: break
        case .event(let event):
            attributes += [("event", .string(event.kind)), ("geofence", .string(event.name))]
            if let alarm = TraccarFormat.alarms[event.kind] { attributes.append(("alarm", .string(alarm))) }
        case .track(let call):
            attributes.append(("event", .string(call.name)))
            attributes += TraccarFormat.flat(call.values)
        case .health(let report):
            attributes.append(("event", .string("health")))
            attributes += TraccarFormat.flat(report.object ?? [:])
        case .waypoints: break
        }
        return attributes
    }

    private static func flat(_ values: [String: JSONValue]) -> [(name: String, value: JSONValue)] {
        values.sorted { $0.key < $1.key }.compactMap { name, value in
            // An application must not set the identity, the time and the place.
            let name = reserved.contains(name) ? "value_" + name : name
            switch value {
            case .null: return nil
            case .array, .object: return (name, .string(value.jsonText))
            default: return (name, value)
            }
        }
    }

    private static let alarms = ["enter": "geofenceEnter", "exit": "geofenceExit"]

    /// Knots in a metre per second: 3600 s / 1852 m.
    private static let knots = 3_600.0 / 1_852

    /// The names with a meaning in the protocol, except those that an application may want to use: `alarm`, `batt`, `charge`, `driverUniqueId`.
    private static let reserved: Set<String> = [
        "id", "deviceid", "valid", "timestamp", "lat", "lon", "location", "cell", "wifi", "speed", "bearing", "heading", "altitude",
        "accuracy",
        "hdop", "notificationToken", "recordId", "event", "geofence",
    ]
}

extension JSONValue {
    /// The value as JSON.
    fileprivate var jsonText: String {
        var text = TextBuffer(capacity: 32)
        text.appendJSON { $0.element(self) }
        return text.string
    }
}
