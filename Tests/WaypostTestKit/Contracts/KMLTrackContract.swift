import Waypost

/// The contract of a `KMLTrackReader` and a `KMLWriter`, whatever they are fed.
public enum KMLTrackContract {
    /// The result of a reading.
    package typealias Reading = PieceReading<KMLTrackReader>

    /// Reads a whole file in pieces of those lengths.
    package static func read(_ input: [UInt8], pieceLength: () -> Int) -> Reading {
        Reading(input, by: KMLTrackReader(), pieceLength: pieceLength)
    }

    /// The ways in which reader and writer break their contract on that input.
    ///
    /// - The same input cut elsewhere gives the same items, the same remarks, the same error.
    /// - No point holds a value outside of its documented range; segments are counted upwards.
    /// - What was read has the same places and times after it was written and read again.
    public static func violations(reading input: [UInt8]) -> [Violation] {
        let whole = read(input) { input.count }
        var violations = Reading.violations(cutting: input, at: [1, 13], by: KMLTrackReader(), whole: whole)
        var last = 0
        for case .trackPoint(let point, let segment) in whole.elements {
            if segment < last { violations.append(Violation("segment \(segment) behind \(last)")) }
            last = segment
            let position = point.position
            if position.courseDegrees.map({ !(0..<360).contains($0) }) ?? false { violations.append(Violation("course of \(position)")) }
            if position.speedMetresPerSecond.map({ !($0 >= 0 && $0.isFinite) }) ?? false {
                violations.append(Violation("speed of \(position)"))
            }
        }
        return whole.failure == nil ? violations + self.violations(writing: whole.elements) : violations
    }

    private static func violations(writing items: [GPXItem]) -> [Violation] {
        var writer = KMLWriter()
        var text = TextBuffer()
        writer.begin(into: &text)
        var last: Int?
        var expected: [Position] = []
        for case .trackPoint(let point, let segment) in items {
            // A single fix without a time is written as a place.
            guard let time = point.position.time, time.hasFourDigitYear else { continue }
            if let last, last != segment { writer.breakSegment(into: &text) }
            last = segment
            writer.point(point.position, into: &text)
            expected.append(point.position)
        }
        writer.end(into: &text)
        let bytes = text.bytes
        let again = read(bytes) { bytes.count }
        let found = again.elements.compactMap(\.point).map(\.position)
        let isSame = found.map(\.time) == expected.map(\.time) && found.map(\.coordinate) == expected.map(\.coordinate)
        return isSame && again.remarks.isEmpty ? [] : [Violation("written and read again: \(again), was \(items)")]
    }
}
