/// The coordinates of a GeoJSON geometry, at any nesting depth.
///
/// - Cost: one allocation per ring, none per position.
struct GeoJSONCoordinates {
    enum Nest {
        case nothing
        case position(Coordinate)
        case list([Coordinate])
        case rings([[Coordinate]])
        case polygons([[[Coordinate]]])
    }

    private(set) var nest = Nest.nothing
    /// The first error, with its path from the coordinates on.
    private(set) var fault: FenceEntryError?

    static let nothing = GeoJSONCoordinates()

    private init() {}

    private var room = 0

    /// Reads the next value to its end, whatever it is.
    init(_ scanner: inout FenceScanner, _ bytes: Span<UInt8>, limit: Int) throws(FenceFileError) {
        room = limit
        let outside = scanner.depth
        let token = try scanner.next(in: bytes)
        do throws(Stop) {
            guard token == .beginArray else { throw .entry(.invalid(nil, "coordinates")) }
            nest = try read(&scanner, bytes, level: 0)
        } catch {
            switch error {
            case .file(let error): throw error
            case .entry(let error): fault = error
            case .full: fault = FenceEntryError(.tooManyCorners(limit: limit))
            }
            try scanner.skip(toDepth: outside, in: bytes)
        }
    }

    /// What ends the reading of coordinates early.
    private enum Stop: Error {
        case file(FenceFileError)
        /// The path so far, from the inside out.
        case entry(FenceEntryError)
        case full

        /// The same, one level further out.
        func within(_ index: Int) -> Stop {
            guard case .entry(var error) = self else { return self }
            error.path = "[\(index)]\(error.path ?? "")"
            return .entry(error)
        }
    }

    /// The positions of polygons are four lists deep.
    private static let deepest = 4

    /// Reads the list that has begun.
    private mutating func read(_ scanner: inout FenceScanner, _ bytes: Span<UInt8>, level: Int) throws(Stop) -> Nest {
        guard level < GeoJSONCoordinates.deepest else { throw .entry(.invalid(nil, "[longitude, latitude]")) }
        switch try token(&scanner, bytes) {
        case .integer(let number): return .position(try position(Double(number), &scanner, bytes))
        case .number(let number): return .position(try position(number, &scanner, bytes))
        case .endArray: return .nothing
        case .beginArray: break
        default: throw .entry(.invalid(nil, "[longitude, latitude]"))
        }
        var nest: Nest
        do throws(Stop) { nest = try read(&scanner, bytes, level: level + 1) } catch { throw error.within(0) }
        switch nest {
        case .position(let first):
            var list = [first]
            try forEachList(&scanner, bytes) { (reader, scanner) throws(Stop) in
                let token = try reader.token(&scanner, bytes)
                guard case .some(let longitude) = GeoJSONCoordinates.number(token) else {
                    throw .entry(.invalid(nil, "[longitude, latitude]"))
                }
                list.append(try reader.position(longitude, &scanner, bytes))
            }
            nest = .list(list)
        case .list(let first):
            var rings = [first]
            try forEachList(&scanner, bytes) { (reader, scanner) throws(Stop) in
                switch try reader.read(&scanner, bytes, level: level + 1) {
                case .list(let ring): rings.append(ring)
                case .nothing: rings.append([])
                default: throw .entry(.invalid(nil, "a list of positions"))
                }
            }
            nest = .rings(rings)
        case .rings(let first):
            var polygons = [first]
            try forEachList(&scanner, bytes) { (reader, scanner) throws(Stop) in
                switch try reader.read(&scanner, bytes, level: level + 1) {
                case .rings(let rings): polygons.append(rings)
                case .nothing: polygons.append([])
                default: throw .entry(.invalid(nil, "a list of rings"))
                }
            }
            nest = .polygons(polygons)
        case .nothing: throw .entry(FenceEntryError(.invalidValue(expected: "a position or a list of them"), at: "[0]"))
        case .polygons: throw .entry(.invalid(nil, "no deeper than polygons"))
        }
        return nest
    }

    /// Calls the body for each further list within the current one.
    private mutating func forEachList(
        _ scanner: inout FenceScanner, _ bytes: Span<UInt8>, _ body: (inout GeoJSONCoordinates, inout FenceScanner) throws(Stop) -> Void
    ) throws(Stop) {
        var index = 1
        while case let next = try token(&scanner, bytes), next != .endArray {
            do throws(Stop) {
                guard next == .beginArray else { throw .entry(.invalid(nil, "a list, as the one before")) }
                try body(&self, &scanner)
            } catch {
                throw error.within(index)
            }
            index += 1
        }
    }

    /// Reads the rest of the position, after its first number.
    private mutating func position(_ longitude: Double, _ scanner: inout FenceScanner, _ bytes: Span<UInt8>) throws(Stop) -> Coordinate {
        guard room > 0 else { throw .full }
        room -= 1
        guard let latitude = GeoJSONCoordinates.number(try token(&scanner, bytes)) else {
            throw .entry(.invalid(nil, "[longitude, latitude]"))
        }
        while case let next = try token(&scanner, bytes), next != .endArray {
            // An altitude, and anything else; null for an unknown one.
            guard GeoJSONCoordinates.number(next) != nil || next == .null else { throw .entry(.invalid(nil, "[longitude, latitude]")) }
        }
        guard let place = Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude) else {
            throw .entry(FenceEntryError(.coordinateOutOfRange(latitude: latitude, longitude: longitude)))
        }
        return place
    }

    private static func number(_ token: JSONScanner.Token) -> Double? {
        switch token {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    private func token(_ scanner: inout FenceScanner, _ bytes: Span<UInt8>) throws(Stop) -> JSONScanner.Token {
        do { return try scanner.next(in: bytes) } catch { throw .file(error) }
    }
}
