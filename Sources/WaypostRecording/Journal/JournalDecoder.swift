import Waypost

/// Reads the records of a journal from its bytes, as they come, and gets over damage.
///
/// ```swift
/// var decoder = JournalDecoder()
/// while let bytes = try nextPiece() {
///     decoder.feed(bytes)
///     while let record = try decoder.next() { ... }
/// }
/// decoder.endOfInput()
/// while let record = try decoder.next() { ... }
/// ```
///
/// Where no whole record with a right checksum and a larger sequence number stands, the decoder looks for the next one, byte by byte from
/// the marker on: such a place is only believed when all 32 bits of the checksum agree and the number grows. What lies between is reported
/// as damage. Zeros at the end of the file are room that was never written, and no damage; neither is a last record that such zeros cut short:
/// the power failed before it was on the disk. A damaged header costs the boot identity and the name of the source, not the records.
/// - Cost: memory for one piece and one record, whatever the input, and two bytes checksummed for every byte read: where bytes were made
///   to look like many long records, some behind them are passed over.
public struct JournalDecoder: Sendable {
    /// What the file begins with; nil before it was read, and when it is damaged.
    public private(set) var header: JournalHeader?
    /// The first stretches that could not be read, at most ``maximumDamageCount``.
    public private(set) var damage: [JournalDamage] = []
    /// How many stretches could not be read.
    public private(set) var damageCount = 0
    /// How many bytes could not be read.
    public private(set) var damagedByteCount: Int64 = 0
    /// The end of the last whole record (or of the header), in bytes from the start of the file.
    public private(set) var endOfLastRecord: Int64 = 0
    /// How many bytes there are of a last record that was never written to its end; what follows them is room that was never written.
    public private(set) var unfinishedByteCount: Int64 = 0
    /// The end of the last byte that says something, readable or not, but for a record that was never written to its end.
    public private(set) var endOfContent: Int64 = 0
    /// The sequence number of the last record; nil before the first.
    public private(set) var lastSequence: UInt64?

    /// How many stretches of damage are kept one by one.
    public static let maximumDamageCount = 16

    /// What stands before it was written before it was read.
    ///
    /// Behind it only a whole record that follows the one before is believed; at anything else the decoder stops, ``isInDoubt``.
    var writtenEnd: Int64 = .max
    /// Whether ``next()`` stopped at bytes that may have been read before they were written.
    private(set) var isInDoubt = false
    /// Whether no bytes follow.
    private(set) var isEnded = false
    /// The start of the last whole record.
    private(set) var startOfLastRecord: Int64 = 0

    private var buffer: [UInt8] = []
    private var head = 0
    private var bufferOffset: Int64 = 0
    private var isHeaderRead = false
    private var gap: Gap?
    /// So many bytes may be checksummed; each byte that is passed allows two more.
    ///
    /// Whole records need one a byte, bytes at random half a one.
    private var allowance = JournalDecoder.largestAllowance

    private static let largestAllowance = 1 << 16

    /// A stretch that we are getting over.
    private struct Gap {
        var start: Int64
        /// The end of its last byte that is not zero.
        var endOfContent: Int64?
        /// Where the record would end that begins there, by its own word; nil when none does.
        var endOfRecord: Int64?
    }

    /// A decoder at the start of a file.
    public init() {}

    /// A decoder that has read the header, of that many bytes.
    init(after header: JournalHeader, byteCount: Int) {
        self.header = header
        isHeaderRead = true
        bufferOffset = Int64(byteCount)
        endOfLastRecord = bufferOffset
        endOfContent = bufferOffset
    }

    /// A decoder that looks for records from any place of the file on, those with larger numbers; it reads no header.
    init(lookingFrom offset: Int64, after sequence: UInt64?) {
        isHeaderRead = true
        move(to: offset, after: sequence)
    }

    /// Goes on at another place of the file, as if all before it had been read: the beginning of a record, or anywhere.
    ///
    /// Records up to `sequence` are not believed there. What was found so far (header, damage) is kept; a stretch that could
    /// not be read and whose end was not seen is forgotten.
    mutating func move(to offset: Int64, after sequence: UInt64?) {
        buffer.removeAll(keepingCapacity: true)
        head = 0
        bufferOffset = offset
        gap = nil
        isEnded = false
        isInDoubt = false
        allowance = JournalDecoder.largestAllowance
        lastSequence = sequence
        endOfLastRecord = offset
        endOfContent = max(endOfContent, offset)
    }

