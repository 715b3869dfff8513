/// Reads `longitude,latitude(,altitude)` with white space between the places, from text that comes in pieces.
///
/// Spaces round the commas belong to the place, as some programs write them.
struct KMLPlaces: Sendable {
    /// One place; nil when it cannot be.
    typealias Place = (coordinate: Coordinate, altitudeMetres: Double?)

    /// Bytes of one place; a longer one is none.
    private static let longestPlace = 256

    private var text: [UInt8] = []
    private var isBehindSpace = false

    /// Takes a piece of text; visits the places that it completes.
    mutating func add(_ piece: Span<UInt8>, _ visit: (Place?) -> Void) {
        for index in piece.indices {
            let byte = piece[unchecked: index]
            if byte.isXMLSpace {
                isBehindSpace = true
                continue
            }
            if isBehindSpace, byte != UInt8(ascii: ","), text.last != UInt8(ascii: ",") { finish(visit) }
            isBehindSpace = false
            if text.count <= KMLPlaces.longestPlace { text.append(byte) }
        }
    }

    /// Ends the text.
    mutating func finish(_ visit: (Place?) -> Void) {
        if !text.isEmpty { visit(text.count <= KMLPlaces.longestPlace ? KMLPlaces.place(text.span, separator: UInt8(ascii: ",")) : nil) }
        text.removeAll(keepingCapacity: true)
        isBehindSpace = false
    }

    /// The place that a text names.
    static func place(_ text: Span<UInt8>, separator: UInt8) -> Place? {
        var numbers: [Double?] = []
        var start = 0
        for end in 0...text.count where end == text.count || text[end] == separator {
            // Spaces may be more than one; commas with nothing between leave a height out.
            if end > start || separator != UInt8(ascii: " ") { numbers.append(Double(xmlDecimal: text.extracting(start..<end))) }
            start = end + 1
        }
        guard (2...3).contains(numbers.count), let longitude = numbers[0], let latitude = numbers[1],
            let coordinate = Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude)
        else { return nil }
        return (coordinate, numbers.count == 3 ? numbers[2] : nil)
    }
}
