import Waypost

/// The contract of `Roads`, whatever file they are opened from.
public enum RoadFileContract {
    /// Where the header ends, and its checksum stands in it.
    private static let headerBytes = 352
    private static let checksumOffset = 12

    /// The file with the checksum that its header should have: what is wrong in it is not found that way any more.
    public static func mended(_ input: [UInt8]) -> [UInt8] {
        guard input.count >= headerBytes else { return input }
        var file = input
        for (index, byte) in Array("WAYROADS".utf8).enumerated() { file[index] = byte }
        put(1, 8..<12, into: &file)
        put(0, checksumOffset..<checksumOffset + 4, into: &file)
        put(UInt64(file.count), 16..<24, into: &file)
        put(UInt64(CRC32C.checksum(Array(file[..<headerBytes]).span.bytes)), checksumOffset..<checksumOffset + 4, into: &file)
        return file
    }

    private static func put(_ number: UInt64, _ range: Range<Int>, into file: inout [UInt8]) {
        for (place, index) in range.enumerated() { file[index] = UInt8(truncatingIfNeeded: number >> UInt64(8 * place)) }
    }

    /// The ways in which roads break their contract on that file, as it is and with its header mended.
    ///
    /// - It opens, or the error says why not; nothing that is asked of it ends the program or takes for ever.
    /// - Every fix gets an answer, in order; a match has a confidence of 0 to 1.
    /// - A route has a start and an end, and takes some time.
    /// - A drawing of a tile has no more points than it may have.
    public static func violations(reading input: [UInt8]) -> [Violation] {
        violations(opening: input) + violations(opening: mended(input))
    }

    /// The tiles of the first place, those of every zoom, and one at the edge of the Earth.
    private static func tiles(around places: [Coordinate]) -> [RoadTile] {
        guard let place = places.first else { return [] }
        return RoadTile.zooms.flatMap { zoom in
            let count = 1 << zoom
            let column = min(Int((place.longitudeDegrees + 180) / 360 * Double(count)), count - 1)
            return [RoadTile(zoom: zoom, column: column, row: count / 3), RoadTile(zoom: zoom, column: count - 1, row: 0)].compactMap { $0 }
        }
    }

    private static func violations(opening file: [UInt8]) -> [Violation] {
        guard let roads = try? Roads(RoadBytes(file)) else { return [] }
        _ = roads.damage()
        let box = roads.summary.box
        var places: [Coordinate] = []
        for part in [0.0, 0.3, 0.5, 1] {
            let place = Coordinate(
                latitudeDegrees: box.southDegrees + part * (box.northDegrees - box.southDegrees),
                longitudeDegrees: min(max(box.westDegrees + part * box.widthDegrees, -180), 180))
            if let place { places.append(place) }
        }
        var violations: [Violation] = []
        for tile in tiles(around: places) {
            let counts = roads.drawing(of: tile).lines.joined().map(\.points.count)
            if counts.dropLast().reduce(0, +) > RoadDrawing.greatestPointCount {
                violations.append(Violation("a drawing of \(counts.count) lines with too many points"))
            }
        }
        for mode in TravelMode.allCases {
            if let route = try? roads.route([places[0], places[places.count - 1]], mode: mode) {
                if route.coordinates.isEmpty || !(route.seconds >= 0 && route.lengthMetres >= 0) {
                    violations.append(Violation("route of \(route.lengthMetres) m, \(route.seconds) s, \(route.coordinates.count) places"))
                }
            }
            for lag: Duration? in [.zero, nil] {
                var matcher = MapMatcher(roads: roads, mode: mode, lag: lag)
                var answers: [MapMatcher.FixMatch] = []
                for (index, place) in (places + places).enumerated() {
                    var fix = Position(time: UTCTime(millisecondsSince1970: Int64(index) * 5_000), coordinate: place)
                    fix.speedMetresPerSecond = 10
                    fix.courseDegrees = 45
                    answers += matcher.process(fix)
                }
                answers += matcher.finish()
                if answers.map(\.position.coordinate) != places + places { violations.append(Violation("\(answers.count) answers")) }
                for answer in answers {
                    _ = matcher.road(of: answer)
                    if let match = answer.match, !(0...1).contains(match.confidence) {
                        violations.append(Violation("confidence \(match.confidence)"))
                    }
                }
            }
        }
        return violations
    }
}
