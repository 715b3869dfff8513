extension KMLFences {
    /// Writes a fence as a placemark.
    static func write(_ fence: Geofence, into text: inout TextBuffer) {
        text.append("<Placemark><name>")
        text.append(xmlEscaped: fence.name)
        text.append("</name>\n<ExtendedData>")
        datum("id", into: &text) { $0.append(xmlEscaped: fence.id) }
        switch fence.shape {
        case .circle(let circle): datum("radius", into: &text) { $0.append(shortest: circle.radiusMetres) }
        case .corridor(_, let halfWidth): datum("width", into: &text) { $0.append(shortest: 2 * halfWidth) }
        case .polygons: break
        }
        if let dwell = fence.finiteDwellSeconds { datum("dwell_seconds", into: &text) { $0.append(shortest: dwell) } }
        if let expires = fence.expires { datum("expires", into: &text) { $0.append(expires) } }
        if fence.notifications != .all {
            datum("notify", into: &text) { $0.append(string: fence.notifications.words.joined(separator: ",")) }
        }
        text.append("</ExtendedData>\n")
        write(fence.shape, into: &text)
        text.append("</Placemark>")
    }

    private static func datum(_ name: StaticString, into text: inout TextBuffer, _ value: (inout TextBuffer) -> Void) {
        text.append("<Data name=\"")
        text.append(name)
        text.append("\"><value>")
        value(&text)
        text.append("</value></Data>")
    }

    private static func write(_ shape: FenceShape, into text: inout TextBuffer) {
        switch shape {
        case .circle(let circle):
            text.append("<Point>")
            write([circle.centre], into: &text)
            text.append("</Point>")
        case .corridor(let line, _):
            text.append("<LineString><tessellate>1</tessellate>")
            write(line.corners[0], into: &text)
            text.append("</LineString>")
        case .polygons(let rings):
            let polygons = rings.polygons
            if polygons.count > 1 { text.append("<MultiGeometry>\n") }
            for polygon in polygons { write(polygon: polygon, into: &text) }
            if polygons.count > 1 { text.append("</MultiGeometry>") }
        }
    }

    private static func write(polygon: [[Coordinate]], into text: inout TextBuffer) {
        text.append("<Polygon><tessellate>1</tessellate>\n")
        for (index, ring) in polygon.enumerated() {
            text.append(string: index == 0 ? "<outerBoundaryIs><LinearRing>" : "<innerBoundaryIs><LinearRing>")
            write(ring, into: &text)
            text.append(string: index == 0 ? "</LinearRing></outerBoundaryIs>\n" : "</LinearRing></innerBoundaryIs>\n")
        }
        text.append("</Polygon>")
    }

    private static func write(_ places: [Coordinate], into text: inout TextBuffer) {
        text.append("<coordinates>")
        for (index, place) in places.enumerated() {
            if index > 0 { text.append(" ") }
            text.append(shortest: place.longitudeDegrees)
            text.append(",")
            text.append(shortest: place.latitudeDegrees)
        }
        text.append("</coordinates>")
    }
}
