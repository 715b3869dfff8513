/// GeoJSON (RFC 7946) with what fences need in `properties`: waypost's own format.
///
/// ```
/// Point               + "radius": metres      a circle
/// Polygon, MultiPolygon                       rings of [longitude, latitude(, altitude)]
/// LineString          + "width": metres       a corridor, that wide in all
/// any                   "name", "dwell_seconds", "expires": RFC 3339, "notify": ["enter", "exit", "dwell", "pass"]
/// ```
/// - Leniencies: a single Feature is taken for a collection of one; rings may be open and wound either way; altitudes and unknown members
///   are overlooked; a feature without an id has its name or its number for one; one bad feature spoils only itself.
enum GeoJSONFences {
    static func read(_ bytes: [UInt8]) throws(FenceFileError) -> FenceFile {
        var collector = FenceCollector(format: .geojson)
        var index = 0
        var rest: JSONValue = .null
        do throws(JSONError) {
            rest = try JSONParser(maximumBytes: .max).forEachElement(of: "features", in: bytes.span) { feature in
                add(feature, index: index, to: &collector)
                index += 1
            }
        } catch {
            throw .json(error)
        }
        switch rest["type"]?.string {
        case "FeatureCollection": break
        case "Feature": add(rest, index: 0, to: &collector)
        case let type?: throw .notFences("is GeoJSON of type \(type); fences are features")
        case nil: throw .notFences("is JSON, but not GeoJSON")
        }
        return collector.file
    }

    private static func add(_ feature: JSONValue, index: Int, to collector: inout FenceCollector) {
        do throws(FenceEntryError) {
            collector.add(try fence(feature, index: index), index: index)
        } catch {
            collector.remark(error.problem, index: index, name: feature["properties"]?["name"]?.string)
        }
    }

    private static func fence(_ feature: JSONValue, index: Int) throws(FenceEntryError) -> Geofence {
        guard feature["type"]?.string == "Feature" else { throw .invalid("type", "Feature") }
        guard let geometry = feature["geometry"], let kind = geometry["type"]?.string else {
            throw .invalid("geometry", "an object with a type")
        }
        let properties = feature["properties"] ?? .null
        let name = label(properties["name"])
        var fence = Geofence(
            id: label(feature["id"]) ?? label(properties["id"]) ?? name ?? "\(index)", name: name,
            shape: try shape(kind, geometry["coordinates"], properties))
        if let dwell = properties["dwell_seconds"], dwell != .null {
            guard let seconds = dwell.double, seconds >= 0, seconds <= 1e9 else {
                throw .invalid("properties.dwell_seconds", "seconds, 0 or more")
            }
            fence.dwellSeconds = seconds
        }
        if let expires = properties["expires"], expires != .null {
            guard let time = expires.string.flatMap(UTCTime.init(rfc3339:)) else {
                throw .invalid("properties.expires", "a time as RFC 3339 writes it")
            }
            fence.expires = time
        }
        if let notify = properties["notify"], notify != .null { fence.notifications = try notifications(notify) }
        return fence
    }

    private static func shape(_ kind: String, _ coordinates: JSONValue?, _ properties: JSONValue) throws(FenceEntryError) -> FenceShape {
        let path = "geometry.coordinates"
        let coordinates = coordinates ?? .null
        do {
            switch kind {
            case "Point":
                guard let radius = properties["radius"]?.double else {
                    throw FenceEntryError.invalid("properties.radius", "the metres of a circle")
                }
                return try .circle(centre: try place(coordinates, path), radiusMetres: radius)
            case "Polygon": return try .polygon(try rings(coordinates, path))
            case "MultiPolygon":
                let polygons = try elements(coordinates, path, "a list of polygons")
                return try .multiPolygon(try polygons.enumerated().map { try rings($1, "\(path)[\($0)]") })
            case "LineString":
                guard let width = properties["width"]?.double else {
                    throw FenceEntryError.invalid("properties.width", "the metres of a corridor")
                }
                return try .corridor(try places(coordinates, path), widthMetres: width)
            default: throw FenceEntryError(.unknownGeometry(kind))
            }
        } catch let error as FenceShapeError {
            throw FenceEntryError(.shape(error))
        } catch let error as FenceEntryError {
            throw error
        } catch {
            throw .invalid(path, "coordinates")
        }
    }

    private static func elements(_ value: JSONValue, _ path: String, _ expected: String) throws(FenceEntryError) -> [JSONValue] {
        guard let elements = value.array else { throw .invalid(path, expected) }
        return elements
    }

    private static func rings(_ value: JSONValue, _ path: String) throws(FenceEntryError) -> [[Coordinate]] {
        var rings: [[Coordinate]] = []
        for (index, ring) in try elements(value, path, "a list of rings").enumerated() {
            rings.append(try places(ring, "\(path)[\(index)]"))
        }
        return rings
    }

    private static func places(_ value: JSONValue, _ path: String) throws(FenceEntryError) -> [Coordinate] {
        var places: [Coordinate] = []
        for (index, place) in try elements(value, path, "a list of positions").enumerated() {
            places.append(try Self.place(place, "\(path)[\(index)]"))
        }
        return places
    }

    private static func place(_ value: JSONValue, _ path: String) throws(FenceEntryError) -> Coordinate {
        guard let numbers = value.array, numbers.count >= 2, let longitude = numbers[0].double, let latitude = numbers[1].double else {
            throw .invalid(path, "[longitude, latitude]")
        }
        guard let place = Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude) else {
            throw FenceEntryError(.coordinateOutOfRange(path: path, latitude: latitude, longitude: longitude))
        }
        return place
    }

    /// A name or an id: a text, or a number as written.
    private static func label(_ value: JSONValue?) -> String? {
        switch value {
        case .string(let text): text.isEmpty ? nil : text
        case .integer(let number): "\(number)"
        case .number(let number): "\(number)"
        default: nil
        }
    }

    private static func notifications(_ value: JSONValue) throws(FenceEntryError) -> FenceNotifications {
        let path = "properties.notify"
        var notifications: FenceNotifications = []
        for word in try elements(value, path, "a list of enter, exit, dwell and pass") {
            switch word.string {
            case "enter": notifications.insert(.enter)
            case "exit": notifications.insert(.exit)
            case "dwell": notifications.insert(.dwell)
            case "pass": notifications.insert(.pass)
            default: throw .invalid(path, "a list of enter, exit, dwell and pass")
            }
        }
        return notifications
    }
}
