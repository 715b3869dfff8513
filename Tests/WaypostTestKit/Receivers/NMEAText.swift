/// NMEA 0183 for tests, without the framing, which would only distract a reader of the test.
public enum NMEAText {
    /// `$body*hh`, with its checksum.
    public static func sentence(_ body: String) -> String {
        let checksum = body.utf8.reduce(0, ^)
        let digits = String(checksum, radix: 16, uppercase: true)
        return "$\(body)*\(digits.count < 2 ? "0" : "")\(digits)"
    }

    /// Sentences with their checksums, one per line.
    public static func bytes(_ bodies: [String], lineEnd: String = "\r\n") -> [UInt8] {
        bodies.flatMap { Array((sentence($0) + lineEnd).utf8) }
    }
}
