import Waypost
import WaypostSystem

/// What the processor does of the tracker's own work, each alone on one core for half a second.
enum ProcessorBench {
    /// The lines: sentences of NMEA decoded, points of GPX written, distances on the ellipsoid, megabytes of SHA-256, per second.
    static var lines: [BenchReport.Line] {
        [
            .init(name: "nmea", value: "\(perSecond(decode)) sentences/s"), .init(name: "gpx", value: "\(perSecond(write)) points/s"),
            .init(name: "geodesic", value: "\(perSecond(measure)) distances/s"),
            .init(name: "sha256", value: "\((Double(perSecond(hash)) / 1e6).text(decimals: 0)) MB/s"),
        ]
    }

    private static let milliseconds: Int64 = 500

    /// How much a piece of work does in a second; the best of three parts, because other programs run too.
    private static func perSecond(_ work: () -> Int) -> Int {
        _ = work()
        return (0..<3).map { _ in
            let start = MonotonicClock.nanoseconds
            var done = 0
            while MonotonicClock.nanoseconds - start < milliseconds * 1_000_000 / 3 { done += work() }
            return Int(Double(done) * 1e9 / Double(MonotonicClock.nanoseconds - start))
        }.max() ?? 0
    }

    /// A minute of a receiver, five sentences a second.
    private static let sentences: [UInt8] = (0..<60).flatMap { second -> [UInt8] in
        let clock = "1200\(second < 10 ? "0" : "")\(second).00"
        let bodies = [
            "GNRMC,\(clock),A,4722.68000,N,00832.40000,E,29.16,045.0,010326,,,A", "GNVTG,045.0,T,,M,29.16,N,54.0,K,A",
            "GNGGA,\(clock),4722.68000,N,00832.40000,E,1,09,0.90,408.0,M,47.5,M,,", "GNGSA,A,3,04,05,09,12,24,25,29,31,02,,,,1.6,0.9,1.3",
            "GPGSV,1,1,04,04,62,120,44,05,31,250,39,09,18,040,35,12,71,301,47",
        ]
        return bodies.flatMap { body -> [UInt8] in
            let sum = body.utf8.reduce(0 as UInt8) { $0 ^ $1 }
            let digits = String(sum, radix: 16, uppercase: true)
            return Array("$\(body)*\(digits.count < 2 ? "0" : "")\(digits)\r\n".utf8)
        }
    }

    private static func decode() -> Int {
        var decoder = NMEADecoder()
        var events: [NMEAEvent] = []
        decoder.decode(sentences.span, into: &events)
        decoder.finish(into: &events)
        return decoder.counters.sentences
    }

    private static let places: [Coordinate] = (0..<200).compactMap {
        Coordinate(latitudeDegrees: 47 + Double($0) * 0.003_7, longitudeDegrees: 8 - Double($0) * 0.007_1)
    }

    private static func write() -> Int {
        var (writer, text) = (GPXWriter(creator: "waypost"), TextBuffer(capacity: 65_536))
        writer.begin(into: &text)
        for (second, place) in places.enumerated() {
            var position = Position(time: UTCTime(millisecondsSince1970: 1_772_366_400_000 + Int64(second) * 1_000), coordinate: place)
            (position.speedMetresPerSecond, position.courseDegrees, position.altitudeMSLMetres) = (15, 45, 408)
            writer.point(position, into: &text)
        }
        writer.end(into: &text)
        return writer.pointCount
    }

    private static func measure() -> Int {
        var sum = 0.0
        for index in 1..<places.count { sum += Geodesic.distanceMetres(from: places[index - 1], to: places[index]) }
        return sum > 0 ? places.count - 1 : 0
    }

    private static let bytes = [UInt8](repeating: 0x5A, count: 65_536)

    private static func hash() -> Int {
        var hash = SHA256()
        hash.update(bytes.span.bytes)
        return hash.finish().isEmpty ? 0 : bytes.count
    }
}
