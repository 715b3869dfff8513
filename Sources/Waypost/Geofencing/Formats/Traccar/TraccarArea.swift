/// The text of an area as Traccar writes it: like WKT, but latitude first, and with circles.
///
/// ```
/// CIRCLE (35.1 136.8, 100)
/// POLYGON ((35.1 136.8, 35.2 136.8, 35.2 136.9, 35.1 136.8))
/// LINESTRING (35.1 136.8, 35.2 136.9)
/// ```
/// - Leniencies: words in either case; white space where WKT has it; a third number of a corner, its altitude, is ignored.
/// - Source: GeofenceCircle, GeofencePolygon and GeofencePolyline of https://github.com/traccar/traccar: a polygon ends with its first ring, so
///   one with holes is not valid in Traccar, and is refused here rather than read without them.
enum TraccarArea {
    static func read(_ text: String, lineDistance: Double, maximumCorners: Int) throws(TraccarAreaFault) -> FenceArea {
        let bytes = Array(text.utf8)
        var reader = Reader(maximumCorners: maximumCorners)
        return try reader.area(in: bytes.span, lineDistance: lineDistance)
    }

    /// The text of a shape.
    static func text(_ shape: FenceShape) throws(FenceRefusal) -> String {
        var text = TextBuffer()
        switch shape {
        case .circle(let circle):
            text.append("CIRCLE (")
            text.append(circle.centre)
            text.append(", ")
            text.append(shortest: circle.radiusMetres)
            text.append(")")
        case .polygons(let rings):
            let polygons = rings.polygons
            guard polygons.count == 1 else { throw FenceRefusal("Traccar has one polygon a geofence") }
            guard polygons[0].count == 1 else { throw FenceRefusal("Traccar has no holes") }
            text.append("POLYGON ((")
            text.append(polygons[0][0])
            text.append("))")
        case .corridor(let line, _):
            text.append("LINESTRING (")
            text.append(line.corners[0])
            text.append(")")
        }
        return text.string
    }

    private struct Reader {
        var offset = 0
        let maximumCorners: Int

        init(maximumCorners: Int) {
            self.maximumCorners = maximumCorners
        }

        mutating func area(in bytes: Span<UInt8>, lineDistance: Double) throws(TraccarAreaFault) -> FenceArea {
            let word = word(in: bytes)
            let area: FenceArea
            switch word {
            case "CIRCLE":
                try expect("(", in: bytes)
                let centre = try place(0, in: bytes)
                try expect(",", in: bytes)
                guard let radius = number(in: bytes) else { throw TraccarAreaFault(expected: "CIRCLE (latitude longitude, metres)") }
                area = .circle(centre, radiusMetres: radius)
            case "POLYGON":
                try expect("(", in: bytes)
                try expect("(", in: bytes)
                area = .polygons([[try places(in: bytes)]])
                try expect(")", in: bytes)
                if takes(UInt8(ascii: ","), in: bytes) {
                    throw TraccarAreaFault(.unknownGeometry("POLYGON with holes, which Traccar does not know,"))
                }
            case "LINESTRING":
                try expect("(", in: bytes)
                area = .line(try places(in: bytes), widthMetres: 2 * lineDistance)
            default:
                let kind = word.isEmpty || word.utf8.count > 32 ? "without a name" : word
                throw TraccarAreaFault(.unknownGeometry(kind))
            }
            try expect(")", in: bytes)
            skipSpace(in: bytes)
            guard offset == bytes.count else { throw TraccarAreaFault(expected: "nothing after the closing bracket") }
            return area
        }

        private mutating func places(in bytes: Span<UInt8>) throws(TraccarAreaFault) -> [Coordinate] {
            var places: [Coordinate] = []
            repeat {
                guard places.count < maximumCorners else { throw TraccarAreaFault(.tooManyCorners(limit: maximumCorners)) }
                places.append(try place(places.count, in: bytes))
            } while takes(UInt8(ascii: ","), in: bytes)
            return places
        }

        private mutating func place(_ corner: Int, in bytes: Span<UInt8>) throws(TraccarAreaFault) -> Coordinate {
            guard let latitude = number(in: bytes), let longitude = number(in: bytes) else {
                throw TraccarAreaFault(.invalidValue(expected: "latitude and longitude with a space between"), corner: corner)
            }
            _ = number(in: bytes)
            guard let place = Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude) else {
                throw TraccarAreaFault(.coordinateOutOfRange(latitude: latitude, longitude: longitude), corner: corner)
            }
            return place
        }

        private mutating func word(in bytes: Span<UInt8>) -> String {
            skipSpace(in: bytes)
            var word = ""
            while offset < bytes.count, case let letter = bytes[offset] & 0xDF, (0x41...0x5A).contains(letter) {
                word.unicodeScalars.append(Unicode.Scalar(letter))
                offset += 1
            }
            return word
        }

        private mutating func number(in bytes: Span<UInt8>) -> Double? {
            skipSpace(in: bytes)
            var end = offset
            while end < bytes.count, !bytes[end].isXMLSpace, bytes[end] != UInt8(ascii: ","), bytes[end] != UInt8(ascii: ")") { end += 1 }
            guard let value = Double(xmlDecimal: bytes.extracting(offset..<end)) else { return nil }
            offset = end
            return value
        }

        private mutating func expect(_ mark: Unicode.Scalar, in bytes: Span<UInt8>) throws(TraccarAreaFault) {
            guard takes(UInt8(ascii: mark), in: bytes) else {
                throw TraccarAreaFault(expected: "with \"\(mark)\" at its character \(offset + 1)")
            }
        }

        private mutating func takes(_ byte: UInt8, in bytes: Span<UInt8>) -> Bool {
            skipSpace(in: bytes)
            guard offset < bytes.count, bytes[offset] == byte else { return false }
            offset += 1
            return true
        }

        private mutating func skipSpace(in bytes: Span<UInt8>) {
            while offset < bytes.count, bytes[offset].isXMLSpace { offset += 1 }
        }
    }
}

/// The problem with the text of an area, and its corner, counted from 0.
struct TraccarAreaFault: Error {
    var problem: FenceRemark.Problem
    var corner: Int?

    init(_ problem: FenceRemark.Problem, corner: Int? = nil) {
        self.problem = problem
        self.corner = corner
    }

    init(expected: String) {
        self.init(.invalidValue(expected: expected))
    }
}

extension TextBuffer {
    /// Appends `latitude longitude`.
    fileprivate mutating func append(_ place: Coordinate) {
        append(shortest: place.latitudeDegrees)
        append(" ")
        append(shortest: place.longitudeDegrees)
    }

    fileprivate mutating func append(_ places: [Coordinate]) {
        for (index, place) in places.enumerated() {
            if index > 0 { append(", ") }
            append(place)
        }
    }
}
