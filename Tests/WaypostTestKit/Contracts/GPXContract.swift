import Waypost

/// The contract of a `GPXReader` and a `GPXWriter`, whatever they are fed.
public enum GPXContract {
    /// The result of a reading.
    public struct Reading: Equatable {
        /// Everything visited, in order.
        public var items: [GPXItem] = []
        /// What was counted.
        public var summary = GPXSummary()
        /// Why it ended, when the input is not GPX.
        public var failure: GPXError?
    }

    /// Reads a whole file in pieces of those lengths.
    public static func read(_ input: [UInt8], keepsOtherElements: Bool = false, pieceLength: () -> Int) -> Reading {
        var reader = GPXReader(keepsOtherElements: keepsOtherElements)
        var reading = Reading()
        var start = 0
        do throws(GPXError) {
            while start < input.count {
                let end = min(input.count, start + max(1, pieceLength()))
                try reader.read(input.span.extracting(start..<end)) { reading.items.append($0) }
                start = end
            }
            reading.summary = try reader.finish()
        } catch {
            reading.failure = error
            reading.summary = reader.summary
        }
        return reading
    }

    /// The ways in which reader and writer break their contract on that input; the seed decides where the input is cut.
    ///
    /// - The same input cut elsewhere gives the same items, the same summary, the same error.
    /// - No point holds a value outside of its documented range, and the counts are those of the items.
    /// - What was read is the same after it was written and read again, and is written again as the same bytes.
    /// - When other elements are kept, the points are the same.
    public static func violations(reading input: [UInt8], seed: UInt64) -> [Violation] {
        let plain = violations(reading: input, seed: seed, keepsOtherElements: false)
        let keeping = violations(reading: input, seed: seed, keepsOtherElements: true)
        let (left, right) = (read(input) { input.count }, read(input, keepsOtherElements: true) { input.count })
        let areSame = points(left.items).map(\.position) == points(right.items).map(\.position) && left.failure == right.failure
        return plain + keeping + (areSame ? [] : [Violation("other points when other elements are kept")])
    }

    private static func violations(reading input: [UInt8], seed: UInt64, keepsOtherElements keeps: Bool) -> [Violation] {
        var generator = SeededGenerator(seed: seed)
        var violations: [Violation] = []
        let whole = read(input, keepsOtherElements: keeps) { input.count }
        let inPieces = read(input, keepsOtherElements: keeps) { .random(in: 1...97, using: &generator) }
        for (cut, other) in [("in pieces", inPieces), ("byte by byte", read(input, keepsOtherElements: keeps) { 1 })] {
            // The place of the error decides how much was visited before it; the items up to it are the same.
            if other.items != whole.items { violations.append(Violation("other items when fed \(cut)")) }
            if other.failure != whole.failure {
                violations.append(Violation("fed \(cut) \(String(describing: other.failure)), whole \(String(describing: whole.failure))"))
            } else if whole.failure == nil, other.summary != whole.summary {
                violations.append(Violation("fed \(cut) it says \(other.summary.remarks), whole \(whole.summary.remarks)"))
            }
        }
        guard whole.failure == nil else { return violations }
        violations += self.violations(counting: whole)
        return violations + self.violations(writing: whole, keepsOtherElements: keeps)
    }

    private static func violations(counting reading: Reading) -> [Violation] {
        var violations: [Violation] = []
        var waypoints = 0
        var routePoints = 0
        var trackPoints = 0
        var lastSegment = -1
        for item in reading.items {
            switch item {
            case .waypoint(let point):
                waypoints += 1
                violations += self.violations(in: point)
            case .routePoint(let point, let route):
                routePoints += 1
                if route >= max(reading.summary.routes, 1) { violations.append(Violation("a point of route \(route)")) }
                violations += self.violations(in: point)
            case .trackPoint(let point, let segment):
                trackPoints += 1
                if segment < lastSegment || segment >= reading.summary.segments { violations.append(Violation("segment \(segment)")) }
                lastSegment = segment
                violations += self.violations(in: point)
            case .head, .track, .route, .segmentEnd, .end: break
            }
        }
        if (waypoints, routePoints, trackPoints) != (reading.summary.waypoints, reading.summary.routePoints, reading.summary.trackPoints) {
            violations.append(Violation("items and summary differ"))
        }
        return violations
    }

