/// A point of a GPX file while its element is open.
struct GPXPointDraft {
    private static var nowhere: Coordinate {
        guard let place = Coordinate(latitudeDegrees: 0, longitudeDegrees: 0) else { preconditionFailure("0, 0 is a place") }
        return place
    }

    private var latitude: Double?
    private var longitude: Double?
    private var hasSecondPlace = false
    private var isThreeDimensional: Bool?
    /// What is known about the point so far.
    private(set) var point = GPXPoint(silentAt: GPXPointDraft.nowhere)
    /// Whether the point can be emitted.
    private(set) var isValid = false
    /// Whether its markup is broken.
    private(set) var isBroken = false

    /// Processes a `lat` or `lon`; other attributes are ignored.
    @inline(__always)
    mutating func attribute(_ name: Range<Int>, _ value: Range<Int>, in bytes: Span<UInt8>) {
        guard name.count == 3, case let first = bytes[unchecked: name.lowerBound], first == UInt8(ascii: "l") else { return }
        // Three bytes from the lower bound on, as the count guarantees.
        let (second, third) = (bytes[unchecked: name.lowerBound &+ 1], bytes[unchecked: name.lowerBound &+ 2])
        if second == UInt8(ascii: "a"), third == UInt8(ascii: "t") {
            if latitude != nil { hasSecondPlace = true }
            latitude = GPXPointDraft.number(bytes.extracting(value)) ?? .nan
        } else if second == UInt8(ascii: "o"), third == UInt8(ascii: "n") {
            if longitude != nil { hasSecondPlace = true }
            longitude = GPXPointDraft.number(bytes.extracting(value)) ?? .nan
        }
    }

    /// Ends the start tag; true when the attributes form a valid place.
    mutating func endAttributes() -> Bool {
        guard !hasSecondPlace, let latitude, let longitude,
            let coordinate = Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude)
        else { return false }
        point.position.coordinate = coordinate
        isValid = true
        return true
    }

    /// Marks the point as broken; true when it was whole until now.
    mutating func breakUp() -> Bool {
        isBroken = true
        defer { isValid = false }
        return isValid
    }

    /// Processes the text of an element inside the point; false when it is unreadable or impossible.
    mutating func take(_ element: GPXElement, _ text: Span<UInt8>) -> Bool {
        switch element {
        case .elevation: GPXPointDraft.read(text, into: &point.position.altitudeMSLMetres)
        case .time:
            if let time = UTCTime(xmlDateTime: text) { set(time) } else { GPXPointDraft.isBlank(text) }
        case .geoidHeight: GPXPointDraft.read(text, into: &point.position.geoidSeparationMetres)
        case .hdop: GPXPointDraft.read(text, isMagnitude: true, into: &point.position.quality.hdop)
        case .vdop: GPXPointDraft.read(text, isMagnitude: true, into: &point.position.quality.vdop)
        case .pdop: GPXPointDraft.read(text, isMagnitude: true, into: &point.position.quality.pdop)
        case .speed: GPXPointDraft.read(text, isMagnitude: true, into: &point.position.speedMetresPerSecond)
        case .course: setCourse(text)
        case .accuracy: setAccuracy(text)
        case .satellites: setSatellites(text)
        case .fix: setFix(text)
        default: true
        }
    }

    /// Stores a name or description.
    mutating func take(_ element: GPXElement, string: String?) {
        if element == .name { point.name = string } else { point.description = string }
    }

    /// Stores an element for another GPX file, with its figures about the point; false when there is no room for it.
    mutating func add(_ part: GPXOtherElements.Part, _ xml: String, saying figures: GPXOtherElements.Figures) -> Bool {
        if point.other == nil { point.other = GPXOtherElements() }
        return point.other?.add(part, xml, saying: figures) == true
    }

    /// Derives the remaining values once the point is complete.
    mutating func finish() {
        if let altitude = point.position.altitudeMSLMetres, let separation = point.position.geoidSeparationMetres {
            point.position.altitudeHAEMetres = (altitude + separation).roundedToMillimetres
        }
        point.position.mode = isThreeDimensional ?? (point.position.altitudeMSLMetres != nil) ? .threeDimensional : .twoDimensional
    }

    // MARK: - Values

    @inline(__always)
    private static func number(_ text: Span<UInt8>) -> Double? {
        if let value = Double(xmlDecimal: text) { return value }
        return XMLText.resolved(text).flatMap { Double(xmlDecimal: $0.span) }
    }

    /// An element without text says nothing, which is not an error.
    private static func isBlank(_ text: Span<UInt8>) -> Bool { text.trimmingXMLSpace.isEmpty }

    @inline(__always)
    private mutating func set(_ time: UTCTime) -> Bool {
        point.position.time = time
        return true
    }

    /// Reads a figure into its place; from 10^9 on it is not a measurement, and would not fit a decimal form without exponent.
    @inline(__always)
    private static func read(_ text: Span<UInt8>, isMagnitude: Bool = false, into place: inout Double?) -> Bool {
        guard let value = number(text), abs(value) < 1e9, value >= 0 || !isMagnitude else { return isBlank(text) }
        place = value
        return true
    }

    private mutating func setCourse(_ text: Span<UInt8>) -> Bool {
        guard let value = GPXPointDraft.number(text), (0...360).contains(value) else { return GPXPointDraft.isBlank(text) }
        point.position.courseDegrees = value == 360 ? 0 : value
        return true
    }

    private mutating func setAccuracy(_ text: Span<UInt8>) -> Bool {
        var radius: Double?
        let isReadable = GPXPointDraft.read(text, isMagnitude: true, into: &radius)
        if let radius { point.position.accuracy = HorizontalAccuracy(radiusMetres: radius, origin: .receiver) }
        return isReadable
    }

    private mutating func setSatellites(_ text: Span<UInt8>) -> Bool {
        guard let value = GPXPointDraft.number(text), (0...1_000_000).contains(value), let count = Int(exactly: value) else {
            return GPXPointDraft.isBlank(text)
        }
        point.position.quality.satellitesUsed = count
        return true
    }

    private mutating func setFix(_ text: Span<UInt8>) -> Bool {
        let range = text.trimmingXMLSpace
        func isWord(_ literal: StaticString) -> Bool {
            range.count == literal.utf8CodeUnitCount && text.hasLiteral(literal, at: range.lowerBound) == true
        }
        if isWord("3d") || isWord("3") {
            point.fix = .threeDimensional
            isThreeDimensional = true
        } else if isWord("2d") || isWord("2") {
            point.fix = .twoDimensional
            isThreeDimensional = false
        } else if isWord("dgps") {
            point.fix = .differential
            point.position.status = .differential
        } else if isWord("pps") {
            point.fix = .precise
            point.position.status = .precise
        } else if isWord("none") {
            point.fix = GPXFix.none
        } else {
            return range.isEmpty
        }
        return true
    }
}
