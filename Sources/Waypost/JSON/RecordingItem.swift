// Recordings as lines of JSON: the reports of ``TPVCodec``, and the other contents of GPX files.
//
// ```
// {"class":"TPV", ..., "segment":3}                     a point of a track; segments are counted from 0 through the file
// {"class":"TPV", ..., "break":"loss"}                  the first point after an interruption, in an exported log
// {"class":"WPT", ..., "name":"Hut", "desc":"..."}      a waypoint
// {"class":"RTE", ..., "route":0, "name":"..."}         a point of a route; routes are counted from 0
// ```
// `name` and `desc` may occur on each of them. A track point without a fix (`<fix>none</fix>`) has mode 1, and no place.

/// One item of a recording.
public enum RecordingItem: Sendable, Hashable {
    /// A fix, a report without one, or a sky view from a receiver.
    case report(PositionReport)
    /// A waypoint, or a part of a route or track.
    case item(GPXItem)
}

/// The segment or route that a line assigns its fix to.
struct RecordedPlace {
    var segment: Int?
    var route: Int?
    var name: String?
    var description: String?
    /// Whether the track was interrupted before it, as lines of an exported log say (`"break":"loss"`).
    var isAfterBreak = false
}

extension TPVCodec {
    /// Appends a point as one object, without a line feed; nothing for the head of a track or route.
    ///
    /// - Returns: whether there was a point.
    @discardableResult
    public static func append(_ item: GPXItem, to text: inout TextBuffer) -> Bool {
        switch item {
        case .head, .track, .route, .segmentEnd, .end: return false
        case .trackPoint(let point, let segment): append(point, ("segment", segment), to: &text, class: "TPV")
        case .waypoint(let point): append(point, nil, to: &text, class: "WPT")
        case .routePoint(let point, let route): append(point, ("route", route), to: &text, class: "RTE")
        }
        return true
    }

    /// Appends a point with the number of its segment or route; a point of a track without a fix is a report without one.
    private static func append(
        _ point: GPXPoint, _ number: (name: StaticString, value: Int)?, to text: inout TextBuffer, class name: String
    ) {
        if point.fix == GPXFix.none, name == "TPV" {
            return append(NoFix(time: point.position.time), to: &text) { json in
                if let number { json.member(number.name, number.value) }
            }
        }
        append(point.position, to: &text, class: name) { json in
            if let number { json.member(number.name, number.value) }
            json.member("name", point.name)
            json.member("desc", point.description)
        }
    }

    /// Decodes a line; nil when the line is JSON of another class.
    ///
    /// - Parameters:
    ///   - bytes: the line, without its line feed.
    ///   - line: the line's number in errors.
    public static func decodeItem(_ bytes: Span<UInt8>, line: Int = 1) throws(TPVError) -> RecordingItem? {
        var place = RecordedPlace()
        return try decodeItem(bytes, line: line, &place)
    }

    static func decodeItem(_ bytes: Span<UInt8>, line: Int, _ place: inout RecordedPlace) throws(TPVError) -> RecordingItem? {
        let name = try className(of: bytes, line: line)
        if let name, name != "TPV", name != "WPT", name != "RTE" {
            return name == "SKY" ? .report(try decodeSKY(bytes, line: line)) : nil
        }
        guard let report = try decodeTPV(bytes, line: line, isClassKnown: name != nil, &place) else { return nil }
        guard case .position(let position) = report else { return name == nil || name == "TPV" ? .report(report) : nil }
        let point = GPXPoint(position, name: place.name, description: place.description)
        switch name {
        case "WPT": return .item(.waypoint(point))
        case "RTE": return .item(.routePoint(point, route: place.route ?? 0))
        default: return place.segment.map { .item(.trackPoint(point, segment: $0)) } ?? .report(report)
        }
    }
}
