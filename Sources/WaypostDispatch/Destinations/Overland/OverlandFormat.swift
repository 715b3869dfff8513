import Waypost
import WaypostSystem

/// The batches of the Overland app, which Overland's own server, Dawarich and others accept.
///
/// ```
/// {"locations":[{"type":"Feature","geometry":{"type":"Point","coordinates":[9.5,47.1]},
///   "properties":{"timestamp":"2026-05-02T03:25:02Z","altitude":46,"speed":13.5,"course":96.25,"horizontal_accuracy":5,
///     "device_id":"van-7","waypost_id":"p-4711-..."}},...]}
/// answer: {"result":"ok"} is the receipt; any other is none, whatever its status
/// ```
/// - Units: degrees, longitude first; metres and metres per second; whole seconds, cut; altitude above mean sea level and accuracy in whole
///   metres, the accuracy rounded up. Unknown values are left out: Dawarich stores the app's -1 for them as a speed.
/// - How records are expressed: a position is a location. Nothing else can be: a server treats every location as a position.
/// - Repeats: Dawarich recognises them by place and second; `waypost_id` is the record's id.
/// - Source: https://github.com/aaronpk/Overland-iOS, README, API.
public struct OverlandFormat: HTTPFormat {
    /// The largest batch of the app.
    public let maximumBatchCount = 1_000
    private let device: String

    /// The format for a device of the given name.
    public init(device: String) {
        self.device = device
    }

    /// Positions can be expressed, once the time of day is known.
    public func verdict(on record: DispatchRecord, at now: UTCTime?) -> FormatVerdict {
        guard case .position = record.content else { return .unsaid(reason: "Overland takes positions only") }
        return record.verdictWithTime(at: now)
    }

    /// One request for all records.
    public func messages(for batch: DispatchBatch) throws(FormatError) -> [HTTPMessage] {
        let locations = batch.records.compactMap { record -> (DispatchRecord, Position, UTCTime)? in
            guard case .position(let position) = record.content, let time = record.bestTime(at: batch.time) else { return nil }
            return (record, position, time)
        }
        guard !locations.isEmpty else { return [] }
        var text = TextBuffer(capacity: 64 + locations.count * 320)
        text.appendJSON { json in
            json.object { json in
                json.array("locations") { json in
                    for (record, position, time) in locations { append(record, position, time, to: &json) }
                }
            }
        }
        return [HTTPMessage(body: text.bytes, settledCount: batch.records.count)]
    }

    /// The objection to any answer without the result "ok".
    public func objection(to response: HTTPResponse) -> String? {
        let answer = try? JSONParser(maximumDepth: 16).parse(response.body)  // An answer that is not JSON does not confirm anything.
        return answer?["result"]?.string == "ok" ? nil : "the server did not answer {\"result\":\"ok\"}"
    }

    private func append(_ record: DispatchRecord, _ position: Position, _ time: UTCTime, to json: inout JSONWriter) {
        json.object { json in
            json.member("type", "Feature")
            json.object("geometry") { json in
                json.member("type", "Point")
                json.array("coordinates") { json in
                    json.element(position.coordinate.longitudeDegrees)
                    json.element(position.coordinate.latitudeDegrees)
                }
            }
            json.object("properties") { json in
                json.member("timestamp", OverlandFormat.wholeSeconds(time))
                json.member("altitude", position.altitudeMSLMetres.flatMap { Int(exactly: $0.rounded()) })
                json.member("speed", position.speedMetresPerSecond)
                json.member("course", position.writtenCourseDegrees)
                json.member("horizontal_accuracy", position.accuracy.flatMap { Int(exactly: $0.radiusMetres.rounded(.up)) })
                json.member("device_id", device)
                json.member("waypost_id", record.id)
            }
        }
    }

    /// `2026-05-02T03:25:02Z`: not every server accepts fractions.
    private static func wholeSeconds(_ time: UTCTime) -> String {
        var text = TextBuffer(capacity: 32)
        text.append(time)
        return text.string.prefix { $0 != "." && $0 != "Z" } + "Z"
    }
}
