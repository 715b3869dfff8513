// The one form of events in JSON: on the control socket, at destinations, in the log and in the state of fences.
//
// ```
// {"id":"f-4d9c-17-enter","time":"2026-11-21T11:33:28.250Z",      its name for ever; when it was decided
//  "event":"enter","fence":"Yard","fence_id":"yard-7","visit":17,  fence_id only when it is not the name
//  "lat":46.498293369,"lon":7.567411672,                           where the fix was that decided it
//  "reason":"crossed","crossed_at":TIME,"left_at":TIME,            left_at of a pass alone
//  "predicted":true,"late":true,                                   only when true
//  "distance":-1.54,"margin":0.5,                                  m from the border, negative inside; m needed
//  "accuracy":4.2,"speed":5.1,"fixes":26}                          m (68 %), m/s, fixes in a row
// ```
// Unknown members are absent.
extension TrackerEvent {
    /// Writes the event's members.
    ///
    /// - Parameters:
    ///   - members: the text or value to write to.
    ///   - track: the recording that the event comes from, if any.
    public func write(to members: inout some JSONMembers, track: String? = nil) {
        members.member("id", id)
        members.member("time", time)
        members.member("track", track)
        members.member("event", kind)
        members.member("fence", name)
        payload?.writeStay(to: &members)
        members.member("lat", position?.coordinate.latitudeDegrees)
        members.member("lon", position?.coordinate.longitudeDegrees)
        payload?.writeDecision(to: &members)
    }

    /// Reads an event from an object; nil when it is not one.
    ///
    /// An event without `visit` has no payload. Members with other names are ignored.
    public init?(_ value: JSONValue) {
        guard let id = value["id"]?.string, let kind = value["event"]?.string, let name = value["fence"]?.string else { return nil }
        let time = value["time"]?.time
        var place: Coordinate?
        if let latitude = value["lat"]?.double, let longitude = value["lon"]?.double {
            place = Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude)
        }
        self.init(
            id: id, kind: kind, name: name, time: time, position: TrackerEvent.position(time, place, value["speed"]?.double),
            payload: Payload(value))
    }
}

extension TrackerEvent.Payload {
    /// Writes only the payload's members, for a log that stores the others in its own form.
    public func write(to members: inout some JSONMembers) {
        writeStay(to: &members)
        writeDecision(to: &members)
    }

    /// Reads the payload from the members of an object; nil when there is none.
    public init?(_ value: JSONValue) {
        guard let visit = value["visit"]?.int else { return nil }
        self.init(
            fenceID: value["fence_id"]?.string, visit: UInt64(clamping: visit),
            reason: value["reason"]?.string.flatMap(GeofenceEvent.Reason.init) ?? .crossed)
        (crossedAt, leftAt) = (value["crossed_at"]?.time, value["left_at"]?.time)
        (isPredicted, isLate) = (value["predicted"]?.bool ?? false, value["late"]?.bool ?? false)
        evidence.distanceMetres = value["distance"]?.double
        evidence.marginMetres = value["margin"]?.double
        evidence.accuracyMetres = value["accuracy"]?.double
        evidence.speedMetresPerSecond = value["speed"]?.double
        evidence.fixes = value["fixes"]?.int
    }

    fileprivate func writeStay(to members: inout some JSONMembers) {
        members.member("fence_id", fenceID)
        members.member("visit", Int(clamping: visit))
    }

    fileprivate func writeDecision(to members: inout some JSONMembers) {
        members.member("reason", reason.rawValue)
        members.member("crossed_at", crossedAt)
        members.member("left_at", leftAt)
        members.member("predicted", isPredicted ? true : nil)
        members.member("late", isLate ? true : nil)
        members.member("distance", evidence.distanceMetres)
        members.member("margin", evidence.marginMetres)
        members.member("accuracy", measured: evidence.accuracyMetres)
        members.member("speed", measured: evidence.speedMetresPerSecond)
        members.member("fixes", evidence.fixes)
    }
}

extension JSONWriter {
    /// Writes an event as an object.
    public mutating func element(_ event: TrackerEvent) {
        object { event.write(to: &$0) }
    }
}
