/// GeoJSON (RFC 7946) with what fences need in `properties`: waypost's own format.
///
/// ```
/// Point               + "radius": metres      a circle
/// Polygon, MultiPolygon                       rings of [longitude, latitude(, altitude)]
/// LineString          + "width": metres       a corridor, that wide in all
/// any                   "name", "dwell_seconds", "expires": RFC 3339, "notify": ["enter", "exit", "dwell", "pass"]
/// ```
/// - Leniencies: a single Feature, or a list of them, is treated as a collection; rings may be open and wound either way; altitudes and
///   unknown members are ignored; a feature without an id uses its name or its number; a GeometryCollection, or a MultiPoint or
///   MultiLineString with one part, yields the one area in it; a collection may lack its type.
enum GeoJSONFences {
    /// The values of `type` in GeoJSON.
    static let types: Set<String> = [
        "FeatureCollection", "Feature", "Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon",
        "GeometryCollection",
    ]

    static func read(_ bytes: [UInt8], _ reading: FenceReading) throws(FenceFileError) -> FenceFile {
        var scanner = FenceScanner()
        let bytes = bytes.span
        if try scanner.next(in: bytes) == .beginArray {
            var collector = FenceCollector(format: .geojson, list: "", reading)
            try readFeatures(&scanner, bytes, &collector)
            _ = try scanner.next(in: bytes)
            return collector.finished()
        }
        var collector = FenceCollector(format: .geojson, list: "features", reading)
        // The members of a collection, or those of the single feature that makes up the text.
        var whole = GeoJSONFeature(limits: reading.limits)
        var hasFeatures = false
        while let key = try scanner.nextKey(in: bytes) {
            switch key {
            case "features":
                let token = try scanner.next(in: bytes)
                guard token == .beginArray else { throw .notFences("is GeoJSON whose features are not a list") }
                hasFeatures = true
                try readFeatures(&scanner, bytes, &collector)
            case "crs":
                if let name = try referenceSystem(&scanner, bytes), !isUsual(name) {
                    collector.remark(.foreignReferenceSystem(name), at: "crs")
                }
            default: try whole.take(key, &scanner, bytes)
            }
        }
        _ = try scanner.next(in: bytes)
        if hasFeatures { return collector.finished() }
        switch whole.type {
        case "Feature", nil:
            var single = FenceCollector(format: .geojson, list: nil, reading)
            try single.add(name: whole.name) { () throws(FenceEntryError) in try whole.draft(index: 0) }
            return single.finished()
        case "FeatureCollection": throw .notFences("is GeoJSON without features")
        case let type?: throw .notFences("is GeoJSON of type \(quoted(type, mark: "\"")); fences are features")
        }
    }

    private static func readFeatures(
        _ scanner: inout FenceScanner, _ bytes: Span<UInt8>, _ collector: inout FenceCollector
    ) throws(FenceFileError) {
        while case let token = try scanner.next(in: bytes), token != .endArray {
            var feature = GeoJSONFeature(limits: collector.reading.limits)
            if token == .beginObject {
                while let key = try scanner.nextKey(in: bytes) { try feature.take(key, &scanner, bytes) }
            } else {
                try scanner.skip(token, in: bytes)
            }
            let index = collector.file.entryCount
            try collector.add(name: feature.name) { () throws(FenceEntryError) in
                guard feature.type == "Feature" else {
                    throw token == .beginObject ? .invalid("type", "Feature") : .invalid(nil, "an object")
                }
                return try feature.draft(index: index)
            }
        }
    }

    /// The name in `"crs": {"type": "name", "properties": {"name": ...}}`, which RFC 7946 has removed.
    private static func referenceSystem(_ scanner: inout FenceScanner, _ bytes: Span<UInt8>) throws(FenceFileError) -> String? {
        try scanner.members(try scanner.next(in: bytes), ["name"], nested: "properties", in: bytes)?["properties"]?["name"]?.string
    }

    /// Whether a name is one of WGS 84's with longitude first.
    private static func isUsual(_ name: String) -> Bool {
        name.hasSuffix("CRS84") || name.hasSuffix("EPSG::4326") || name.hasSuffix("EPSG:4326")
    }
}
