import Waypost

/// The name shared by the files of a track, such as `20260502T032502Z-1f0c22d9-4711`.
///
/// It consists of the UTC time of the first fix, the first eight digits of the boot identity and the sequence number of the first record.
/// The number grows for ever, so no name repeats, even after its file was fetched and deleted. Names are ordered by it: the order in
/// which tracks were recorded, whatever the clocks showed.
package struct TrackStem: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The time of the first fix, to the second.
    package let firstTime: UTCTime
    /// The sequence number of the first record.
    package let firstSequence: UInt64
    /// The name.
    package let description: String

    /// Creates the name of a track that begins with a fix at that time.
    init(time: UTCTime, bootIdentity: [UInt8], sequence: UInt64) {
        firstTime = time.wholeSecond
        firstSequence = sequence
        var text = TextBuffer(capacity: 64)
        text.append(firstTime, trimsMilliseconds: true)
        let name = text.string.filter { $0 != "-" && $0 != ":" }
        let boot = bootIdentity.prefix(4).map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }.joined()
        description = "\(name)-\(boot)-\(sequence)"
    }

    /// Parses a name; nil when it is not one of a track.
    package init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[1].count == 8, parts[1].allSatisfy({ $0.isHexDigit && !$0.isUppercase }),
            let time = UTCTime(trackName: parts[0]), let sequence = UInt64(parts[2]), String(sequence) == parts[2],
            JournalCodec.sequences.contains(sequence)
        else { return nil }
        firstTime = time
        firstSequence = sequence
        description = text
    }

    /// Whether the left track was recorded before the right one.
    package static func < (left: TrackStem, right: TrackStem) -> Bool {
        (left.firstSequence, left.description) < (right.firstSequence, right.description)
    }
}

extension UTCTime {
    /// Parses a time in the form of track names, `20260502T032502Z`.
    fileprivate init?(trackName text: Substring) {
        let bytes = Array(text.utf8)
        guard bytes.count == 16, bytes[8] == UInt8(ascii: "T"), bytes[15] == UInt8(ascii: "Z") else { return nil }
        func number(_ range: Range<Int>) -> Int? {
            bytes[range].reduce(0 as Int?) { sum, byte in
                guard let sum, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
                return sum * 10 + Int(byte - UInt8(ascii: "0"))
            }
        }
        guard let year = number(0..<4), let month = number(4..<6), let day = number(6..<8), let hour = number(9..<11),
            let minute = number(11..<13), let second = number(13..<15), hour < 24, minute < 60, second < 60
        else { return nil }
        self.init(year: year, month: month, day: day, millisecondOfDay: ((hour * 60 + minute) * 60 + second) * 1_000)
    }

    /// The time without the fraction of a second.
    fileprivate var wholeSecond: UTCTime {
        let rest = millisecondsSince1970 % 1_000
        return advanced(byMilliseconds: rest < 0 ? -rest - 1_000 : -rest)
    }
}

extension UTCTime {
    /// The number of the UTC day, 0 for 1970-01-01.
    var day: Int64 {
        let (quotient, rest) = millisecondsSince1970.quotientAndRemainder(dividingBy: 86_400_000)
        return rest < 0 ? quotient - 1 : quotient
    }
}
