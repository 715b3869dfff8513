import Waypost

/// The contract of a `CSVReader`, whatever it is fed.
public enum CSVContract {
    /// The result of a reading.
    package typealias Reading = PieceReading<CSVReader>

    /// Reads a whole table in pieces of those lengths.
    package static func read(_ input: [UInt8], pieceLength: () -> Int) -> Reading {
        Reading(input, by: CSVReader(), pieceLength: pieceLength)
    }

    /// The ways in which the reader breaks its contract on that input.
    ///
    /// - The same input cut elsewhere gives the same reports, the same remarks, the same error.
    /// - No position holds a value outside of its documented range.
    public static func violations(reading input: [UInt8]) -> [Violation] {
        let whole = read(input) { input.count }
        var violations = Reading.violations(cutting: input, at: [1, 7], by: CSVReader(), whole: whole)
        for case .position(let position) in whole.elements { violations += self.violations(in: position) }
        return violations
    }

    private static func violations(in position: Position) -> [Violation] {
        let quality = position.quality
        let numbers = [
            position.altitudeMSLMetres, position.altitudeHAEMetres, position.geoidSeparationMetres, position.climbMetresPerSecond,
            position.speedMetresPerSecond, position.accuracy?.radiusMetres, quality.eph, quality.epv, quality.eps, quality.hdop,
            quality.vdop,
            quality.pdop,
        ]
        var violations: [Violation] = []
        if numbers.contains(where: { $0.map { !$0.isFinite } ?? false }) { violations.append(Violation("not finite: \(position)")) }
        if position.courseDegrees.map({ !(0..<360).contains($0) }) ?? false { violations.append(Violation("course of \(position)")) }
        if position.speedMetresPerSecond.map({ $0 < 0 }) ?? false { violations.append(Violation("speed of \(position)")) }
        if position.accuracy.map({ $0.radiusMetres < 0 }) ?? false { violations.append(Violation("accuracy of \(position)")) }
        return violations
    }
}
