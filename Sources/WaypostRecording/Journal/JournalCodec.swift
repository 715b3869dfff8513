import Waypost

/// The byte format of a journal.
///
/// ```
/// file    = header record* zero*          (zeros: preallocated, not yet written)
/// header  = "waypostJ"  version:2  length:2  boot:16  first sequence:8  source:string?  types?  crc:4
/// types   = count:1  type:1...            (1 source, 2 raw, 4 current, 8 matched; without: raw)
/// record  = 0xB5  length:2  crc:4  kind:1  sequence:varint  payload
///           length counts kind, sequence and payload; crc covers these and then the length
/// ```
/// Numbers of fixed size are little-endian; a varint has seven bits per byte, lowest first; crc is CRC-32C. A string is its length (varint) and
/// its UTF-8; the header's `string?` has a byte before it, 0 for none. Kinds: 1 position (``PositionCodec``), 2 segment break (the reason:1,
/// then the types that it concerns:1; if absent, all), 3 event (``EventCodec``), 4 records that a damaged journal has lost, in one that is
/// written anew (the number before the first of them: varint, then whether each number in between was one:1; its own number is the last one's). A
/// reader skips unknown kinds (0 is not used) and ignores what
/// follows the fields that it knows.
///
/// Every version has the magic, the version, the length and the header's checksum in the same places, so that another version is recognized
/// and not read. Versions 1 and 2 were written before the first release.
enum JournalCodec {
    static let magic = Array("waypostJ".utf8)
    /// The version that is written, and the only one that is read.
    static let version: UInt16 = 3
    static let marker: UInt8 = 0xB5
    /// Marker, length and checksum.
    static let frameByteCount = 7
    /// The longest body (kind, sequence, payload) of a record; a larger stated length is damage.
    static let maximumBodyByteCount = 4_096
    /// The longest header.
    static let maximumHeaderByteCount = 1_024
    /// The valid record numbers; any other number is damage.
    ///
    /// At a fix per millisecond it takes 146 million years to reach the last one; a damaged file must not make the numbers overflow.
    static let sequences: ClosedRange<UInt64> = 1...1 << 62
    /// The longest name of a source, in bytes; longer names are cut.
    static let maximumSourceByteCount = 512

    enum Kind {
        static let position: UInt8 = 1
        static let segmentBreak: UInt8 = 2
        static let event: UInt8 = 3
        static let lost: UInt8 = 4
    }

    /// Encodes a header.
    static func encode(_ header: JournalHeader) -> [UInt8] {
        var bytes = magic
        bytes.append(littleEndian: version)
        bytes.append(littleEndian: 0 as UInt16)
        bytes += header.bootIdentity
        bytes.append(littleEndian: header.firstSequence)
        bytes.append(header.source == nil ? 0 : 1)
        if let source = header.source { bytes.append(journalString: source) }
        if header.types != [.raw] {
            bytes.append(UInt8(header.types.count))
            bytes += header.types.map { LogTypes($0).rawValue }
        }
        let count = UInt16(bytes.count + 4)
        bytes[10] = UInt8(truncatingIfNeeded: count)
        bytes[11] = UInt8(truncatingIfNeeded: count >> 8)
        bytes.append(littleEndian: CRC32C.checksum(bytes.span.bytes))
        return bytes
    }

    /// Appends a record.
    ///
    /// - Parameter source: the header's source; a position of that source does not repeat its name.
    static func append(_ record: JournalRecord, source: String?, to bytes: inout [UInt8]) {
        let start = bytes.count
        bytes.append(marker)
        bytes.append(contentsOf: repeatElement(0, count: frameByteCount - 1))
        switch record.content {
        case .position(let position):
            bytes.append(Kind.position)
            bytes.append(varint: record.sequence)
            PositionCodec.append(position, types: record.types, source: source, to: &bytes)
        case .segmentBreak(let reason):
            bytes.append(Kind.segmentBreak)
            bytes.append(varint: record.sequence)
            bytes.append(reason.rawValue)
            if record.types != .all { bytes.append(record.types.rawValue) }
        case .event(let event):
            bytes.append(Kind.event)
            bytes.append(varint: record.sequence)
            EventCodec.append(event, source: source, to: &bytes)
        case .lost(let after, let isCounted):
            bytes.append(Kind.lost)
            bytes.append(varint: record.sequence)
            bytes.append(varint: after)
            bytes.append(isCounted ? 1 : 0)
        case .other(let kind, let payload):
            bytes.append(kind)
            bytes.append(varint: record.sequence)
            bytes += payload
        }
        let count = bytes.count - start - frameByteCount
        precondition(count <= maximumBodyByteCount, "a record of \(count) bytes is too long for a journal")
        bytes[start + 1] = UInt8(truncatingIfNeeded: count)
        bytes[start + 2] = UInt8(truncatingIfNeeded: count >> 8)
        let checksum = recordChecksum(bytes.span.bytes, at: start, bodyByteCount: count)
        for index in 0..<4 { bytes[start + 3 + index] = UInt8(truncatingIfNeeded: checksum >> (8 * UInt32(index))) }
    }

