extension GeofenceEvent {
    /// Appends the event as a line for people: `2026-03-01 00:00:08 enter Yard, crossed, 2.3 m inside`.
    package func append(to text: inout TextBuffer, _ format: ScreenFormat = ScreenFormat()) {
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
        } else if reason == .crossed {
            text.append(" at an unknown time")
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
}
