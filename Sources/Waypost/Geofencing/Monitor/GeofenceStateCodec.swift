/// Why bytes are not the state of a monitor.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum GeofenceStateError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The bytes begin with something else, or are too short to tell.
    case foreign
    /// A version that this program does not know.
    case version(UInt8)
    /// The checksum does not match the bytes.
    case checksum
    /// The checksum matches, but a value is invalid, at this offset in bytes from the start.
    case value(offset: Int)

    /// A few words for people.
    public var description: String {
        switch self {
        case .foreign: "is not the state of fences"
        case .version(let number): "has format \(number) of the state of fences, which this waypost does not read"
        case .checksum: "is damaged: its checksum does not match"
        case .value(let offset): "has an impossible value at byte \(offset)"
        }
    }
}

// The two files of a monitor's state:
//
//     | "WPGP" or "WPGK" | version, 1 byte | payload | CRC-32C of all before it, little-endian |
//
// Whole numbers are LEB128, 7 bits per byte, lowest first; signed ones in zigzag; reals are the 8 bytes of their bits, little-endian; text is
// its length and its UTF-8; an optional value has a byte 0 or 1 before it.
extension GeofenceProgress {
    private static let magic: StaticString = "WPGP"

    /// Encodes the progress as the bytes of a file.
    ///
    /// - Cost: some 60 bytes, 30 per stay, and 500 under `robust`.
    public func encoded() -> [UInt8] {
        var writer = StateWriter(Self.magic)
        writer.write(lastVisit)
        writer.write(visitBase)
        writer.write(lastTime)
        writer.write(lostSince)
        writer.write(lastSeconds)
        writer.write(lastPlace)
        writer.write(lastCoordinate)
        writer.write(UInt64(stays.count))
        for stay in stays {
            writer.write(stay.id)
            writer.write(stay.name)
            writer.write(bits: stay.key)
            writer.write(stay.visit.number)
            writer.write(stay.visit.countsFrom)
            writer.write(stay.visit.hasDwelt)
        }
        writer.write(UInt64(open.count))
        for decision in open {
            writer.write(bits: decision.key)
            writer.write(decision.crossing)
            writer.write(decision.nearSince)
            writer.write(decision.soughtSince)
        }
        estimator.write(to: &writer)
        if let anchor {
            writer.write(signed: anchor.line)
            writer.write(signed: anchor.moment)
            writer.write(bits: anchor.boot)
        }
        return writer.finish()
    }

    /// Decodes the progress from the bytes of a file.
    public init(decoding bytes: [UInt8]) throws(GeofenceStateError) {
        var reader = try StateReader(bytes, Self.magic)
        lastVisit = try reader.readNumber()
        visitBase = try reader.readNumber()
        // More visits than anyone will ever make mean a damaged number.
        guard visitBase <= lastVisit, lastVisit < 1 << 54 else { throw .value(offset: reader.offset) }
        lastTime = try reader.readTime()
        lostSince = try reader.readTime()
        lastSeconds = try reader.readReal()
        lastPlace = try reader.readPlace()
        lastCoordinate = try reader.readPlace()
        for _ in 0..<(try reader.readCount(leastBytes: 13)) {
            stays.append(
                Stay(
                    id: try reader.readText(), name: try reader.readText(), key: try reader.readBits(),
                    visit: Visit(number: try reader.readNumber(), countsFrom: try reader.readTime(), hasDwelt: try reader.readFlag())))
        }
        for _ in 0..<(try reader.readCount(leastBytes: 11)) {
            open.append(
                OpenDecision(
                    key: try reader.readBits(), crossing: try reader.readCrossing(), nearSince: try reader.readOptionalReal(),
                    soughtSince: try reader.readOptionalReal()))
        }
        estimator = try PositionEstimator(reading: &reader)
        // States of recordings, and those of earlier versions, have none.
        if !reader.isAtEnd { anchor = Anchor(line: try reader.readMoment(), moment: try reader.readMoment(), boot: try reader.readBits()) }
        try reader.finish()
    }
}

extension GeofenceMonitorState {
    private static let magic: StaticString = "WPGK"

    /// Encodes the keys of known fences as the bytes of a file.
    public static func encode(known keys: [UInt64]) -> [UInt8] {
        var writer = StateWriter(magic)
        writer.write(UInt64(keys.count))
        for key in keys { writer.write(bits: key) }
        return writer.finish()
    }

    /// Decodes the keys from the bytes of a file.
    public static func decode(known bytes: [UInt8]) throws(GeofenceStateError) -> [UInt64] {
        var reader = try StateReader(bytes, magic)
        var keys: [UInt64] = []
        for _ in 0..<(try reader.readCount(leastBytes: 8)) { keys.append(try reader.readBits()) }
        try reader.finish()
        return keys
    }
}

/// Writes the values of a state one after the other.
struct StateWriter {
    static let version: UInt8 = 2
    private var bytes: [UInt8]

    init(_ magic: StaticString) {
        bytes = magic.withUTF8Buffer { Array($0) }
        bytes.append(Self.version)
    }

    mutating func write(_ number: UInt64) { bytes.append(varint: number) }

