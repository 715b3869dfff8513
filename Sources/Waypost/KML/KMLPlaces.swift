/// Reads `longitude,latitude(,altitude)` with white space between the places, from text that comes in pieces.
///
/// Spaces around the commas belong to the place, because some programs write them.
struct KMLPlaces: Sendable {
    /// One place; nil when it is invalid.
    typealias Place = (coordinate: Coordinate, altitudeMetres: Double?)

    /// The most bytes of one place; a longer one is invalid.
    private static let longestPlace = 256

    private var text: [UInt8] = []
    private var isBehindSpace = false

    /// Processes a piece of text and visits the places that it completes.
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

    /// The place in a text.
    static func place(_ text: Span<UInt8>, separator: UInt8) -> Place? {
        var numbers: [Double?] = []
        var start = 0
        for end in 0...text.count where end == text.count || text[end] == separator {
            // There may be several spaces in a row; an empty field between commas leaves out a height.
            if end > start || separator != UInt8(ascii: " ") { numbers.append(Double(xmlDecimal: text.extracting(start..<end))) }
            start = end + 1
        }
        guard (2...3).contains(numbers.count), let longitude = numbers[0], let latitude = numbers[1],
            let coordinate = Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude)
        else { return nil }
        return (coordinate, numbers.count == 3 ? numbers[2] : nil)
    }
}
