import Waypost

/// Decides which part of a journal to read next and what to accept of it, while a recorder may append to it.
///
/// A reader beside a recorder sees bytes of different moments: zeros where the recorder wrote a moment later, in the middle of a piece or
/// even of a record. Only the journal itself shows how far it is written; nothing else has to be stored for that:
///
/// - Records are appended in order, each with its checksum. A complete record that directly follows the previous one is always accepted.
/// - An incomplete record may not have been written when it was read. By itself it is never damage: the scan looks for a later complete
///   record. Without one it is the end for now, and the next reading starts again after the last complete record.
/// - With one, everything before that record's end was written before it. That stretch is read again, and now it is final: mostly the
///   records that were just being written; anything else is damage.
///
/// When no process appends any more (``endGrowth()``), everything counts as it is.
/// - Cost: at the end of the file one piece, however much room there is. Around damage each piece is read up to three times.
struct JournalScan {
    enum Step {
        /// The next record.
        case record(JournalRecord)
        /// Bytes from that offset on are needed; pass them to ``receive(_:from:)``.
        case read(from: Int64)
        /// Bytes from that offset on are needed or, if there are zeros, from any later place that only zeros precede.
        case look(from: Int64)
        /// The end; while the journal grows, for now.
        case end
    }

    /// What was found so far.
    private(set) var decoder: JournalDecoder
    /// Whether a recorder may still append.
    private(set) var isGrowing: Bool
    /// Looks for a later record after bytes that may not be written yet.
    private var scout: JournalDecoder?
    private var hasNoneBehind = false

    /// Creates the scan of a journal; a decoder makes it start at another place.
    init(_ decoder: JournalDecoder = JournalDecoder(), isGrowing: Bool) {
        self.decoder = decoder
        self.isGrowing = isGrowing
        if isGrowing { self.decoder.writtenEnd = 0 }
    }

    /// Notes that no process appends any more.
    mutating func endGrowth() {
        isGrowing = false
        decoder.writtenEnd = .max
        beginAnew()
    }

    /// The next step.
    mutating func next() throws(JournalFormatError) -> Step {
        if let scout { return scout.isBlank ? .look(from: scout.endOfBytes) : .read(from: scout.endOfBytes) }
        if !hasNoneBehind {
            if let record = try decoder.next() { return .record(record) }
            if decoder.isInDoubt {
                // Zeros after the last record were not written, and need not be read twice.
                let start = decoder.isBlank ? decoder.endOfBytes : decoder.endOfLastRecord
                scout = JournalDecoder(lookingFrom: start, after: decoder.lastSequence)
                return .look(from: start)
            }
            if !decoder.isEnded { return .read(from: decoder.endOfBytes) }
        }
        if isGrowing { beginAnew() }
        return .end
    }

    /// Processes the requested bytes; none at the end of the file.
    mutating func receive(_ bytes: [UInt8], from offset: Int64) throws(JournalFormatError) {
        guard var scout else {
            if bytes.isEmpty { decoder.endOfInput() } else { decoder.feed(bytes) }
            return
        }
        if offset != scout.endOfBytes { scout.move(to: offset, after: decoder.lastSequence) }
        if bytes.isEmpty { scout.endOfInput() } else { scout.feed(bytes) }
        var writtenEnd: Int64?
        // As far as the piece reaches, so that one pass settles all doubts in it.
        while try scout.next() != nil { writtenEnd = scout.endOfLastRecord }
        if let writtenEnd, writtenEnd > decoder.writtenEnd {
            decoder.writtenEnd = writtenEnd
            beginAnew()
        } else if writtenEnd != nil || bytes.isEmpty {
            self.scout = nil
            hasNoneBehind = true
        } else {
            self.scout = scout
        }
    }

    /// Forgets all bytes after the last record, because they may have been written since.
    private mutating func beginAnew() {
        scout = nil
        hasNoneBehind = false
        decoder.move(to: decoder.endOfLastRecord, after: decoder.lastSequence)
    }
}
