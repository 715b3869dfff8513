/// OwnTracks' waypoints: circles, in a `.otrw` file, alone, or in a list.
///
/// ```
/// {"_type": "waypoints", "waypoints": [{"_type": "waypoint", "desc": "Yard", "lat": 35.1, "lon": 136.8, "rad": 100, "tst": 1700000000,
///   "rid": "a1b2c3"}]}
/// ```
/// `rad` is a whole number of metres, 0 for a place that is not watched; `tst` is when the waypoint was made, by which the apps identify it;
/// `rid` identifies a region. The id of the fence is `rid`, else `desc`, else `tst`.
/// - Leniencies: `rad` may have decimals; waypoints within a list may lack their `_type`; the waypoints of a configuration (`.otrc`) are read;
///   beacons (`uuid`) and waypoints without a radius are dropped with a remark; an iOS name such as `+follow` or `-home` stays as it is.
enum OwnTracksFences {
    private static let members: Set<String> = ["_type", "desc", "lat", "lon", "rad", "tst", "rid", "uuid"]

    static func read(_ bytes: [UInt8], _ reading: FenceReading) throws(FenceFileError) -> FenceFile {
        var scanner = FenceScanner()
        let bytes = bytes.span
        if try scanner.next(in: bytes) == .beginArray {
            var collector = FenceCollector(format: .owntracks, list: "", reading)
            try readList(&scanner, bytes, &collector)
            _ = try scanner.next(in: bytes)
            return collector.finished()
        }
        var collector = FenceCollector(format: .owntracks, list: "waypoints", reading)
        var single: [String: JSONValue] = [:]
        var hasList = false
        while let key = try scanner.nextKey(in: bytes) {
            if key == "waypoints" {
                let token = try scanner.next(in: bytes)
                guard token == .beginArray else { throw .notFences("is OwnTracks, but its waypoints are not a list") }
                hasList = true
                try readList(&scanner, bytes, &collector)
            } else if members.contains(key) {
                single[key] = try scanner.scalar(in: bytes)
            } else {
                try scanner.skip(in: bytes)
            }
        }
        _ = try scanner.next(in: bytes)
        if hasList { return collector.finished() }
        guard single["_type"]?.string == "waypoint" else {
            throw .notFences("is OwnTracks of type \(quoted(single["_type"]?.string ?? "", mark: "\"")); fences are waypoints")
        }
        var alone = FenceCollector(format: .owntracks, list: nil, reading)
        try alone.add(name: single["desc"]?.string) { () throws(FenceEntryError) in try draft(.object(single), index: 0) }
        return alone.finished()
    }

    private static func readList(
        _ scanner: inout FenceScanner, _ bytes: Span<UInt8>, _ collector: inout FenceCollector
    ) throws(FenceFileError) {
        while case let token = try scanner.next(in: bytes), token != .endArray {
            let entry = try scanner.members(token, members, in: bytes)
            let index = collector.file.entryCount
            // No error is lost: an entry that is not an object has no name here, and the next line reports it.
            try collector.add(name: entry?["desc"]?.string) { () throws(FenceEntryError) in
                guard let entry else { throw .invalid(nil, "an object") }
                return try draft(entry, index: index)
            }
        }
    }

    private static func draft(_ entry: JSONValue, index: Int) throws(FenceEntryError) -> FenceDraft {
        guard (entry["_type"]?.string ?? "waypoint") == "waypoint" else { throw .invalid("_type", "waypoint") }
        if entry["uuid"] != nil { throw FenceEntryError(.unknownGeometry("of a beacon")) }
        guard let latitude = entry["lat"]?.double else { throw .invalid("lat", "a number") }
        guard let longitude = entry["lon"]?.double else { throw .invalid("lon", "a number") }
        guard let centre = Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude) else {
            throw FenceEntryError(.coordinateOutOfRange(latitude: latitude, longitude: longitude))
        }
        guard let radius = entry["rad"]?.double, radius != 0 else {
            throw .invalid("rad", "the radius in metres; a waypoint without one is a place, not a fence")
        }
        let name = label(entry["desc"])
        return FenceDraft(
            id: label(entry["rid"]) ?? name ?? label(entry["tst"]) ?? "\(index)", name: name, area: .circle(centre, radiusMetres: radius),
            sizeMember: "rad", corners: .paths(["lat"]))
    }

    private static func label(_ value: JSONValue?) -> String? {
        switch value {
        case .string(let text): text.isEmpty ? nil : text
        case .integer(let number): "\(number)"
        default: nil
        }
    }

    // MARK: Writing

    /// Writes a fence; `stamp` is the number by which the apps identify the waypoint.
    static func write(_ fence: Geofence, stamp: Int, into json: inout JSONWriter) throws(FenceRefusal) {
        guard case .circle(let circle) = fence.shape else { throw FenceRefusal("OwnTracks has circles only") }
        json.object { json in
            json.member("_type", "waypoint")
            json.member("desc", fence.name)
            json.member("lat", circle.centre.latitudeDegrees)
            json.member("lon", circle.centre.longitudeDegrees)
            json.member("rad", max(1, Int(circle.radiusMetres.rounded())))
            json.member("tst", stamp)
            json.member("rid", fence.id)
        }
    }
}

/// Numbers for waypoints, which OwnTracks uses as creation times and identifiers.
///
/// Each is derived from the fence's id, so that a file written again replaces the waypoints of the first; no two fences share one.
package struct OwnTracksStamps: Sendable {
    private var used: Set<Int> = []

    /// The number for a fence with that id, unless another one in the file has it: a second between September 2001 and March 2033.
    package static func stamp(of id: String) -> Int {
        // FNV-1a, 32 bits (http://www.isthe.com/chongo/tech/comp/fnv/): the same on every run and machine.
        let hash = id.utf8.reduce(2_166_136_261 as UInt32) { ($0 ^ UInt32($1)) &* 16_777_619 }
        return 1_000_000_000 + Int(hash % 1_000_000_000)
    }

    /// The number of the next fence of a file.
    mutating func stamp(of id: String) -> Int {
        var stamp = OwnTracksStamps.stamp(of: id)
        while !used.insert(stamp).inserted { stamp += 1 }
        return stamp
    }
}