    mutating func write(bits: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: bits >> shift)) }
    }

    mutating func write(_ real: Double) { write(bits: real.bitPattern) }

    mutating func write(_ flag: Bool) { bytes.append(flag ? 1 : 0) }

    mutating func write(_ text: String) {
        write(UInt64(text.utf8.count))
        bytes += text.utf8
    }

    mutating func write(_ real: Double?) {
        write(real != nil)
        if let real { write(real) }
    }

    mutating func write(signed number: Int64) { bytes.append(signedVarint: number) }

    mutating func write(_ time: UTCTime?) {
        write(time != nil)
        if let time { write(signed: time.millisecondsSince1970) }
    }

    /// No crossing, its time, or a crossing whose time cannot be known: a byte 0, 1 or 2 first.
    mutating func write(_ crossing: GeofenceMonitor.OpenCrossing?) {
        if let crossing, crossing.time == nil { bytes.append(2) } else { write(crossing?.time) }
    }

    mutating func write(_ place: Coordinate?) {
        write(place != nil)
        guard let place else { return }
        write(place.latitudeDegrees)
        write(place.longitudeDegrees)
    }

    consuming func finish() -> [UInt8] {
        let checksum = CRC32C.checksum(bytes.span.bytes)
        for shift in stride(from: UInt32(0), to: 32, by: 8) { bytes.append(UInt8(truncatingIfNeeded: checksum >> shift)) }
        return bytes
    }
}

/// Reads the values of a state; it ends with a value or an error, whatever the bytes are.
struct StateReader {
    private let bytes: [UInt8]
    private(set) var offset: Int
    private let end: Int

    init(_ bytes: [UInt8], _ magic: StaticString) throws(GeofenceStateError) {
        let start = magic.utf8CodeUnitCount
        guard bytes.count >= start + 5, magic.withUTF8Buffer({ $0.elementsEqual(bytes[..<start]) }) else { throw .foreign }
        end = bytes.count - 4
        let checksum = (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[bytes.count - 4 + $1]) << UInt32(8 * $1) }
        guard bytes[start] == StateWriter.version else { throw .version(bytes[start]) }
        guard CRC32C.checksum(bytes.span.bytes.extracting(0..<end)) == checksum else { throw .checksum }
        self.bytes = bytes
        offset = start + 1
    }

    private mutating func readByte() throws(GeofenceStateError) -> UInt8 {
        guard offset < end else { throw .value(offset: offset) }
        offset += 1
        return bytes[offset - 1]
    }

    mutating func readNumber() throws(GeofenceStateError) -> UInt64 {
        var rest = bytes[offset..<end]
        let number = rest.popVarint()
        offset = rest.startIndex
        guard let number else { throw .value(offset: offset) }
        return number
    }

    /// The number of entries that follow; never more than there is room for.
    mutating func readCount(leastBytes: Int) throws(GeofenceStateError) -> Int {
        let count = try readNumber()
        guard count <= UInt64((end - offset) / leastBytes) else { throw .value(offset: offset) }
        return Int(count)
    }

    mutating func readBits() throws(GeofenceStateError) -> UInt64 {
        guard end - offset >= 8 else { throw .value(offset: offset) }
        defer { offset += 8 }
        return (0..<8).reduce(UInt64(0)) { $0 | UInt64(bytes[offset + $1]) << UInt64(8 * $1) }
    }

    /// A finite number.
    mutating func readReal() throws(GeofenceStateError) -> Double {
        let real = Double(bitPattern: try readBits())
        guard real.isFinite else { throw .value(offset: offset - 8) }
        return real
    }

    mutating func readFlag() throws(GeofenceStateError) -> Bool {
        let byte = try readByte()
        guard byte <= 1 else { throw .value(offset: offset - 1) }
        return byte == 1
    }

    mutating func readText() throws(GeofenceStateError) -> String {
        let count = try readCount(leastBytes: 1)
        let start = offset
        offset += count
        guard let text = String(validating: bytes[start..<offset], as: UTF8.self) else { throw .value(offset: start) }
        return text
    }

    mutating func readOptionalReal() throws(GeofenceStateError) -> Double? { try readFlag() ? try readReal() : nil }

    /// Milliseconds that a monitor can reckon with.
    mutating func readMoment() throws(GeofenceStateError) -> Int64 {
        let start = offset
        let number = try readSigned()
        guard UTCTime(millisecondsSince1970: number).hasFourDigitYear else { throw .value(offset: start) }
        return number
    }

    private mutating func readSigned() throws(GeofenceStateError) -> Int64 {
        let bits = try readNumber()
        return Int64(bitPattern: bits >> 1) ^ -Int64(bitPattern: bits & 1)
    }

    mutating func readTime() throws(GeofenceStateError) -> UTCTime? {
        guard try readFlag() else { return nil }
        let start = offset
        let time = UTCTime(millisecondsSince1970: try readSigned())
        // A monitor reckons with the time between two.
        guard time.hasFourDigitYear else { throw .value(offset: start) }
        return time
    }

    mutating func readCrossing() throws(GeofenceStateError) -> GeofenceMonitor.OpenCrossing? {
        if offset < end, bytes[offset] == 2 {
            offset += 1
            return GeofenceMonitor.OpenCrossing(time: nil)
        }
        return try readTime().map { GeofenceMonitor.OpenCrossing(time: $0) }
    }

    mutating func readPlace() throws(GeofenceStateError) -> Coordinate? {
        guard try readFlag() else { return nil }
        let (latitude, longitude) = (try readReal(), try readReal())
        guard let place = Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude) else { throw .value(offset: offset - 16) }
        return place
    }

    var isAtEnd: Bool { offset == end }

    func finish() throws(GeofenceStateError) {
        guard offset == end else { throw .value(offset: offset) }
    }
}
