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
}
