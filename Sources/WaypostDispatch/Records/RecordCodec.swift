import Waypost

/// The bytes of a record in the outbox: JSON, so that a person with `sqlite3` can read the waiting records.
///
/// ```
/// {"class":"TPV",...}                                                              a position (dead letters only)
/// {"class":"EVENT","id":ID,"time":T,"event":KIND,"fence":FENCE,...,"position":TPV} a fence event, as ``TrackerEvent`` is written
/// {"class":"TRACK","id":ID,"name":NAME,"time":T,"position":TPV,"values":{...}}
/// {"class":"HEALTH","id":ID,"report":{...}}
/// {"class":"WAYPOINTS","id":ID,"waypoints":{...}}
/// ```
/// Unknown members and classes of a later version are left as they are: unreadable records are not sent, and stay.
enum RecordCodec {
    static func bytes(_ content: DispatchRecord.Content, id: String) -> [UInt8] {
        var text = TextBuffer(capacity: 512)
        switch content {
        case .position(let position): TPVCodec.append(position, to: &text)
        case .event(let event):
            text.appendJSON { json in
                json.object { json in
                    json.member("class", "EVENT")
                    event.write(to: &json)
                    json.member("position", event.position)
                }
            }
        case .track(let call):
            text.appendJSON { json in
                json.object { json in
                    json.member("class", "TRACK")
                    json.member("id", call.id)
                    json.member("name", call.name)
                    json.member("time", call.time)
                    json.member("position", call.position)
                    json.member("values", .object(call.values))
                }
            }
        case .health(let report): text.append("HEALTH", id, "report", report)
        case .waypoints(let waypoints): text.append("WAYPOINTS", id, "waypoints", waypoints)
        }
        return text.bytes
    }

    /// The content of the bytes; nil when they cannot be read.
    static func content(_ bytes: [UInt8]) -> DispatchRecord.Content? {
        guard let value = try? JSONParser().parse(bytes) else { return nil }  // Unreadable bytes are nil.
        let position = value["position"].flatMap(position)
        switch value["class"]?.string {
        case "TPV": return self.position(value).map(DispatchRecord.Content.position)
        case "EVENT":
            guard var event = TrackerEvent(value) else { return nil }
            event.position = position
            return .event(event)
        case "TRACK":
            guard let id = value["id"]?.string, let name = value["name"]?.string else { return nil }
            return .track(
                TrackCall(id: id, name: name, values: value["values"]?.object ?? [:], time: value["time"]?.time, position: position))
        case "HEALTH": return value["report"].map(DispatchRecord.Content.health)
        case "WAYPOINTS": return value["waypoints"].map(DispatchRecord.Content.waypoints)
        default: return nil
        }
    }

    private static func position(_ value: JSONValue) -> Position? {
        guard case .position(let position)? = try? TPVCodec.decode(value) else { return nil }  // See above.
        return position
    }
}

extension TextBuffer {
    fileprivate mutating func append(_ kind: StaticString, _ id: String, _ name: StaticString, _ value: JSONValue) {
        appendJSON { json in
            json.object { json in
                json.member("class", String(describing: kind))
                json.member("id", id)
                json.member(name, value)
            }
        }
    }
}

extension JSONWriter {
    fileprivate mutating func member(_ name: StaticString, _ position: Position?) {
        guard let position else { return }
        object(name) { json in
            json.member("class", "TPV")
            TPVCodec.write(position, to: &json)
        }
    }
}
