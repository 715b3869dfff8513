/// The members of one feature that is to become a fence; other members cost nothing.
struct GeoJSONFeature {
    /// The deepest nesting of collections that is read.
    private static let deepestCollection = 8

    private let limits: FenceFileLimits
    private(set) var type: String?
    private var id: JSONValue?
    private var properties: [String: JSONValue] = [:]
    private var notify: Notify = .absent
    private var geometryType: String?
    private var hasGeometry = false
    private var geometry = FenceGeometry()
    private var fault: FenceEntryError?

    private enum Notify { case absent, invalid, these(FenceNotifications) }

    init(limits: FenceFileLimits) {
        self.limits = limits
    }

    /// The name, if any, for remarks.
    var name: String? { GeoJSONFeature.label(properties["name"]) ?? properties["name"]?.string }

    /// Processes a member of the feature, whose value comes next.
    mutating func take(_ key: String, _ scanner: inout FenceScanner, _ bytes: Span<UInt8>) throws(FenceFileError) {
        switch key {
        case "type": type = try scanner.scalar(in: bytes)?.string
        case "id": id = try scanner.scalar(in: bytes)
        case "properties": try takeProperties(&scanner, bytes)
        case "geometry":
            let token = try scanner.next(in: bytes)
            guard token == .beginObject else { return try scanner.skip(token, in: bytes) }
            hasGeometry = true
            geometryType = try takeGeometry(&scanner, bytes, path: "geometry", depth: 0)
        default: try scanner.skip(in: bytes)
        }
    }

    /// The draft of the feature's fence, or the reason why there is none.
    ///
    /// - Parameter index: its number, which is its id when it has none.
    func draft(index: Int) throws(FenceEntryError) -> FenceDraft {
        guard hasGeometry, geometryType != nil else { throw .invalid("geometry", "an object with a type") }
        if let fault { throw fault }
        let name = GeoJSONFeature.label(properties["name"])
        var draft = try geometry.draft(
            id: GeoJSONFeature.label(id) ?? GeoJSONFeature.label(properties["id"]) ?? name ?? "\(index)", name: name,
            radius: properties["radius"]?.double, radiusMember: "properties.radius", width: properties["width"]?.double,
            widthMember: "properties.width")
        try draft.readTimes(dwell: properties["dwell_seconds"], expires: properties["expires"], of: "properties")
        switch notify {
        case .absent: break
        case .invalid: throw .invalid("properties.notify", "a list of enter, exit, dwell and pass")
        case .these(let notifications): draft.notifications = notifications
        }
        return draft
    }

    /// A name or an id: a text, or a number as it is written.
    private static func label(_ value: JSONValue?) -> String? {
        switch value {
        case .string(let text): text.isEmpty ? nil : text
        case .integer(let number): "\(number)"
        case .number(let number): "\(number)"
        default: nil
        }
    }

    // MARK: Properties

    private mutating func takeProperties(_ scanner: inout FenceScanner, _ bytes: Span<UInt8>) throws(FenceFileError) {
        let token = try scanner.next(in: bytes)
        guard token == .beginObject else { return try scanner.skip(token, in: bytes) }
        while let key = try scanner.nextKey(in: bytes) {
            switch key {
            case "name", "id", "radius", "width", "dwell_seconds", "expires": properties[key] = try scanner.scalar(in: bytes)
            case "notify": try takeNotify(&scanner, bytes)
            default: try scanner.skip(in: bytes)
            }
        }
    }

    private mutating func takeNotify(_ scanner: inout FenceScanner, _ bytes: Span<UInt8>) throws(FenceFileError) {
        let token = try scanner.next(in: bytes)
        guard token == .beginArray else {
            notify = token == .null ? .absent : .invalid
            return try scanner.skip(token, in: bytes)
        }
        var all: FenceNotifications? = []
        while case let element = try scanner.next(in: bytes), element != .endArray {
            if let word = try scanner.scalar(element, in: bytes)?.string, let one = FenceNotifications(word: word) {
                all?.formUnion(one)
            } else {
                all = nil
            }
        }
        notify = all.map(Notify.these) ?? .invalid
    }

    // MARK: Geometry

    /// Processes the geometry whose object has begun; returns its type.
    private mutating func takeGeometry(
        _ scanner: inout FenceScanner, _ bytes: Span<UInt8>, path: String, depth: Int
    ) throws(FenceFileError) -> String? {
        var type: String?
        var coordinates: GeoJSONCoordinates?
        while let key = try scanner.nextKey(in: bytes) {
            switch key {
            case "type": type = try scanner.scalar(in: bytes)?.string
            case "coordinates": coordinates = try GeoJSONCoordinates(&scanner, bytes, limit: limits.corners)
            case "geometries":
                let token = try scanner.next(in: bytes)
                guard token == .beginArray, depth < GeoJSONFeature.deepestCollection else {
                    try scanner.skip(token, in: bytes)
                    continue
                }
                var index = 0
                while case let token = try scanner.next(in: bytes), token != .endArray {
                    if token == .beginObject {
                        _ = try takeGeometry(&scanner, bytes, path: "\(path).geometries[\(index)]", depth: depth + 1)
                    } else {
                        try scanner.skip(token, in: bytes)
                    }
                    index += 1
                }
            default: try scanner.skip(in: bytes)
            }
        }
        guard let type, type != "GeometryCollection" else { return type }
        guard GeoJSONFences.types.contains(type) else {
            geometry.others.append(type)
            return type
        }
        do throws(FenceEntryError) {
            try geometry.add(type, coordinates ?? .nothing, path: path + ".coordinates")
        } catch {
            if fault == nil { fault = error }
        }
        return type
    }
}

extension FenceNotifications {
    /// The kinds and their words, in the order of writing.
    static let words: [(FenceNotifications, String)] = [(.enter, "enter"), (.exit, "exit"), (.dwell, "dwell"), (.pass, "pass")]

    /// Creates the kind for that word.
    init?(word: String) {
        guard let kind = FenceNotifications.words.first(where: { $0.1 == word }) else { return nil }
        self = kind.0
    }

    /// The words of the kinds.
    var words: [String] { FenceNotifications.words.filter { contains($0.0) }.map(\.1) }
}

extension FenceGeometry {
    /// Adds the contents of a GeoJSON geometry.
    fileprivate mutating func add(_ type: String, _ coordinates: GeoJSONCoordinates, path: String) throws(FenceEntryError) {
        if let fault = coordinates.fault { throw FenceEntryError(fault.problem, at: path + (fault.path ?? "")) }
        switch (type, coordinates.nest) {
        case ("Point", .position(let point)): points.append((point, path))
        case ("MultiPoint", .list(let list)): points += list.enumerated().map { ($1, "\(path)[\($0)]") }
        case ("LineString", .list(let line)): lines.append((line, path))
        case ("MultiLineString", .rings(let list)): lines += list.enumerated().map { ($1, "\(path)[\($0)]") }
        case ("Polygon", .rings(let rings)): polygons.append((rings, path))
        case ("MultiPolygon", .polygons(let list)): polygons += list.enumerated().map { ($1, "\(path)[\($0)]") }
        case ("MultiPoint", .nothing), ("MultiLineString", .nothing): others.append("\(type) of nothing")
        case ("Point", _): throw .invalid(path, "[longitude, latitude]")
        case ("LineString", _), ("MultiPoint", _): throw .invalid(path, "a list of positions")
        case ("Polygon", _), ("MultiLineString", _): throw .invalid(path, "a list of rings, each a list of positions")
        case ("MultiPolygon", _): throw .invalid(path, "a list of polygons")
        default: others.append(type)
        }
    }
}
