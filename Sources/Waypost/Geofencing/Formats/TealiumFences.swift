/// Tealium's `geofences.json`: a list of circles.
///
/// ```
/// [{"name": "Yard", "latitude": 35.1, "longitude": 136.8, "radius": 100, "trigger_on_enter": true, "trigger_on_exit": true,
///   "expire_after": -1, "minimum_dwell_time": 60000}]
/// ```
/// `radius` is a whole number of metres; `expire_after` (from now on) and `minimum_dwell_time` are milliseconds, -1 is never. The name is the
/// id. A dwell is raised whatever the triggers are; a pass when one of them is on.
/// - Leniencies: unknown keys are ignored; one bad entry spoils only itself, whereas the vendor's own reader rejects the whole file.
enum TealiumFences {
    private static let members: Set<String> = [
        "name", "latitude", "longitude", "radius", "trigger_on_enter", "trigger_on_exit", "expire_after", "minimum_dwell_time",
    ]

    static func read(_ bytes: [UInt8], _ reading: FenceReading) throws(FenceFileError) -> FenceFile {
        var collector = FenceCollector(format: .tealium, list: "", reading)
        var scanner = FenceScanner()
        let bytes = bytes.span
        _ = try scanner.next(in: bytes)
        while case let token = try scanner.next(in: bytes), token != .endArray {
            let entry = try scanner.members(token, members, in: bytes)
            // No error is lost: an entry that is not an object has no name here, and the next line reports it.
            try collector.add(name: entry?["name"]?.string) { () throws(FenceEntryError) in
                guard let entry else { throw .invalid(nil, "an object") }
                return try draft(entry, now: reading.now)
            }
        }
        _ = try scanner.next(in: bytes)
        return collector.finished()
    }

    private static func draft(_ entry: JSONValue, now: UTCTime?) throws(FenceEntryError) -> FenceDraft {
        guard let name = entry["name"]?.string, !name.isEmpty else { throw .invalid("name", "a text that is not empty") }
        guard let latitude = entry["latitude"]?.double else { throw .invalid("latitude", "a number") }
        guard let longitude = entry["longitude"]?.double else { throw .invalid("longitude", "a number") }
        guard let centre = Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude) else {
            throw FenceEntryError(.coordinateOutOfRange(latitude: latitude, longitude: longitude), at: nil)
        }
        guard let radius = entry["radius"]?.int else { throw .invalid("radius", "a whole number of metres") }
        guard let tellsEnter = entry["trigger_on_enter"]?.bool else { throw .invalid("trigger_on_enter", "true or false") }
        guard let tellsExit = entry["trigger_on_exit"]?.bool else { throw .invalid("trigger_on_exit", "true or false") }
        var draft = FenceDraft(
            id: name, area: .circle(centre, radiusMetres: Double(radius)), sizeMember: "radius", corners: .paths(["latitude"]))
        draft.notifications = notifications(enter: tellsEnter, exit: tellsExit)
        if let dwell = try milliseconds("minimum_dwell_time", of: entry), dwell > 0 { draft.dwellSeconds = Double(dwell) / 1_000 }
        if let expiry = try milliseconds("expire_after", of: entry) { draft.expires = now?.advanced(byMilliseconds: expiry) }
        return draft
    }

    private static func notifications(enter: Bool, exit: Bool) -> FenceNotifications {
        var notifications: FenceNotifications = [.dwell]
        if enter { notifications.formUnion([.enter, .pass]) }
        if exit { notifications.formUnion([.exit, .pass]) }
        return notifications
    }

    /// The longest span: a thousand years, so that no sum with a date overflows.
    private static let longestMilliseconds = 31_557_600_000_000

    /// A span; nil when it is absent or never.
    private static func milliseconds(_ key: String, of entry: JSONValue) throws(FenceEntryError) -> Int64? {
        guard let value = entry[key] else { return nil }
        guard let number = value.int, number >= -1, number <= longestMilliseconds else {
            throw .invalid(key, "whole milliseconds, or -1 for never")
        }
        return number == -1 ? nil : Int64(number)
    }

    // MARK: Writing

    static func write(_ fence: Geofence, now: UTCTime?, into json: inout JSONWriter) throws(FenceRefusal) {
        guard case .circle(let circle) = fence.shape else { throw FenceRefusal("Tealium has circles only") }
        guard !fence.name.isEmpty else { throw FenceRefusal("Tealium needs a name") }
        var expiry = -1
        if let expires = fence.expires, let now {
            let rest = expires.millisecondsSince1970 - now.millisecondsSince1970
            guard rest > 0 else { throw FenceRefusal("it has expired") }
            expiry = min(Int(rest), longestMilliseconds)
        }
        json.object { json in
            json.member("name", fence.name)
            json.member("latitude", circle.centre.latitudeDegrees)
            json.member("longitude", circle.centre.longitudeDegrees)
            json.member("radius", max(1, Int(circle.radiusMetres.rounded())))
            json.member("trigger_on_enter", fence.notifications.contains(.enter))
            json.member("trigger_on_exit", fence.notifications.contains(.exit))
            json.member("expire_after", expiry)
            json.member(
                "minimum_dwell_time",
                fence.finiteDwellSeconds.map { Int(min(max($0, 0) * 1_000, Double(longestMilliseconds)).rounded()) } ?? -1)
        }
    }
}
