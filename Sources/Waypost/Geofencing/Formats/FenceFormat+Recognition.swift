extension FenceFormat {
    /// The JSON format of a text, recognized by the names of its members.
    ///
    /// ```
    /// {"features": ...}, {"geometry": ...}, {"type": "FeatureCollection"}      GeoJSON; a list of features, too
    /// {"_type": ...}                                                         OwnTracks; a list of such, too
    /// {"area": ...}                                                          Traccar; a list of such, too
    /// [{"latitude": ...}, ...]                                               Tealium, as any other list
    /// ```
    /// In a list, the entries are read until one of them decides.
    static func recognise(_ bytes: [UInt8]) throws(FenceFileError) -> FenceFormat {
        var scanner = FenceScanner()
        let bytes = bytes.span
        switch try scanner.next(in: bytes) {
        case .beginArray:
            var looked = 0
            while looked < entriesLookedAt, case let token = try scanner.next(in: bytes), token != .endArray {
                looked += 1
                guard token == .beginObject else {
                    try scanner.skip(token, in: bytes)
                    continue
                }
                if let format = try marked(&scanner, in: bytes) { return format }
            }
            return .tealium
        case .beginObject:
            if let format = try marked(&scanner, in: bytes), format != .tealium { return format }
        default: break
        }
        throw .notFences("is JSON, but neither GeoJSON nor fences of Tealium, OwnTracks or Traccar")
    }

    private static let entriesLookedAt = 16

    /// The format indicated by a member of the object that has begun; reads the object to its end when none does.
    private static func marked(_ scanner: inout FenceScanner, in bytes: Span<UInt8>) throws(FenceFileError) -> FenceFormat? {
        while let key = try scanner.nextKey(in: bytes) {
            switch key {
            case "features", "geometry": return .geojson
            case "_type": return .owntracks
            case "area": return .traccar
            case "latitude", "longitude": return .tealium
            case "type":
                if let type = try scanner.scalar(in: bytes)?.string, GeoJSONFences.types.contains(type) { return .geojson }
            default: try scanner.skip(in: bytes)
            }
        }
        return nil
    }
}