    /// The checksum of the record at that offset, over its body and then its length.
    static func recordChecksum(_ bytes: RawSpan, at offset: Int, bodyByteCount: Int) -> UInt32 {
        let body = CRC32C.checksum(bytes.extracting(offset + frameByteCount..<offset + frameByteCount + bodyByteCount))
        return CRC32C.checksum(bytes.extracting(offset + 1..<offset + 3), continuing: body)
    }

    /// What the bytes at a marker are.
    enum Frame {
        /// More bytes are needed to decide.
        case incomplete
        /// Not a record.
        case invalid
        /// A record of that many bytes, if its checksum is right.
        case complete(byteCount: Int)
    }

    /// The stated length of the record at that index; nil when none begins there, or the length is not there yet.
    static func claimedByteCount(in bytes: [UInt8], at index: Int) -> Int? {
        guard bytes[index] == marker else { return nil }
        let bodyByteCount = (1...2).reduce(0) { $0 | (index + $1 < bytes.count ? Int(bytes[index + $1]) << (8 * ($1 - 1)) : 0) }
        return bodyByteCount <= maximumBodyByteCount ? frameByteCount + bodyByteCount : nil
    }

    /// What the bytes at the marker are, for records with numbers after `sequence`; the caller checks the costly checksum.
    static func frame(in bytes: [UInt8], at index: Int, after sequence: UInt64) -> Frame {
        guard bytes.count - index >= frameByteCount else { return .incomplete }
        guard let byteCount = claimedByteCount(in: bytes, at: index), byteCount >= frameByteCount + 2 else { return .invalid }
        guard bytes.count - index >= byteCount else { return .incomplete }
        var body = JournalInput(bytes[(index + frameByteCount)..<(index + byteCount)])
        guard let kind = body.byte(), kind != 0, let number = body.varint(), sequences.contains(number), number > sequence else {
            return .invalid
        }
        return .complete(byteCount: byteCount)
    }

    /// Whether the record of that many bytes at that index has the right checksum.
    static func isIntact(_ bytes: [UInt8], at index: Int, byteCount: Int) -> Bool {
        let checksum = (0..<4).reduce(0 as UInt32) { $0 | UInt32(bytes[index + 3 + $1]) << (8 * UInt32($1)) }
        return checksum == recordChecksum(bytes.span.bytes, at: index, bodyByteCount: byteCount - frameByteCount)
    }

    /// The first byte from `start` on that is not zero; `end` when there is none before it.
    static func endOfZeros(in bytes: [UInt8], from start: Int, to end: Int) -> Int {
        precondition(start >= 0 && end <= bytes.count, "within the bytes")
        let raw = bytes.span.bytes
        var place = start
        while place + 8 <= end, raw.unsafeLoadUnaligned(fromUncheckedByteOffset: place, as: UInt64.self) == 0 { place += 8 }
        while place < end, bytes[place] == 0 { place += 1 }
        return place
    }

