/// Traccar's geofences from its API (`/api/geofences`): areas as text, latitude first.
///
/// ```
/// [{"id": 7, "name": "Yard", "description": "", "area": "CIRCLE (35.1 136.8, 100)", "calendarId": 0,
///   "attributes": {"polylineDistance": 12.5}}]
/// ```
/// A line is a corridor; `polylineDistance` is half its width in metres, 25 when it is absent. What Traccar cannot express goes into the
/// attributes, which the server keeps: `waypost_id`, `dwell_seconds`, `expires`, `notify` (words separated by commas).
/// - Leniencies: a single object is treated as a list of one; rings may be open; the words may be in either case; unknown members
///   are ignored.
/// - Source: https://www.traccar.org/api-reference/ (geofences); the area's grammar is in ``TraccarArea``.
enum TraccarFences {
    /// Metres on either side of a line without an attribute.
    static let usualLineDistance = 25.0

    private static let members: Set<String> = [
        "id", "name", "area", "polylineDistance", "waypost_id", "dwell_seconds", "expires", "notify",
    ]

    static func read(_ bytes: [UInt8], _ reading: FenceReading) throws(FenceFileError) -> FenceFile {
        var scanner = FenceScanner()
        let bytes = bytes.span
        let first = try scanner.next(in: bytes)
        var collector = FenceCollector(format: .traccar, list: first == .beginArray ? "" : nil, reading)
        func take(_ token: JSONScanner.Token) throws(FenceFileError) {
            let entry = try scanner.members(token, members, nested: "attributes", in: bytes)
            let index = collector.file.entryCount
            // No error is lost: an entry that is not an object has no name here, and the next line reports it.
            try collector.add(name: entry?["name"]?.string) { () throws(FenceEntryError) in
                guard let entry else { throw .invalid(nil, "an object") }
                return try draft(entry, index: index, limits: reading.limits)
            }
        }
        if first == .beginArray {
            while case let token = try scanner.next(in: bytes), token != .endArray { try take(token) }
        } else {
            try take(first)
        }
        _ = try scanner.next(in: bytes)
        return collector.finished()
    }

    private static func draft(_ entry: JSONValue, index: Int, limits: FenceFileLimits) throws(FenceEntryError) -> FenceDraft {
        let attributes = entry["attributes"] ?? .null
        func label(_ value: JSONValue?) -> String? { value?.string.flatMap { $0.isEmpty ? nil : $0 } }
        let name = label(entry["name"])
        let number = entry["id"]?.int.flatMap { $0 > 0 ? "\($0)" : nil }
        guard let text = entry["area"]?.string else { throw .invalid("area", "a text") }
        var lineDistance = usualLineDistance
        if let value = attributes["polylineDistance"] {
            guard let metres = value.double else { throw .invalid("attributes.polylineDistance", "metres") }
            lineDistance = metres
        }
        let area: FenceArea
        do throws(TraccarAreaFault) {
            area = try TraccarArea.read(text, lineDistance: lineDistance, maximumCorners: limits.corners)
        } catch {
            throw FenceEntryError(error.problem, at: "area" + (error.corner.map { ", corner \($0)" } ?? ""))
        }
        var isLine = false
        if case .line = area { isLine = true }
        var draft = FenceDraft(
            id: label(attributes["waypost_id"]) ?? number ?? name ?? "\(index)", name: name, area: area,
            sizeMember: isLine ? "attributes.polylineDistance" : "area", corners: .text("area"))
        try draft.readTimes(dwell: attributes["dwell_seconds"], expires: attributes["expires"], of: "attributes")
        if let notify = attributes["notify"] {
            guard let kinds = notify.string.flatMap(FenceNotifications.init(words:)) else {
                throw .invalid("attributes.notify", "enter, exit, dwell and pass, with commas between")
            }
            draft.notifications = kinds
        }
        return draft
    }

    // MARK: Writing

    static func write(_ fence: Geofence, into json: inout JSONWriter) throws(FenceRefusal) {
        let area = try TraccarArea.text(fence.shape)
        json.object { json in
            json.member("name", fence.name)
            json.member("description", "")
            json.member("area", area)
            json.object("attributes") { json in
                // Always, because the server assigns its own number to the geofence.
                json.member("waypost_id", fence.id)
                if case .corridor(_, let halfWidth) = fence.shape { json.member("polylineDistance", halfWidth) }
                json.member("dwell_seconds", fence.dwellSeconds)
                json.member("expires", fence.expires)
                if fence.notifications != .all { json.member("notify", fence.notifications.words.joined(separator: ",")) }
            }
        }
    }
}

extension FenceNotifications {
    /// Creates the kinds from words separated by commas; no words mean no kinds.
    init?(words: String) {
        self = []
        // The element's type is explicit: a string would bring in the regular expression engine.
        for word in words.split(separator: "," as Character) {
            guard let kind = FenceNotifications(word: String(word.drop { $0 == " " })) else { return nil }
            formUnion(kind)
        }
    }
}
