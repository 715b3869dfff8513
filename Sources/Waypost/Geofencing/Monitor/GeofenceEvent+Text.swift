extension GeofenceEvent {
    /// Writes the event as a JSON object: `{"id","time","event","fence","lat","lon","reason",...}`; what is not known is absent.
    ///
    /// - Parameter track: the recording it comes from, if it does.
    public func write(to json: inout JSONWriter, track: String? = nil) {
        json.object { json in
            json.member("id", id)
            json.member("time", time)
            json.member("track", track)
            json.member("event", kind.rawValue)
            json.member("fence", fenceName)
            json.member("fence_id", fenceID == fenceName ? nil : fenceID)
            json.member("visit", Int(clamping: visit))
            json.member("lat", coordinate?.latitudeDegrees)
            json.member("lon", coordinate?.longitudeDegrees)
            json.member("reason", reason.rawValue)
            json.member("crossed_at", crossedAt)
            json.member("left_at", leftAt)
            json.member("predicted", isPredicted ? true : nil)
            json.member("late", isLate ? true : nil)
            json.member("distance", evidence.distanceMetres.map(GeofenceEvent.centimetres))
            json.member("margin", evidence.marginMetres.map(GeofenceEvent.centimetres))
            json.member("accuracy", evidence.accuracyMetres)
            json.member("speed", evidence.speedMetresPerSecond)
            json.member("fixes", evidence.fixes)
        }
    }

    /// Appends the event as a line for people: `2026-03-01T00:00:08.000Z enter Yard, crossed, 2.31 m beyond the border`.
    public func append(to text: inout TextBuffer) {
        if let time { text.append(time) } else { text.append("-") }
        text.append(" ")
        text.append(string: kind.rawValue)
        text.append(" ")
        text.append(string: fenceName)
        text.append(", ")
        text.append(string: reason.rawValue)
        if let crossedAt {
            text.append(" at ")
            text.append(crossedAt)
        }
        if let leftAt {
            text.append(" and left at ")
            text.append(leftAt)
        }
        if isPredicted { text.append(", predicted") }
        if let distance = evidence.distanceMetres {
            text.append(", ")
            text.append(abs(distance), decimals: 1)
            text.append(isPredicted ? " m before the border" : distance <= 0 ? " m inside" : " m outside")
        }
        if isLate { text.append(", late") }
    }

    /// Centimetres are more than any position is good for.
    private static func centimetres(_ metres: Double) -> Double { (metres * 100).rounded() / 100 }
}
