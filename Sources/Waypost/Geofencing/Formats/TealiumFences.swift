/// Tealium's `geofences.json`: a list of circles.
///
/// ```
/// [{"name": "Yard", "latitude": 35.1, "longitude": 136.8, "radius": 100, "trigger_on_enter": true, "trigger_on_exit": true,
///   "expire_after": -1, "minimum_dwell_time": 60000}]
/// ```
/// `radius` is a whole number of metres; `expire_after` (from now on) and `minimum_dwell_time` are milliseconds, -1 is never.
/// - Leniencies: unknown keys, a byte order mark and trailing commas are overlooked; one bad entry spoils only itself.
enum TealiumFences {
    static func read(_ bytes: [UInt8], now: UTCTime?) throws(FenceFileError) -> FenceFile {
        var collector = FenceCollector(format: .tealium)
        var index = 0
        do throws(JSONError) {
            try JSONParser(maximumBytes: .max).forEachElement(of: nil, in: bytes.span) { entry in
                do throws(FenceEntryError) {
                    collector.add(try fence(entry, now: now), index: index)
                } catch {
                    collector.remark(error.problem, index: index, name: entry["name"]?.string)
                }
                index += 1
            }
        } catch {
            throw .json(error)
        }
        return collector.file
    }

    private static func fence(_ entry: JSONValue, now: UTCTime?) throws(FenceEntryError) -> Geofence {
        guard entry.object != nil else { throw .invalid("the entry", "an object") }
        guard let name = entry["name"]?.string, !name.isEmpty else { throw .invalid("name", "a text that is not empty") }
        guard let latitude = entry["latitude"]?.double else { throw .invalid("latitude", "a number") }
        guard let longitude = entry["longitude"]?.double else { throw .invalid("longitude", "a number") }
        guard let centre = Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude) else {
            throw FenceEntryError(.coordinateOutOfRange(path: "latitude, longitude", latitude: latitude, longitude: longitude))
        }
        guard let radius = entry["radius"]?.int else { throw .invalid("radius", "a whole number of metres") }
        guard let tellsEnter = entry["trigger_on_enter"]?.bool else { throw .invalid("trigger_on_enter", "true or false") }
        guard let tellsExit = entry["trigger_on_exit"]?.bool else { throw .invalid("trigger_on_exit", "true or false") }
        let shape: FenceShape
        do throws(FenceShapeError) {
            shape = try .circle(centre: centre, radiusMetres: Double(radius))
        } catch {
            throw FenceEntryError(.shape(error))
        }
        var fence = Geofence(id: name, shape: shape)
        fence.notifications = [.dwell]
        if tellsEnter { fence.notifications.formUnion([.enter, .pass]) }
        if tellsExit { fence.notifications.formUnion([.exit, .pass]) }
        if let dwell = try milliseconds("minimum_dwell_time", of: entry), dwell > 0 { fence.dwellSeconds = Double(dwell) / 1_000 }
        if let expiry = try milliseconds("expire_after", of: entry) { fence.expires = now?.advanced(byMilliseconds: expiry) }
        return fence
    }

    /// A span; nil when it is absent or never.
    private static func milliseconds(_ key: String, of entry: JSONValue) throws(FenceEntryError) -> Int64? {
        guard let value = entry[key], value != .null else { return nil }
        guard let number = value.int, number >= -1 else { throw .invalid(key, "whole milliseconds, or -1 for never") }
        return number == -1 ? nil : Int64(number)
    }
}
