/// How far the clocks of a place are from UTC at any moment: a zone of the tz database, read from its compiled file.
///
/// - Source: RFC 8536 (TZif, versions 1 to 4): the 64-bit transitions and, after the last one, the rule in the footer; a file of version 1 has
///   neither and ends in 2037. Leap seconds are left out, as in all UTC times of this package.
/// - Cost: a binary search per moment.
public struct TimeZoneRules: Sendable, Hashable {
    /// A moment, in seconds since 1970, and the clocks' offset in seconds ahead of UTC from then on.
    struct Transition: Sendable, Hashable {
        var seconds: Int64
        var offsetSeconds: Int
    }

    private let first: Int
    private let transitions: [Transition]
    private let footer: DaylightRule?

    /// UTC itself.
    public static let utc = TimeZoneRules(first: 0, transitions: [], footer: nil)

    init(first: Int, transitions: [Transition], footer: DaylightRule?) {
        self.first = first
        self.transitions = transitions
        self.footer = footer
    }

    /// How many seconds the clocks are ahead of UTC at a moment; negative west of Greenwich.
    public func offsetSeconds(at time: UTCTime) -> Int {
        let seconds = time.secondsSince1970
        guard let last = transitions.last else { return footer?.offsetSeconds(at: seconds) ?? first }
        if seconds >= last.seconds, let footer { return footer.offsetSeconds(at: seconds) }
        var (low, high) = (0, transitions.count)
        while low < high {
            let middle = (low + high) / 2
            if transitions[middle].seconds <= seconds { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? first : transitions[low - 1].offsetSeconds
    }

    /// The moment at which the clocks show this date and time of day, passed as if it were UTC.
    ///
    /// A time that a clock change skips comes later by the length of the gap; of a time that occurs twice, the first counts.
    public func moment(shownAs local: UTCTime) -> UTCTime {
        switch reading(of: local) {
        case .once(let moment), .twice(let moment, _): moment
        case .never(let change): local.advanced(byMilliseconds: -Int64(offsetSeconds(at: change.advanced(byMilliseconds: -1))) * 1_000)
        }
    }

    /// When the clocks show a date and a time of day.
    package enum Reading: Equatable {
        /// At one moment.
        case once(UTCTime)
        /// At two, because the clocks are set back between them.
        case twice(UTCTime, UTCTime)
        /// At none, because the clocks are set forward past it, at this moment.
        case never(change: UTCTime)
    }

    /// When the clocks show this date and time of day, passed as if it were UTC.
    ///
    /// - Cost: about fifteen searches for an offset.
    package func reading(of local: UTCTime) -> Reading {
        let shown = local.secondsSince1970
        let rest = local.millisecondsSince1970 - shown * 1_000
        func offset(_ seconds: Int64) -> Int64 {
            Int64(offsetSeconds(at: UTCTime(millisecondsSince1970: seconds * 1_000)))
        }
        // No clocks are further from UTC than 26 hours, and none are set twice within four.
        let offsets = Set(stride(from: shown - 93_600, through: shown + 93_600, by: 14_400).map(offset))
        let moments = offsets.map { shown - $0 }.filter { $0 + offset($0) == shown }.sorted()
            .map { UTCTime(millisecondsSince1970: $0 * 1_000 + rest) }
        if let first = moments.first { return moments.count == 1 ? .once(first) : .twice(first, moments[moments.count - 1]) }
        var (before, after) = (shown - 97_200, shown + 97_200)
        while after - before > 1 {
            let middle = (before + after) / 2
            if middle + offset(middle) < shown { before = middle } else { after = middle }
        }
        return .never(change: UTCTime(millisecondsSince1970: after * 1_000))
    }

    /// Creates zone rules from the form of POSIX's `TZ`, such as `CET-1CEST,M3.5.0,M10.5.0/3`; nil when the text is not one.
    public init?(posix text: String) {
        guard let rule = DaylightRule(posix: text) else { return nil }
        self.init(first: 0, transitions: [], footer: rule)
    }

    // MARK: - The file

    /// Reads a compiled file; nil when it is not one, or is cut off.
    public init?(file bytes: [UInt8]) {
        guard let header = Header(bytes[...]) else { return nil }
        var rest = bytes[...].dropFirst(Header.byteCount)
        var width = 4
        var version = header
        if header.version >= UInt8(ascii: "2") {
            // The same data once more, with 64-bit times.
            guard let length = header.byteCount(width: 4), rest.count >= length, let wide = Header(rest.dropFirst(length)) else {
                return nil
            }
            rest = rest.dropFirst(length + Header.byteCount)
            (width, version) = (8, wide)
        }
        guard let length = version.byteCount(width: width), rest.count >= length, version.typeCount > 0 else { return nil }
        var reader = Reader(rest: rest)
        let moments = (0..<version.timeCount).map { _ in reader.integer(width) }
        let kinds = (0..<version.timeCount).map { _ in Int(reader.byte()) }
        var offsets: [Int] = []
        var isDaylight: [Bool] = []
        for _ in 0..<version.typeCount {
            offsets.append(Int(reader.integer(4)))
            isDaylight.append(reader.byte() != 0)
            _ = reader.byte()
        }
        guard kinds.allSatisfy({ $0 < offsets.count }), offsets.allSatisfy({ abs($0) <= 26 * 3_600 }), moments == moments.sorted() else {
            return nil
        }
        first = offsets[isDaylight.firstIndex(of: false) ?? 0]
        transitions = zip(moments, kinds).map { Transition(seconds: $0, offsetSeconds: offsets[$1]) }
        guard width == 8 else {
            footer = nil
            return
        }
        let text = rest.dropFirst(length)
        guard text.first == UInt8(ascii: "\n"), let end = text.dropFirst().firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        let rule = text.dropFirst()[..<end]
        footer = rule.isEmpty ? nil : DaylightRule(posix: String(decoding: rule, as: UTF8.self))
        if !rule.isEmpty, footer == nil { return nil }
    }

    private struct Header {
        static let byteCount = 44
        /// No zone on earth has more.
        static let mostOfAKind = 65_536

        var version: UInt8
        var counts: [Int]
        var timeCount: Int { counts[3] }
        var typeCount: Int { counts[4] }

        init?(_ bytes: ArraySlice<UInt8>) {
            guard bytes.count >= Header.byteCount, bytes.starts(with: Array("TZif".utf8)) else { return nil }
            version = bytes[bytes.startIndex + 4]
            var reader = Reader(rest: bytes.dropFirst(20))
            counts = (0..<6).map { _ in Int(reader.integer(4)) }
            guard counts.allSatisfy({ (0...Header.mostOfAKind).contains($0) }) else { return nil }
        }

        func byteCount(width: Int) -> Int? {
            let (isUTCount, isStandardCount, leapCount, characterCount) = (counts[0], counts[1], counts[2], counts[5])
            return timeCount * (width + 1) + typeCount * 6 + characterCount + leapCount * (width + 4) + isStandardCount + isUTCount
        }
    }

    private struct Reader {
        var rest: ArraySlice<UInt8>

        mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

        /// A signed big-endian number of that many bytes.
        mutating func integer(_ width: Int) -> Int64 {
            let bits = (0..<width).reduce(0 as UInt64) { value, _ in value << 8 | UInt64(byte()) }
            return width == 8 ? Int64(bitPattern: bits) : Int64(Int32(truncatingIfNeeded: bits))
        }
    }
}
