import Waypost
import WaypostGeofences
import WaypostRecording

extension FenceReport {
    /// What the log keeps of it; nil without a time.
    var logEvent: LogEvent? {
        guard let time else { return nil }
        return LogEvent(
            id: id, time: time, name: fenceName, kind: kind, position: position,
            detail: line.count <= LogEvent.maximumDetailByteCount ? line : [])
    }

    /// The report of which the log keeps an event; nil when it is no fence's.
    init?(_ event: LogEvent) {
        guard GeofenceEvent.Kind(rawValue: event.kind) != nil else { return nil }
        if let report = FenceReport(line: event.detail), report.id == event.id {
            self = report
            return
        }
        // Its line was too long for the log.
        var text = TextBuffer(capacity: 256)
        text.appendJSON { json in
            json.object { json in
                json.member("id", event.id)
                json.member("time", event.time)
                json.member("event", event.kind)
                json.member("fence", event.name)
                json.member("lat", event.position?.coordinate.latitudeDegrees)
                json.member("lon", event.position?.coordinate.longitudeDegrees)
            }
        }
        self.init(line: text.bytes)
    }
}
