/// Sorts the lines of a program's output by their first byte: `{` begins an object of JSON, anything else is for the NMEA decoder.
///
/// Bytes come cut anywhere. Lines of JSON are passed on whole, without their line end (LF or CR); everything else is passed on as it
/// comes, line ends included, because the NMEA decoder keeps its own beginnings of lines. Blanks before the first byte are dropped.
/// - Cost: one pass; no more than ``longestLine`` bytes are kept.
package struct LineSwitch: Sendable {
    /// The format of a piece.
    package enum Language: Sendable {
        /// Some bytes of NMEA, or of an unknown format.
        case nmea
        /// A whole line of JSON.
        case json
        /// A line of JSON longer than ``LineSwitch/longestLine``, which is dropped.
        case overlongJSON
    }

    /// Longer lines of JSON count as damage; gpsd's longest, for a sky full of satellites, has 20 KiB.
    package static let longestLine = 32_768

    private enum Place {
        case lineStart, nmea, json, overlongJSON
    }

    private var place = Place.lineStart
    private var carry: [UInt8] = []

    /// Nothing read yet.
    package init() {}

    /// Processes the next bytes and passes on the pieces that they complete, in order.
    package mutating func process(_ bytes: Span<UInt8>, _ take: (Language, Span<UInt8>) -> Void) {
        var offset = 0
        while offset < bytes.count {
            switch place {
            case .lineStart: start(bytes, &offset)
            case .nmea:
                let end = LineSwitch.lineEnd(in: bytes, from: offset)
                let next = min(end + 1, bytes.count)
                take(.nmea, bytes.extracting(offset..<next))
                if end < bytes.count { place = .lineStart }
                offset = next
            case .json, .overlongJSON:
                let end = LineSwitch.lineEnd(in: bytes, from: offset)
                readJSON(bytes, offset..<end, isComplete: end < bytes.count, take)
                offset = end + 1
            }
        }
    }

    private mutating func start(_ bytes: Span<UInt8>, _ offset: inout Int) {
        switch bytes[offset] {
        case UInt8(ascii: " "), UInt8(ascii: "\t"): offset += 1
        case UInt8(ascii: "{"): place = .json
        default: place = .nmea
        }
    }

    private mutating func readJSON(
        _ bytes: Span<UInt8>, _ range: Range<Int>, isComplete: Bool, _ take: (Language, Span<UInt8>) -> Void
    ) {
        if place == .json, carry.count + range.count > LineSwitch.longestLine {
            place = .overlongJSON
            carry.removeAll(keepingCapacity: true)
        }
        if place == .json, !(isComplete && carry.isEmpty) {
            for offset in range { carry.append(bytes[offset]) }
        }
        guard isComplete else { return }
        if place == .overlongJSON {
            take(.overlongJSON, carry.span)
        } else if carry.isEmpty {
            take(.json, bytes.extracting(range))
        } else {
            take(.json, carry.span)
        }
        carry.removeAll(keepingCapacity: true)
        place = .lineStart
    }

    private static func lineEnd(in bytes: Span<UInt8>, from start: Int) -> Int {
        var offset = start
        while offset < bytes.count, bytes[offset] != UInt8(ascii: "\n"), bytes[offset] != UInt8(ascii: "\r") { offset += 1 }
        return offset
    }
}
