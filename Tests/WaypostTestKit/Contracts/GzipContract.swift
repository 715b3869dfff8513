import WaypostSystem

/// The contract of a `GzipInput`, whatever it is fed.
public enum GzipContract {
    /// The most that is read of one input: a few bytes of gzip can make gigabytes.
    public static let mostBytes = 1 << 22

    /// The result of a reading.
    public struct Reading: Equatable {
        /// All bytes.
        public var bytes: [UInt8] = []
        /// Why there are no more.
        public var problem: GzipInput.Problem?

        /// A reading with these bytes as its result.
        public init(bytes: [UInt8] = [], problem: GzipInput.Problem? = nil) {
            self.bytes = bytes
            self.problem = problem
        }
    }

    /// Reads an input in pieces of that length into a buffer of that size.
    public static func read(_ input: [UInt8], pieceLength: Int, room: Int = 65_536) -> Reading {
        var reader = GzipInput()
        var reading = Reading()
        var buffer = [UInt8](repeating: 0, count: max(room, pieceLength))
        var start = 0
        while reading.bytes.count < mostBytes {
            let count = reader.read(into: &buffer) { place in
                let count = min(pieceLength, input.count - start, place.count)
                for index in 0..<count { place[index] = input[start + index] }
                start += count
                return count
            }
            if count == 0 { break }
            reading.bytes += buffer[..<count]
        }
        reading.problem = reader.problem
        return reading
    }

    /// The ways in which the reader breaks its contract on that input.
    ///
    /// - The same input cut elsewhere gives the same bytes and the same problem.
    /// - Anything but gzip passes unchanged; packed data is unpacked to the original, and with its end cut off to the beginning of it.
    public static func violations(reading input: [UInt8]) -> [Violation] {
        var violations: [Violation] = []
        let whole = read(input, pieceLength: max(1, input.count))
        for (piece, room) in [(1, 1), (7, 64), (100, 100)] where whole.bytes.count < mostBytes / 64 {
            let cut = read(input, pieceLength: piece, room: room)
            if cut != whole { violations.append(Violation("in pieces of \(piece): \(cut.problem as Any), whole \(whole.problem as Any)")) }
        }
        if !input.starts(with: [0x1F, 0x8B]), whole != Reading(bytes: input) {
            violations.append(Violation("plain bytes were changed"))
        }
        guard let packed = try? Gzip.compress(input) else { return violations + [Violation("cannot be packed")] }
        if read(packed + packed, pieceLength: 11) != Reading(bytes: input + input) {
            violations.append(Violation("packed, it is read otherwise"))
        }
        let half = read(Array(packed.dropLast(1 + packed.count / 3)), pieceLength: 64)
        if half.problem != .cut || !input.starts(with: half.bytes) { violations.append(Violation("cut, it gives \(half.problem as Any)")) }
        return violations
    }
}
