/// Writes waypoints, routes and tracks as GPX 1.1, piece by piece into a buffer that the caller may empty at any time.
///
/// ```swift
/// var writer = GPXWriter(creator: "waypost 1.0")
/// writer.begin(name: "Morning", time: first.time, into: &text)
/// writer.point(first, into: &text)      // opens the track and its first segment
/// writer.breakSegment(into: &text)      // the next point opens another one
/// writer.point(second, into: &text)
/// writer.end(into: &text)
/// ```
///
/// - The schema puts all waypoints before all routes before all tracks: ``waypoint(_:into:)`` and ``routePoint(_:into:)`` write nothing and
///   return false once something later has been written. A point's elements follow the schema's order; `ele` is the height above mean sea
///   level and `geoidheight` the geoid above the ellipsoid, so the height above the ellipsoid is their sum. Speed and course are in Garmin's
///   TrackPointExtension v2, the 68 % accuracy in `waypost:accuracy` (metres, namespace `urn:waypost:gpx:1`).
/// - Values that the schema forbids are left out (a negative satellite count, infinities) or adapted to it (longitude 180 as -180).
///   A segment without points is written only by ``endSegment(_:into:)``, and a track or route without points only when it was begun with
///   ``begin(track:into:)`` or ``begin(route:into:)``.
/// - The other elements of another GPX file (``GPXOtherElements``) are written unchanged.
/// - Source: GPX 1.1 schema, https://www.topografix.com/GPX/1/1/; TrackPointExtension v2, https://www8.garmin.com/xmlschemas/.
/// - Cost: no allocation per point once the buffer has grown.
public struct GPXWriter: Sendable {
    /// The program named in the file, `waypost VERSION`.
    public let creator: String
    /// How many decimals are written.
    public let precision: GPXPrecision
    /// Whether points without a time are refused; many readers drop a track that contains a single one.
    public let requiresTime: Bool
    /// How many points were written.
    public private(set) var pointCount = 0
    /// How many segments were begun.
    public private(set) var segmentCount = 0

    /// The part written last; earlier parts of the schema can no longer be written.
    private enum Stage: Int {
        case waypoints, routes, tracks
    }

    private var stage = Stage.waypoints
    /// The head of the route or track whose points come next.
    private var path = GPXPath(number: 0)
    /// The kind of that path, when it must be written even without points.
    private var wantedPath: Stage?
    private var isPathOpen = false
    private var isSegmentOpen = false
    /// Whether another GPX file uses our prefixes for other namespaces.
    var hasForeignGarminPrefix = false
    var hasForeignOwnPrefix = false

    /// Creates a writer at the start of a document.
    public init(creator: String, precision: GPXPrecision = .log, requiresTime: Bool = true) {
        self.creator = creator
        self.precision = precision
        self.requiresTime = requiresTime
    }

