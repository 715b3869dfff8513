import Waypost
import WaypostSystem

extension MQTTTopic {
    /// The topic of a record.
    public func topic(for record: DispatchRecord, device: String) -> String {
        topic(
            device: device, kind: record.content.kind, name: record.content.name ?? record.content.kind, lane: record.lane.rawValue)
    }
}

extension DispatchRecord.Content {
    /// The word for it in topics.
    var kind: String {
        switch self {
        case .position: "position"
        case .event: "event"
        case .track: "track"
        case .health: "health"
        case .waypoints: "waypoints"
        }
    }

    /// Its name, if it has one.
    var name: String? {
        switch self {
        case .event(let event): event.name
        case .track(let call): call.name
        case .position, .health, .waypoints: nil
        }
    }
}