    /// Takes the next bytes of the file.
    public mutating func feed(_ bytes: [UInt8]) {
        precondition(!isEnded, "nothing follows the end")
        buffer.removeFirst(head)
        bufferOffset += Int64(head)
        head = 0
        buffer += bytes
    }

    /// Says that no bytes follow.
    public mutating func endOfInput() {
        isEnded = true
    }

    /// The next record; nil when more bytes are needed, or at the end.
    public mutating func next() throws(JournalFormatError) -> JournalRecord? {
        if !isHeaderRead {
            guard try readHeader() else { return nil }
        }
        while head < buffer.count {
            switch candidate() {
            case .incomplete where !isEnded:
                return nil
            case .incomplete, .invalid:
                isInDoubt = offset >= writtenEnd
                if isInDoubt { return nil }
                skip()
            case .record(let record, let byteCount):
                closeGap(at: offset)
                startOfLastRecord = offset
                pass(byteCount)
                endOfLastRecord = offset
                endOfContent = offset
                lastSequence = record.sequence
                return record
            }
        }
        if isEnded, writtenEnd == .max { closeLastGap() }
        return nil
    }

    /// Where the bytes stand that are fed next.
    var endOfBytes: Int64 { bufferOffset + Int64(buffer.count) }

    /// Whether zeros are all that was fed and is not read.
    var isBlank: Bool { JournalCodec.endOfZeros(in: buffer, from: head, to: buffer.count) == buffer.count }

    /// Zeros at the end are preallocated room.
    private mutating func closeLastGap() {
        guard let gap, let end = gap.endOfContent else { return }
        if let endOfRecord = gap.endOfRecord, end < endOfRecord {
            unfinishedByteCount = end - gap.start
            self.gap = nil
        } else {
            closeGap(at: end)
        }
    }

    private var offset: Int64 { bufferOffset + Int64(head) }

    /// False when more bytes are needed.
    private mutating func readHeader() throws(JournalFormatError) -> Bool {
        switch try JournalCodec.decodeHeader(buffer[head...]) {
        case .incomplete where !isEnded:
            return false
        case .incomplete, .damaged:
            isInDoubt = offset >= writtenEnd
            if isInDoubt { return false }
        case .header(let header, let byteCount):
            self.header = header
            head += byteCount
            endOfLastRecord = offset
            endOfContent = offset
        }
        isHeaderRead = true
        return true
    }

    private enum Candidate {
        case incomplete
        case invalid
        case record(JournalRecord, byteCount: Int)
    }

    /// What stands under the head.
    private mutating func candidate() -> Candidate {
        guard buffer[head] == JournalCodec.marker else { return .invalid }
        let byteCount: Int
        switch JournalCodec.frame(in: buffer, at: head, after: lastSequence ?? 0) {
        case .incomplete: return .incomplete
        case .invalid: return .invalid
        case .complete(let count): byteCount = count
        }
        guard byteCount <= allowance else { return .invalid }
        allowance -= byteCount
        guard JournalCodec.isIntact(buffer, at: head, byteCount: byteCount) else { return .invalid }
        let body = buffer[(head + JournalCodec.frameByteCount)..<(head + byteCount)]
        guard let record = JournalCodec.decodeBody(body, source: header?.source) else { return .invalid }
        return .record(record, byteCount: byteCount)
    }

    private mutating func pass(_ byteCount: Int) {
        head += byteCount
        allowance = min(allowance + 2 * byteCount, JournalDecoder.largestAllowance)
    }

    /// Passes over the byte under the head, and over what follows up to where a record may begin.
    private mutating func skip() {
        if gap == nil {
            gap = Gap(start: offset, endOfRecord: JournalCodec.claimedByteCount(in: buffer, at: head).map { offset + Int64($0) })
        }
        let end = Int(min(endOfBytes, writtenEnd) - bufferOffset)
        var place = head
        var endOfContent: Int?
        repeat {
            if buffer[place] != 0 { endOfContent = place + 1 }
            place = JournalCodec.endOfZeros(in: buffer, from: place + 1, to: end)
        } while place < end && buffer[place] != JournalCodec.marker
        if let endOfContent { gap?.endOfContent = bufferOffset + Int64(endOfContent) }
        pass(place - head)
    }

    private mutating func closeGap(at end: Int64) {
        guard let gap else { return }
        self.gap = nil
        endOfContent = end
        damageCount += 1
        damagedByteCount += end - gap.start
        if damage.count < JournalDecoder.maximumDamageCount {
            damage.append(JournalDamage(offset: gap.start, byteCount: end - gap.start))
        }
    }
}