    private static func violations(in point: GPXPoint) -> [Violation] {
        let position = point.position
        var violations: [Violation] = []
        func expect(_ name: String, _ value: Double?, in range: ClosedRange<Double>) {
            if let value, !range.contains(value) || value.isZero && value.sign == .minus {
                violations.append(Violation("\(name) \(value)"))
            }
        }
        expect("latitude", position.coordinate.latitudeDegrees, in: -90...90)
        expect("longitude", position.coordinate.longitudeDegrees, in: -180...180)
        expect("course", position.courseDegrees, in: 0...360.0.nextDown)
        for (name, value) in [
            ("speed", position.speedMetresPerSecond), ("accuracy", position.accuracy?.radiusMetres), ("HDOP", position.quality.hdop),
            ("VDOP", position.quality.vdop), ("PDOP", position.quality.pdop),
        ] {
            expect(name, value, in: 0...1e9)
        }
        for (name, value) in [("altitude", position.altitudeMSLMetres), ("geoid", position.geoidSeparationMetres)] {
            expect(name, value, in: -1e9...1e9)
        }
        if let time = position.time, !time.hasFourDigitYear { violations.append(Violation("time \(time)")) }
        for text in [point.name, point.description].compactMap(\.self) {
            if text.isEmpty || text.utf8.count > 3 * GPXReader.longestText {
                violations.append(Violation("a text of \(text.utf8.count) bytes"))
            }
            if text.unicodeScalars.contains(where: { $0.value < 0x20 && $0 != "\t" && $0 != "\n" && $0 != "\r" }) {
                violations.append(Violation("a control character"))
            }
        }
        return violations
    }

    private static func violations(writing reading: Reading, keepsOtherElements keeps: Bool) -> [Violation] {
        let items = reading.items
        let first = write(items)
        let again = read(first, keepsOtherElements: keeps) { first.count }
        if let failure = again.failure { return [Violation("what was written cannot be read: \(failure)")] }
        var violations: [Violation] = []
        // An unreadable value in a foreign extension is passed on unchanged.
        let hasKeptValue = keeps && again.summary[.badValue].count <= reading.summary[.badValue].count
        if GPXDamage.allCases.contains(where: { again.summary[$0].count > 0 && !($0 == .badValue && hasKeptValue) }) {
            violations.append(Violation("what was written is damaged: \(again.summary.remarks)"))
        }
        if points(again.items).map(\.name) != points(items).map(\.name) { violations.append(Violation("other names after writing")) }
        if points(again.items).map(\.fix) != points(items).map(\.fix) { violations.append(Violation("other kinds of fix after writing")) }
        if points(again.items).map(\.position.time) != points(items).map(\.position.time) {
            violations.append(Violation("other times after writing"))
        }
        for (written, read) in zip(points(items), points(again.items)) where !isNear(written.position, read.position) {
            violations.append(Violation("\(written.position) came back as \(read.position)"))
        }
        if write(again.items) != first { violations.append(Violation("read and written again it is another file")) }
        return violations
    }

    /// The items as a GPX file in the schema's order.
    public static func write(_ items: [GPXItem]) -> [UInt8] {
        var writer = GPXWriter(creator: "contract", precision: .exchange, requiresTime: false)
        var text = TextBuffer()
        var head = GPXHead()
        for case .head(let given) in items { head = given }
        writer.begin(head: head, into: &text)
        for case .waypoint(let point) in items { writer.waypoint(point, into: &text) }
        for item in items {
            switch item {
            case .route(let path): writer.begin(route: path, into: &text)
            case .routePoint(let point, _): writer.routePoint(point, into: &text)
            default: break
            }
        }
        var last: Int?
        var ending = GPXOtherElements()
        for item in items {
            switch item {
            case .track(let path): writer.begin(track: path, into: &text)
            case .trackPoint(let point, let segment):
                if let last, last != segment { writer.breakSegment(into: &text) }
                last = segment
                writer.point(point, into: &text)
            case .segmentEnd(let other, let segment):
                if let last, last != segment { writer.breakSegment(into: &text) }
                last = segment
                writer.endSegment(other, into: &text)
            case .end(let other): ending.add(extensionsOf: other)
            default: break
            }
        }
        writer.end(ending, into: &text)
        return text.bytes
    }

    /// The points in the order in which they are written.
    public static func points(_ items: [GPXItem]) -> [GPXPoint] {
        var points: [GPXPoint] = []
        for case .waypoint(let point) in items { points.append(point) }
        for case .routePoint(let point, _) in items { points.append(point) }
        for case .trackPoint(let point, _) in items { points.append(point) }
        return points
    }

    /// Whether two positions are the same as far as is written: nine decimals of a degree, three of a height, six of the rest.
    private static func isNear(_ left: Position, _ right: Position) -> Bool {
        func near(_ left: Double?, _ right: Double?, _ tolerance: Double) -> Bool {
            guard let left, let right else { return left == right }
            return abs(left - right) <= tolerance + abs(left) * 1e-15
        }
        // 180 and -180 are the same meridian.
        let turn = abs(left.coordinate.longitudeDegrees - right.coordinate.longitudeDegrees)
        return near(left.coordinate.latitudeDegrees, right.coordinate.latitudeDegrees, 6e-10) && min(turn, abs(turn - 360)) <= 6e-10
            && near(left.altitudeMSLMetres, right.altitudeMSLMetres, 6e-4)
            && near(left.geoidSeparationMetres, right.geoidSeparationMetres, 6e-4)
            && near(left.speedMetresPerSecond, right.speedMetresPerSecond, 6e-7)
            && near(left.accuracy?.radiusMetres, right.accuracy?.radiusMetres, 6e-7)
            && near(left.quality.hdop, right.quality.hdop, 6e-7) && left.quality.satellitesUsed == right.quality.satellitesUsed
            && left.mode == right.mode && left.status == right.status
    }
}
