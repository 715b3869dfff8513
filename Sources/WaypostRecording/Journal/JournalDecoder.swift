import Waypost

/// Reads the records of a journal from bytes as they come, and skips damage.
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
/// Where there is no complete record with a right checksum and a larger sequence number, the decoder looks for the next record, byte by
/// byte and marker by marker; it accepts a record there only when all 32 bits of the checksum match and the number grows. The bytes in between
/// are reported as damage. Zeros at the end of the file are room that was never written, and not damage; neither is a last record cut short by
/// such zeros, because the power failed before it was on the disk. A damaged header costs the boot identity and the source's name, not the
/// records.
///
/// A recorder numbers the records of a journal without holes, and what is erased leaves a break of the kind `gap`. Where numbers are missing in
/// any other place, whole records are gone, as after a file system put a block in the place of another: damage without a byte.
/// - Cost: memory for one piece and one record, whatever the input, and two bytes checksummed for every byte read: in bytes forged to look
///   like many long records, some records after them are skipped.
public struct JournalDecoder: Sendable {
    /// The file's header; nil before it was read, and when it is damaged.
    public private(set) var header: JournalHeader?
    /// The first stretches that could not be read, or are missing, at most ``maximumDamageCount``.
    public private(set) var damage: [JournalDamage] = []
    /// How many stretches could not be read, or are missing.
    public private(set) var damageCount = 0
    /// How many bytes could not be read.
    public private(set) var damagedByteCount: Int64 = 0
    /// The end of the last whole record (or of the header), in bytes from the start of the file.
    public private(set) var endOfLastRecord: Int64 = 0
    /// How many bytes a last record has that was never completely written; what follows them is room that was never written.
    public private(set) var unfinishedByteCount: Int64 = 0
    /// The end of the last byte with content, readable or not, except for a record that was never completely written.
    public private(set) var endOfContent: Int64 = 0
    /// The sequence number of the last record; nil before the first.
    public private(set) var lastSequence: UInt64?

    /// The most stretches of damage that are kept individually.
    public static let maximumDamageCount = 16

    /// The offset before which everything had been written when it was read.
    ///
    /// From there on, only a complete record that directly follows the previous one is accepted; at anything else the decoder stops, ``isInDoubt``.
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
    /// The number of the next record if none is missing; nil where any may follow.
    private var expected: UInt64?
    /// How many bytes may be checksummed; each byte that is passed allows two more.
    ///
    /// Complete records need one per byte, random bytes half a one.
    private var allowance = JournalDecoder.largestAllowance

    private static let largestAllowance = 1 << 16

    /// A stretch that is being skipped.
    private struct Gap {
        var start: Int64
        /// The end of its last byte that is not zero.
        var endOfContent: Int64?
        /// The end of the record that begins there, by its stated length; nil when none does.
        var endOfRecord: Int64?
    }

    /// Creates a decoder at the start of a file.
    public init() {}

    /// Creates a decoder that has read the header, which had that many bytes.
    init(after header: JournalHeader, byteCount: Int) {
        self.header = header
        isHeaderRead = true
        expected = header.firstSequence
        bufferOffset = Int64(byteCount)
        endOfLastRecord = bufferOffset
        endOfContent = bufferOffset
    }

    /// Creates a decoder that looks for records with larger numbers from any place of the file on; it reads no header.
    init(lookingFrom offset: Int64, after sequence: UInt64?) {
        isHeaderRead = true
        move(to: offset, after: sequence)
    }

    /// Continues at another place of the file, at the beginning of a record or anywhere, as if everything before had been read.
    ///
    /// Records up to `sequence` are not accepted there. What was found so far (header, damage) is kept; an unreadable stretch whose end was not
    /// seen is forgotten.
    mutating func move(to offset: Int64, after sequence: UInt64?) {
        if offset != endOfLastRecord || sequence != lastSequence { expected = nil }
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

    /// Adds the next bytes of the file.
    public mutating func feed(_ bytes: [UInt8]) {
        precondition(!isEnded, "nothing follows the end")
        buffer.removeFirst(head)
        bufferOffset += Int64(head)
        head = 0
        buffer += bytes
    }

    /// Notes that no bytes follow.
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
                if gap == nil { noteMissing(before: record) }
                closeGap(at: offset)
                expected = record.mayStandForErased ? nil : record.sequence + 1
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

    /// The offset of the bytes that are fed next.
    var endOfBytes: Int64 { bufferOffset + Int64(buffer.count) }

    /// Whether all unread bytes are zeros.
    var isBlank: Bool { JournalCodec.endOfZeros(in: buffer, from: head, to: buffer.count) == buffer.count }

    /// Closes the last gap; zeros at the end are preallocated room.
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

    /// Reads the header; false when more bytes are needed.
    private mutating func readHeader() throws(JournalFormatError) -> Bool {
        switch try JournalCodec.decodeHeader(buffer[head...]) {
        case .incomplete where !isEnded:
            return false
        case .incomplete, .damaged:
            isInDoubt = offset >= writtenEnd
            if isInDoubt { return false }
        case .header(let header, let byteCount):
            self.header = header
            expected = header.firstSequence
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

    /// What the bytes at the head are.
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

    /// Skips the byte at the head and the following ones, up to where a record may begin.
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
        note(JournalDamage(offset: gap.start, byteCount: end - gap.start))
    }

    /// Notes whole records that are missing where nothing is unreadable.
    private mutating func noteMissing(before record: JournalRecord) {
        guard let expected, record.sequence > expected else { return }
        if case .lost = record.content { return }  // It says itself what is lost.
        note(JournalDamage(offset: offset, byteCount: 0, missingCount: Int(clamping: record.sequence - expected)))
    }

    private mutating func note(_ stretch: JournalDamage) {
        damageCount += 1
        damagedByteCount += stretch.byteCount
        if damage.count < JournalDecoder.maximumDamageCount { damage.append(stretch) }
    }
}

extension JournalRecord {
    /// Whether numbers may be missing behind it: the break in the place of what was erased.
    fileprivate var mayStandForErased: Bool { if case .segmentBreak(.gap) = content { true } else { false } }
}
