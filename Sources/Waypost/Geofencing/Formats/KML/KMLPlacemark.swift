/// The contents of a KML placemark that is to become a fence.
struct KMLPlacemark {
    /// The line on which it begins, counted from 1.
    let line: Int
    var id: String?
    var name: String?
    /// The extended data by name.
    var data: [String: String] = [:]
    var geometry = FenceGeometry()

    private var fault: FenceEntryError?
    private var outer: [KMLCoordinates] = []
    private var inner: [KMLCoordinates] = []
    /// The lines of each corner: for each polygon's rings, and for lines.
    private var polygonLines: [[[Int32]]] = []
    private var lineLines: [[Int32]] = []
    private var pointLines: [Int32] = []

    init(line: Int) {
        self.line = line
    }

    mutating func beginPolygon() {
        outer = []
        inner = []
    }

    mutating func endPolygon() {
        if outer.count > 1 { fail(.invalid(nil, "a Polygon with one outer ring"), at: outer[1].lines.first) }
        let rings = outer + inner
        // Without an outer ring there is nothing that holes could be in.
        geometry.polygons.append((outer.isEmpty ? [] : rings.map(\.places), ""))
        polygonLines.append(rings.map(\.lines))
    }

    /// Processes the places of an element.
    mutating func take(_ places: KMLCoordinates, of element: KMLElement, in boundary: KMLElement) {
        if let fault = places.fault { fail(fault, at: nil) }
        switch (element, boundary) {
        case (.point, _):
            guard let place = places.places.first else { return fail(.invalid(nil, "longitude,latitude"), at: places.lines.first) }
            geometry.points.append((place, ""))
            pointLines.append(places.lines.first ?? Int32(clamping: line))
        case (.lineString, _):
            geometry.lines.append((places.places, ""))
            lineLines.append(places.lines)
        case (.linearRing, .outerBoundary): outer.append(places)
        case (.linearRing, .innerBoundary): inner.append(places)
        default:
            geometry.polygons.append(([places.places], ""))
            polygonLines.append([places.lines])
        }
    }

    private mutating func fail(_ error: FenceEntryError, at line: Int32?) {
        guard fault == nil else { return }
        fault = error
        if let line { fault?.line = Int(line) }
    }

    /// The draft of the placemark's fence, or the reason why there is none.
    ///
    /// - Parameter index: its number, which is its id when it has neither that nor a name.
    func draft(index: Int) throws(FenceEntryError) -> FenceDraft {
        if let fault { throw fault }
        var draft = try geometry.draft(
            id: data["id"].flatMap { $0.isEmpty ? nil : $0 } ?? id ?? name ?? "\(index)", name: name, radius: try metres("radius"),
            radiusMember: "ExtendedData radius", width: try metres("width"), widthMember: "ExtendedData width")
        switch draft.area {
        case .polygons: draft.corners = .lines(polygonLines)
        case .line: draft.corners = .lines([lineLines])
        case .circle: draft.corners = .lines([[pointLines]])
        }
        if let dwell = data["dwell_seconds"] {
            guard let seconds = Double(xmlDecimal: Array(dwell.utf8).span), seconds >= 0, seconds <= FenceDraft.longestDwellSeconds else {
                throw .invalid("ExtendedData dwell_seconds", "seconds, 0 or more")
            }
            draft.dwellSeconds = seconds
        }
        if let expires = data["expires"] {
            guard let time = UTCTime(rfc3339: expires) else { throw .invalid("ExtendedData expires", "a time as RFC 3339 writes it") }
            draft.expires = time
        }
        if let notify = data["notify"] {
            guard let kinds = FenceNotifications(words: notify) else {
                throw .invalid("ExtendedData notify", "enter, exit, dwell and pass, with commas between")
            }
            draft.notifications = kinds
        }
        return draft
    }

    /// A length among the extended data; nil when it is absent or empty.
    private func metres(_ key: String) throws(FenceEntryError) -> Double? {
        guard let text = data[key], !text.isEmpty else { return nil }
        guard let metres = Double(xmlDecimal: Array(text.utf8).span) else { throw .invalid("ExtendedData \(key)", "metres") }
        return metres
    }
}

/// The places of a `coordinates` element: `longitude,latitude(,altitude)` with white space in between; the text may come in pieces.
struct KMLCoordinates {
    private(set) var places: [Coordinate] = []
    /// The line of each place.
    private(set) var lines: [Int32] = []
    private(set) var fault: FenceEntryError?

    private let limit: Int
    private var line: Int
    /// The text so far.
    private var text: [UInt8] = []

    init(limit: Int, line: Int) {
        self.limit = limit
        self.line = line
    }

    /// Adds a piece of the text.
    mutating func add(_ piece: Span<UInt8>) {
        piece.withUnsafeBufferPointer { text.append(contentsOf: $0) }
    }

    /// The places, once the text is complete.
    func finished() -> KMLCoordinates {
        var whole = self
        whole.text = []
        whole.read(text.span)
        return whole
    }

    private mutating func read(_ text: Span<UInt8>) {
        var offset = 0
        skipSpace(text, &offset)
        while offset < text.count, fault == nil {
            let start = line
            guard places.count < limit else { return fail(FenceEntryError(.tooManyCorners(limit: limit)), at: start) }
            guard let longitude = number(text, &offset), comma(text, &offset), let latitude = number(text, &offset) else {
                return fail(.invalid(nil, "longitude,latitude or longitude,latitude,altitude"), at: start)
            }
            if comma(text, &offset) {
                // The altitude may be missing after its comma.
                _ = number(text, &offset)
                if comma(text, &offset) { return fail(.invalid(nil, "longitude,latitude or longitude,latitude,altitude"), at: start) }
            }
            guard let place = Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude) else {
                return fail(FenceEntryError(.coordinateOutOfRange(latitude: latitude, longitude: longitude)), at: start)
            }
            places.append(place)
            lines.append(Int32(clamping: start))
        }
    }

    private mutating func fail(_ error: FenceEntryError, at line: Int) {
        fault = error
        fault?.line = line
    }

    /// Reads a number and the spaces after it.
    private mutating func number(_ text: Span<UInt8>, _ offset: inout Int) -> Double? {
        var end = offset
        while end < text.count, !text[end].isXMLSpace, text[end] != UInt8(ascii: ",") { end += 1 }
        guard let value = Double(xmlDecimal: text.extracting(offset..<end)) else { return nil }
        offset = end
        skipSpace(text, &offset)
        return value
    }

    /// Whether a comma comes next; skips it and the spaces after it.
    private mutating func comma(_ text: Span<UInt8>, _ offset: inout Int) -> Bool {
        guard offset < text.count, text[offset] == UInt8(ascii: ",") else { return false }
        offset += 1
        skipSpace(text, &offset)
        return true
    }

    private mutating func skipSpace(_ text: Span<UInt8>, _ offset: inout Int) {
        while offset < text.count, text[offset].isXMLSpace {
            if text[offset] == 0x0A { line += 1 }
            offset += 1
        }
    }
}
