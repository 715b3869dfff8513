extension GeofenceEvent {
    /// Writes the event as a JSON object: `{"id","time","event","fence","lat","lon","reason",...}`; what is not known is absent.
    ///
    /// - Parameters:
    ///   - json: what it is written to.
    ///   - track: the recording it comes from, if it does.
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
            json.member("accuracy", measured: evidence.accuracyMetres)
            json.member("speed", measured: evidence.speedMetresPerSecond)
            json.member("fixes", evidence.fixes)
        }
    }

    /// Appends the event as a line for people: `2026-03-01 00:00:08 enter Yard, crossed, 2.3 m inside`.
    public func append(to text: inout TextBuffer, _ format: ScreenFormat = ScreenFormat()) {
        text.append(string: time.map(format.moment) ?? "-")
        text.append(" ")
        text.append(string: kind.rawValue)
        text.append(" ")
        text.append(string: fenceName)
        text.append(", ")
        text.append(string: reason.rawValue)
        if let crossedAt {
            text.append(" at ")
            text.append(string: format.moment(crossedAt))
        }
        if let leftAt {
            text.append(" and left at ")
            text.append(string: format.moment(leftAt))
        }
        if isPredicted { text.append(", predicted") }
        if let distance = evidence.distanceMetres {
            text.append(", ")
            text.append(string: format.units.distance(abs(distance)))
            text.append(isPredicted ? " before the border" : distance <= 0 ? " inside" : " outside")
        }
        if isLate { text.append(", late") }
    }

    /// Centimetres are more than any position is good for.
    private static func centimetres(_ metres: Double) -> Double { (metres * 100).rounded() / 100 }
}