    /// Writes the head of the document; call it once, before anything else.
    ///
    /// - Parameters:
    ///   - name: the name of the file and its track, when it has one.
    ///   - time: when the document was made; for a log, the time of its first fix.
    ///   - head: the head of another GPX file; its metadata replaces name and time.
    ///   - text: the buffer to append to.
    public mutating func begin(name: String? = nil, time: UTCTime? = nil, head: GPXHead = GPXHead(), into text: inout TextBuffer) {
        text.append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<gpx version=\"1.1\" creator=\"")
        text.append(xmlEscaped: creator)
        text.append(
            """
            " xmlns="http://www.topografix.com/GPX/1/1" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
            """)
        append(head.namespaces, into: &text)
        text.append(
            """
             \
            xsi:schemaLocation="http://www.topografix.com/GPX/1/1 https://www.topografix.com/GPX/1/1/gpx.xsd \
            http://www.garmin.com/xmlschemas/TrackPointExtension/v2 https://www8.garmin.com/xmlschemas/TrackPointExtensionv2.xsd">\n
            """)
        if !head.other.isEmpty { return append(metadata: head.other, into: &text) }
        let documentTime = time.flatMap { $0.hasFourDigitYear ? $0 : nil }
        if name != nil || documentTime != nil {
            text.append("<metadata>")
            if let name {
                text.append("<name>")
                text.append(xmlEscaped: name)
                text.append("</name>")
            }
            if let documentTime {
                text.append("<time>")
                text.append(documentTime, trimsMilliseconds: true)
                text.append("</time>")
            }
            text.append("</metadata>\n")
        }
        path.name = name
    }

    /// Writes a waypoint; false when a route or track has been written already.
    @discardableResult
    public mutating func waypoint(_ point: GPXPoint, into text: inout TextBuffer) -> Bool {
        guard stage == .waypoints else { return false }
        append(point, "wpt", into: &text)
        return true
    }

    /// Begins a route, written with its next point; false when a track has been written already.
    @discardableResult
    public mutating func beginRoute(name: String? = nil, description: String? = nil, into text: inout TextBuffer) -> Bool {
        guard stage != .tracks else { return false }
        closePath(into: &text)
        path = GPXPath(number: 0, name: name, description: description)
        return true
    }

    /// Begins a route, which is written even without points; false when a track has been written already.
    @discardableResult
    public mutating func begin(route: GPXPath, into text: inout TextBuffer) -> Bool {
        closePath(into: &text)
        guard stage != .tracks else { return false }
        path = route
        wantedPath = .routes
        return true
    }

    /// Writes a point of a route; false when a track has been written already.
    @discardableResult
    public mutating func routePoint(_ point: GPXPoint, into text: inout TextBuffer) -> Bool {
        guard stage != .tracks else { return false }
        openPath(.routes, into: &text)
        append(point, "rtept", into: &text)
        return true
    }

    /// Begins a track, written with its next point.
    public mutating func beginTrack(name: String? = nil, description: String? = nil, into text: inout TextBuffer) {
        closePath(into: &text)
        path = GPXPath(number: 0, name: name, description: description)
    }

    /// Begins a track, which is written even without points.
    public mutating func begin(track: GPXPath, into text: inout TextBuffer) {
        closePath(into: &text)
        path = track
        wantedPath = .tracks
    }

    /// Ends a segment, even one without points, with the other elements of another GPX file's segment.
    public mutating func endSegment(_ other: GPXOtherElements, into text: inout TextBuffer) {
        openSegment(into: &text)
        append(extensions: other, into: &text)
        breakSegment(into: &text)
    }

    /// Ends the segment, when one is open: the next point begins a new one.
    public mutating func breakSegment(into text: inout TextBuffer) {
        guard isSegmentOpen else { return }
        text.append("</trkseg>\n")
        isSegmentOpen = false
    }

    /// Writes a track point; false when the writer requires a time and the point has none that can be written.
    @discardableResult
    public mutating func point(_ position: Position, into text: inout TextBuffer) -> Bool {
        if requiresTime, position.time?.hasFourDigitYear != true { return false }
        openSegment(into: &text)
        append(position, fix: GPXFix(position), name: nil, description: nil, other: nil, "trkpt", into: &text)
        pointCount += 1
        return true
    }

    /// Writes a track point with its name; false when the writer requires a time and the point has none that can be written.
    @discardableResult
    public mutating func point(_ point: GPXPoint, into text: inout TextBuffer) -> Bool {
        if requiresTime, point.position.time?.hasFourDigitYear != true { return false }
        openSegment(into: &text)
        append(point, "trkpt", into: &text)
        pointCount += 1
        return true
    }

    /// Closes what is open and ends the document; nothing may follow.
    ///
    /// - Parameters:
    ///   - other: the elements at the end of another GPX file.
    ///   - text: the buffer to append to.
    public mutating func end(_ other: GPXOtherElements = GPXOtherElements(), into text: inout TextBuffer) {
        closePath(into: &text)
        append(extensions: other, into: &text)
        text.append("</gpx>\n")
    }

    @inline(__always)
    private mutating func openSegment(into text: inout TextBuffer) {
        if isSegmentOpen { return }
        openPath(.tracks, into: &text)
        text.append("<trkseg>\n")
        isSegmentOpen = true
        segmentCount += 1
    }

    private mutating func openPath(_ kind: Stage, into text: inout TextBuffer) {
        wantedPath = nil
        if stage != kind {
            // A name meant for the next path must not go to the open one.
            let next = path
            closePath(into: &text)
            path = next
            stage = kind
        }
        guard !isPathOpen else { return }
        isPathOpen = true
        text.append(kind == .tracks ? "<trk>" : "<rte>")
        append(string: path.name, "<name>", "</name>", into: &text)
        append(path.other, .comment, into: &text)
        append(string: path.description, "<desc>", "</desc>", into: &text)
        if let other = path.other {
            append(other, .source, into: &text)
            append(linksOf: other, into: &text)
            append(other, .number, into: &text)
            append(other, .type, into: &text)
            append(extensions: other, into: &text)
        }
    }

    private mutating func closePath(into text: inout TextBuffer) {
        if !isPathOpen, let wantedPath { openPath(wantedPath, into: &text) }
        breakSegment(into: &text)
        if isPathOpen { text.append(stage == .tracks ? "</trk>\n" : "</rte>\n") }
        isPathOpen = false
        path = GPXPath(number: 0)
    }
}
