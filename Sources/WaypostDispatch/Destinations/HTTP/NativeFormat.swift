import Waypost
import WaypostSystem

/// Waypost's own format: a JSON object per batch.
///
/// ```
/// {"device":"van-7","sent":"2026-11-21T11:33:28.250Z","records":[
///   {"class":"TPV","id":"p-4711-1795260808000-0f3a5c7e9b1d","lane":"live","seq":4711,"queue_ms":2500,"time":...,"lat":...,"lon":...,...},
///   {"class":"EVENT","seq":12,"lane":"events","queue_ms":90,"id":"...-enter","event":"enter","fence":"Yard",...},
///   {"class":"TRACK","id":"t-...","lane":"events","seq":13,"name":"delivered","values":{"parcel":7},"time":...,"lat":...,...},
///   {"class":"HEALTH","id":"t-...","lane":"events","seq":14,"report":{...}}]}
/// answer: any 2xx is the receipt for all; {"refused":["id",...]} names those that the server will never take
/// ```
/// `id` is unique for ever; `seq` grows by one per device and lane; `queue_ms` is the age at the time of sending. `sent` and `queue_ms` are
/// left out when the time of day is unknown. `"late":true` marks a record from before the destination's last cutoff that is sent after it. A
/// call's `time` is that of the call; the time of its position is `fix_time`.
public struct NativeFormat: HTTPFormat {
    /// A batch of this many is some 300 kB.
    public let maximumBatchCount = 1_000

    /// The format.
    public init() {}

    /// It can express everything but fences.
    public func verdict(on record: DispatchRecord, at now: UTCTime?) -> FormatVerdict {
        record.isNative ? .said : .unsaid(reason: "fences are told only where they can be shown")
    }

    /// One request for all records.
    public func messages(for batch: DispatchBatch) throws(FormatError) -> [HTTPMessage] {
        guard batch.records.contains(where: \.isNative) else { return [] }
        return [HTTPMessage(body: NativeFormat.body(of: batch), settledCount: batch.records.count)]
    }

    /// The ids that the answer names.
    public func refused(in response: HTTPResponse, of batch: DispatchBatch) -> [String: String] {
        let ids = Set(batch.records.map(\.id))
        let refused = (NativeFormat.refusedIDs(in: response.body) ?? []).filter(ids.contains)
        return Dictionary(refused.map { ($0, "named in the answer") }) { first, _ in first }
    }

    /// The body for a batch.
    public static func body(of batch: DispatchBatch) -> [UInt8] {
        var text = TextBuffer(capacity: 256 + batch.records.count * 384)
        text.appendJSON { json in
            json.object { json in
                json.member("device", batch.device)
                json.member("sent", batch.time)
                json.array("records") { json in
                    for record in batch.records where record.isNative { json.append(record) }
                }
            }
        }
        return text.bytes
    }

    /// One record as a separate object: as in ``body(of:)``, with the values of the batch added.
    ///
    /// ```
    /// {"class":"EVENT","device":"van-7","sent":"2026-11-21T11:33:28.250Z","receipt_to":"waypost-receipts/van-7","lane":"events","seq":12,...}
    /// ```
    /// - Parameter receiptTopic: the topic for an application's receipts; nil when none are expected.
    static func message(for record: DispatchRecord, of batch: DispatchBatch, receiptTopic: String?) -> [UInt8] {
        var text = TextBuffer(capacity: 512)
        text.appendJSON { json in
            json.append(record) { json in
                json.member("device", batch.device)
                json.member("sent", batch.time)
                json.member("receipt_to", receiptTopic)
            }
        }
        return text.bytes
    }

    /// One record as it appears in ``body(of:)``.
    public static func line(of record: DispatchRecord) -> [UInt8] {
        var text = TextBuffer(capacity: 512)
        text.appendJSON { $0.append(record) }
        return text.bytes
    }

    /// The ids that an answer refuses; nil when it is not a JSON object, and so refuses nothing.
    static func refusedIDs(in answer: [UInt8]) -> [String]? {
        guard let value = try? JSONParser(maximumDepth: 16).parse(answer),  // Not every server sends JSON.
            value.object != nil
        else { return nil }
        return value["refused"]?.array?.compactMap(\.string) ?? []
    }
}

extension JSONWriter {
    fileprivate mutating func append(_ record: DispatchRecord, _ extra: (inout JSONWriter) -> Void = { _ in }) {
        switch record.content {
        case .position(let position):
            object { json in
                json.member("class", "TPV")
                TPVCodec.write(position, to: &json)
                extra(&json)
                json.appendEnvelope(record)
            }
        case .event(let event):
            append(record, "EVENT", withID: false, extra) { json in
                var members = JSONObject()
                event.write(to: &members)
                json.members(members.members)
            }
        case .track(let call):
            var fix = JSONObject()
            if let position = call.position { TPVCodec.write(position, to: &fix) }
            fix.members["time"] = nil
            append(record, "TRACK", extra) { json in
                json.member("name", call.name)
                json.member("values", .object(call.values))
                json.member("time", call.time ?? call.position?.time ?? record.takenAt)
                json.member("fix_time", call.position?.time)
                json.members(fix.members)
            }
        case .health(let report): append(record, "HEALTH", extra) { json in json.member("report", report) }
        case .waypoints(let waypoints): append(record, "WAYPOINTS", extra) { json in json.member("waypoints", waypoints) }
        }
    }

    /// The object of a record: its class, what the batch adds, its envelope, and what it says.
    private mutating func append(
        _ record: DispatchRecord, _ className: String, withID: Bool = true, _ extra: (inout JSONWriter) -> Void,
        _ content: (inout JSONWriter) -> Void
    ) {
        object { json in
            json.member("class", className)
            extra(&json)
            json.appendEnvelope(record, withID: withID)
            content(&json)
        }
    }

    private mutating func appendEnvelope(_ record: DispatchRecord, withID: Bool = true) {
        if withID { member("id", record.id) }
        member("lane", record.lane.rawValue)
        member("seq", Int(clamping: record.sequence))
        if record.isLate { member("late", true) }
        if let age = record.age {
            member("queue_ms", Int(age.milliseconds))
        }
    }
}

extension DispatchRecord {
    /// Whether waypost's own format can express it for a server.
    var isNative: Bool { if case .waypoints = content { false } else { true } }
}