    /// Decodes the body of a record with a right checksum; nil when its content is not understood.
    static func decodeBody(_ body: ArraySlice<UInt8>, source: String?) -> JournalRecord? {
        var input = JournalInput(body)
        guard let kind = input.byte(), let sequence = input.varint() else { return nil }
        switch kind {
        case Kind.position:
            var types = LogTypes.raw
            guard let position = PositionCodec.decode(&input, types: &types, source: source) else { return nil }
            return JournalRecord(sequence: sequence, content: .position(position), types: types)
        case Kind.segmentBreak:
            guard let reason = input.byte() else { return nil }
            // An unknown reason, from a later version, is still a break.
            return JournalRecord(
                sequence: sequence, content: .segmentBreak(SegmentBreak(rawValue: reason) ?? .loss),
                types: input.byte().map(LogTypes.init(rawValue:)))
        case Kind.event:
            guard let event = EventCodec.decode(&input, source: source) else { return nil }
            return JournalRecord(sequence: sequence, content: .event(event))
        case Kind.lost:
            guard let after = input.varint(), after < sequence, let isCounted = input.byte() else { return nil }
            return JournalRecord(sequence: sequence, content: .lost(after: after, isCounted: isCounted != 0))
        default:
            return JournalRecord(sequence: sequence, content: .other(kind: kind, payload: Array(input.rest)))
        }
    }

    /// What the bytes at the start of a file are.
    enum HeaderOutcome {
        /// More bytes are needed to decide.
        case incomplete
        /// The bytes are not a complete header.
        case damaged
        /// A header of that many bytes.
        case header(JournalHeader, byteCount: Int)
    }

    /// Reads the header at the start of the bytes.
    static func decodeHeader(_ bytes: ArraySlice<UInt8>) throws(JournalFormatError) -> HeaderOutcome {
        guard bytes.count >= 12 else { return magic.starts(with: bytes.prefix(8)) ? .incomplete : .damaged }
        var input = JournalInput(bytes)
        guard input.bytes(8).map(Array.init) == magic, let version = input.integer(UInt16.self), let count = input.integer(UInt16.self),
            (41...maximumHeaderByteCount).contains(Int(count))
        else { return .damaged }
        guard bytes.count >= Int(count) else { return .incomplete }
        let whole = Array(bytes.prefix(Int(count)))
        var trailer = JournalInput(whole[(whole.count - 4)...])
        guard trailer.integer(UInt32.self) == CRC32C.checksum(whole.span.bytes.extracting(0..<whole.count - 4)) else { return .damaged }
        guard version == JournalCodec.version else { throw .unsupportedVersion(Int(version)) }
        input = JournalInput(whole[12..<(whole.count - 4)])
        guard let boot = input.bytes(16), let first = input.integer(UInt64.self), sequences.contains(first), let hasSource = input.byte()
        else { return .damaged }
        var header = JournalHeader(bootIdentity: Array(boot), firstSequence: first, source: hasSource == 0 ? nil : input.string())
        if let typeCount = input.byte(), let codes = input.bytes(Int(typeCount)) {
            let types = codes.compactMap { code in LogType.allCases.first { LogTypes($0).rawValue == code } }
            if !types.isEmpty { header.types = types }
        }
        return .header(header, byteCount: Int(count))
    }
}

/// A read position in bytes; every read checks the bounds.
struct JournalInput {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    mutating func byte() -> UInt8? { rest.popFirst() }

    mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func integer<Value: FixedWidthInteger & UnsignedInteger>(_: Value.Type) -> Value? {
        guard let bytes = bytes(MemoryLayout<Value>.size) else { return nil }
        return bytes.reversed().reduce(0) { $0 << 8 | Value($1) }
    }

    mutating func varint() -> UInt64? { rest.popVarint() }

    /// A signed number, its sign in the lowest bit.
    mutating func signedVarint() -> Int64? { rest.popSignedVarint() }

    /// A string of at most that many bytes.
    mutating func string(longest: Int = JournalCodec.maximumSourceByteCount) -> String? {
        guard let count = varint(), count <= UInt64(longest) else { return nil }
        return bytes(Int(count)).map { String(decoding: $0, as: UTF8.self) }
    }
}

extension [UInt8] {
    mutating func append<Value: FixedWidthInteger & UnsignedInteger>(littleEndian value: Value) {
        for index in 0..<MemoryLayout<Value>.size { append(UInt8(truncatingIfNeeded: value >> (8 * Value(index)))) }
    }

    /// Appends a string, cut to whole characters when it is too long.
    mutating func append(journalString text: String, longest: Int = JournalCodec.maximumSourceByteCount) {
        var text = text
        text.cut(toByteCount: longest)
        append(varint: UInt64(text.utf8.count))
        append(contentsOf: text.utf8)
    }
}

extension String {
    /// Removes characters from the end until it is short enough.
    mutating func cut(toByteCount count: Int) {
        while utf8.count > count { removeLast() }
    }
}
