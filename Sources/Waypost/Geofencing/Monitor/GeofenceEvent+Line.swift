extension GeofenceEvent {
    /// The event that a line of ``write(to:track:)`` tells, but for what it rests on; nil when it is none.
    public init?(line: [UInt8]) {
        guard let value = try? JSONParser().parse(line),  // No JSON is no event.
            let kind = value["event"]?.string.flatMap(Kind.init), let name = value["fence"]?.string, let visit = value["visit"]?.int
        else { return nil }
        var place: Coordinate?
        if let latitude = value["lat"]?.double, let longitude = value["lon"]?.double {
            place = Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude)
        }
        self.init(
            idPrefix: "", kind: kind, fenceID: value["fence_id"]?.string ?? name, fenceName: name, visit: UInt64(clamping: visit),
            reason: value["reason"]?.string.flatMap(Reason.init) ?? .crossed, time: value["time"]?.string.flatMap(UTCTime.init(rfc3339:)),
            crossedAt: value["crossed_at"]?.string.flatMap(UTCTime.init(rfc3339:)), leftAt: nil, coordinate: place, isLate: false,
            isPredicted: false, evidence: Evidence())
    }
}
