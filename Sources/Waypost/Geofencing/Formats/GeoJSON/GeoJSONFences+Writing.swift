extension GeoJSONFences {
    /// Writes a fence as a feature.
    ///
    /// Rings keep their direction and are not cut at the antimeridian, because edges take the short way round.
    static func write(_ fence: Geofence, into json: inout JSONWriter) {
        json.object { json in
            json.member("type", "Feature")
            json.member("id", fence.id)
            json.object("properties") { json in
                json.member("name", fence.name)
                switch fence.shape {
                case .circle(let circle): json.member("radius", circle.radiusMetres)
                case .corridor(_, let halfWidth): json.member("width", 2 * halfWidth)
                case .polygons: break
                }
                json.member("dwell_seconds", fence.dwellSeconds)
                json.member("expires", fence.expires)
                if fence.notifications != .all {
                    json.array("notify") { json in for word in fence.notifications.words { json.element(word) } }
                }
            }
            json.object("geometry") { json in write(fence.shape, into: &json) }
        }
    }

    private static func write(_ shape: FenceShape, into json: inout JSONWriter) {
        switch shape {
        case .circle(let circle):
            json.member("type", "Point")
            json.array("coordinates") { json in writeNumbers(of: circle.centre, into: &json) }
        case .corridor(let line, _):
            json.member("type", "LineString")
            json.array("coordinates") { json in write(line.corners[0], into: &json) }
        case .polygons(let rings):
            let polygons = rings.polygons
            json.member("type", polygons.count == 1 ? "Polygon" : "MultiPolygon")
            json.array("coordinates") { json in
                for polygon in polygons {
                    guard polygons.count > 1 else { return write(polygon, into: &json) }
                    json.array { json in write(polygon, into: &json) }
                }
            }
        }
    }

    private static func write(_ rings: [[Coordinate]], into json: inout JSONWriter) {
        for ring in rings { json.array { json in write(ring, into: &json) } }
    }

    private static func write(_ places: [Coordinate], into json: inout JSONWriter) {
        for place in places { json.array { json in writeNumbers(of: place, into: &json) } }
    }

    private static func writeNumbers(of place: Coordinate, into json: inout JSONWriter) {
        json.element(place.longitudeDegrees)
        json.element(place.latitudeDegrees)
    }
}

extension FenceRings {
    /// The rings of each polygon, its outer one first, in the form that reads back the same.
    var polygons: [[[Coordinate]]] {
        let written = corners
        var start = 0
        return ringsPerPolygon.map { count in
            defer { start += count }
            // A ring round the globe ends one turn further on: at 180 degrees, if it began at -180.
            return written[start..<start + count].map { ring in Array(ring.dropLast() + ring.prefix(1)) }
        }
    }
}
