import Waypost

/// A fence event on its way to those who want to know: as the line that all of them get, and what the log needs of it.
public struct FenceReport: Sendable, Hashable {
    /// The event's name for ever; told again, it is the same event.
    public let id: String
    /// When it was decided; nil when the fixes have no times.
    public let time: UTCTime?
    /// `enter`, `exit`, `dwell` or `pass`.
    public let kind: String
    /// The fence's name.
    public let fenceName: String
    /// The fix that decided it, as far as the event tells of it: time, place, speed; nil without a place.
    public let position: Position?
    /// The whole event as a JSON object (`{"id","time","event","fence","lat","lon","reason",...}`).
    public let line: [UInt8]

    /// The report of an event.
    public init(_ event: GeofenceEvent) {
        id = event.id
        time = event.time
        kind = event.kind.rawValue
        fenceName = event.fenceName
        position = FenceReport.position(event.time, event.coordinate, event.evidence.speedMetresPerSecond)
        var text = TextBuffer(capacity: 256)
        text.appendJSON { event.write(to: &$0) }
        line = text.bytes
    }

    /// The report that a line tells; nil when it is none.
    public init?(line: [UInt8]) {
        guard let value = try? JSONParser().parse(line),  // No JSON is no report.
            let id = value["id"]?.string, let kind = value["event"]?.string, let fence = value["fence"]?.string
        else { return nil }
        self.id = id
        self.kind = kind
        fenceName = fence
        time = value["time"]?.string.flatMap(UTCTime.init(rfc3339:))
        var coordinate: Coordinate?
        if let latitude = value["lat"]?.double, let longitude = value["lon"]?.double {
            coordinate = Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude)
        }
        position = FenceReport.position(time, coordinate, value["speed"]?.double)
        self.line = line
    }

    private static func position(_ time: UTCTime?, _ coordinate: Coordinate?, _ speedMetresPerSecond: Double?) -> Position? {
        guard let coordinate else { return nil }
        var position = Position(time: time, coordinate: coordinate)
        position.speedMetresPerSecond = speedMetresPerSecond
        return position
    }
}
