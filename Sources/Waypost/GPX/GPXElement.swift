// Garmin's TrackPointExtension, versions 1 and 2, and what else occurs in a point's `extensions`.
//
// ```
// <extensions>
//   <gpxtpx:TrackPointExtension>         any prefix, declared or not
//     <gpxtpx:atemp> ... <gpxtpx:cad>    version 1: passed over
//     <gpxtpx:speed>3.2</gpxtpx:speed>   version 2: m/s
//     <gpxtpx:course>271.5</...>         degrees true
//     <gpxtpx:bearing>                   passed over: where to, not where from
//   </gpxtpx:TrackPointExtension>
//   <waypost:accuracy>4.2</...>          namespace urn:waypost:gpx:1, or declared nowhere: radius in m that holds 68 %
//   <speed>, <osmand:speed>, <course>    by the same names and units
// </extensions>
// ```
//
// - Source: https://www8.garmin.com/xmlschemas/TrackPointExtensionv1.xsd and TrackPointExtensionv2.xsd.

/// The elements of GPX that are read, by their names without prefix.
enum GPXElement: UInt8 {
    /// No element: outside the root.
    case document = 0
    /// An element that is not read.
    case other
    case gpx, waypoint, route, routePoint, track, segment, trackPoint, extensions
    /// Garmin's TrackPointExtension.
    case trackPointExtension
    case elevation, time, geoidHeight, fix, satellites, hdop, vdop, pdop, speed, course, accuracy, name, description

    /// The element with that name.
    @inline(__always)
    init(_ name: Range<Int>, in bytes: Span<UInt8>) {
        @inline(__always)
        func has(_ literal: StaticString) -> Bool {
            for index in 1..<literal.utf8CodeUnitCount where bytes[unchecked: name.lowerBound + index] != literal.utf8Start[index] {
                return false
            }
            return true
        }
        // The first byte is compared by the switch, the others by `has`; the range is within the bytes.
        switch (name.count, name.isEmpty ? 0 : bytes[name.lowerBound]) {
        case (3, UInt8(ascii: "e")) where has("ele"): self = .elevation
        case (4, UInt8(ascii: "t")) where has("time"): self = .time
        case (5, UInt8(ascii: "t")) where has("trkpt"): self = .trackPoint
        case (4, UInt8(ascii: "n")) where has("name"): self = .name
        case (4, UInt8(ascii: "d")) where has("desc"): self = .description
        case (4, UInt8(ascii: "h")) where has("hdop"): self = .hdop
        case (4, UInt8(ascii: "v")) where has("vdop"): self = .vdop
        case (4, UInt8(ascii: "p")) where has("pdop"): self = .pdop
        case (3, UInt8(ascii: "f")) where has("fix"): self = .fix
        case (3, UInt8(ascii: "s")) where has("sat"): self = .satellites
        case (3, UInt8(ascii: "t")) where has("trk"): self = .track
        case (3, UInt8(ascii: "w")) where has("wpt"): self = .waypoint
        case (3, UInt8(ascii: "r")) where has("rte"): self = .route
        case (3, UInt8(ascii: "g")) where has("gpx"): self = .gpx
        case (5, UInt8(ascii: "r")) where has("rtept"): self = .routePoint
        case (5, UInt8(ascii: "s")) where has("speed"): self = .speed
        case (6, UInt8(ascii: "t")) where has("trkseg"): self = .segment
        case (6, UInt8(ascii: "c")) where has("course"): self = .course
        case (8, UInt8(ascii: "a")) where has("accuracy"): self = .accuracy
        case (10, UInt8(ascii: "e")) where has("extensions"): self = .extensions
        case (11, UInt8(ascii: "g")) where has("geoidheight"): self = .geoidHeight
        case (19, UInt8(ascii: "T")) where has("TrackPointExtension"): self = .trackPointExtension
        default: self = .other
        }
    }

    /// Whether this is `wpt`, `rtept` or `trkpt`.
    @inline(__always)
    var isPoint: Bool { self == .trackPoint || self == .waypoint || self == .routePoint }

    /// Whether this is part of the document's frame: the root, tracks, segments, routes and points.
    @inline(__always)
    var isFrame: Bool { rawValue >= GPXElement.gpx.rawValue && rawValue <= GPXElement.trackPoint.rawValue }

    /// Whether this holds text that is read.
    @inline(__always)
    var isText: Bool { rawValue >= GPXElement.elevation.rawValue }

    /// Whether this is read as a child of that element.
    @inline(__always)
    func isChild(of parent: GPXElement) -> Bool {
        switch parent {
        case .trackPoint, .waypoint, .routePoint: isText && self != .accuracy || self == .extensions
        case .extensions: self == .trackPointExtension || self == .accuracy || self == .speed || self == .course
        case .trackPointExtension: self == .speed || self == .course
        case .segment: self == .trackPoint
        case .gpx: self == .waypoint || self == .route || self == .track
        case .track: self == .segment || self == .trackPoint || self == .name || self == .description
        case .route: self == .routePoint || self == .name || self == .description
        default: false
        }
    }
}

/// The open elements, outermost first; GPX nests no more than seven elements that are read.
struct GPXElementStack {
    /// Eight bits per element, the innermost lowest.
    private var elements: UInt64 = 0

    /// The innermost element, ``GPXElement/document`` outside of the root.
    private(set) var top = GPXElement.document

    /// How many elements are open.
    var depth: Int { (UInt64.bitWidth - elements.leadingZeroBitCount + 7) / 8 }

    /// The element that the innermost one is in.
    var parent: GPXElement { GPXElement(rawValue: UInt8(truncatingIfNeeded: elements >> 8)) ?? .document }

    /// Opens an element inside the innermost.
    @inline(__always)
    mutating func push(_ element: GPXElement) {
        elements = elements << 8 | UInt64(element.rawValue)
        top = element
    }

    /// Closes the innermost element.
    @inline(__always)
    mutating func pop() {
        elements >>= 8
        top = GPXElement(rawValue: UInt8(truncatingIfNeeded: elements)) ?? .document
    }

    /// Whether an open element can have this one as a child.
    func hasParent(of element: GPXElement) -> Bool {
        var rest = self
        while rest.top != .document {
            if element.isChild(of: rest.top) { return true }
            rest.pop()
        }
        return false
    }

    /// Whether this element is open.
    func contains(_ element: GPXElement) -> Bool {
        var rest = elements
        while rest != 0 {
            if rest & 0xFF == UInt64(element.rawValue) { return true }
            rest >>= 8
        }
        return false
    }
}
