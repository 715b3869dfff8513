import Waypost

/// Decides what of a journal is read next and what of it is believed, while a recorder may append to it.
///
/// A reader beside a recorder sees bytes of different moments: zeros where the recorder wrote a moment later, in the middle of a piece and
/// even of a record. So nothing says how far a journal is written but the journal itself, and nothing else has to be written for that:
///
/// - Records are appended in order, each with its checksum. A whole record that follows the one before is believed wherever it is seen.
/// - What is no whole record may not have been written when it was read. It is never damage by itself: the scan looks behind it for a
///   later whole record. Without one it is the end for now, and the next reading begins anew behind the last whole record.
/// - With one, all that stands before that one's end was written before it. That stretch is read again, and now it is what it will
///   be for ever: mostly the records that were just being written; what is not, is damage.
///
/// When nobody appends any more (``endGrowth()``) everything counts as it stands.
/// - Cost: at the end of the file one piece, however much room there is. Around damage each piece is read up to three times.
struct JournalScan {
    enum Step {
        /// The next record.
        case record(JournalRecord)
        /// Bytes are wanted from that offset on; ``receive(_:from:)`` them.
        case read(from: Int64)
        /// Bytes are wanted from that offset on, or, where zeros stand there, from any place behind that no other bytes come before.
        case look(from: Int64)
        /// The end; while the journal grows, for now.
        case end
    }

    /// What was found so far.
    private(set) var decoder: JournalDecoder
    /// Whether a recorder may still append.
    private(set) var isGrowing: Bool
    /// Looks for a later record behind what may not be written yet.
    private var scout: JournalDecoder?
    private var hasNoneBehind = false

    /// The scan of a journal; of another place than its start with a decoder for that.
    init(_ decoder: JournalDecoder = JournalDecoder(), isGrowing: Bool) {
        self.decoder = decoder
        self.isGrowing = isGrowing
        if isGrowing { self.decoder.writtenEnd = 0 }
    }

    /// Says that nobody appends any more.
    mutating func endGrowth() {
        isGrowing = false
        decoder.writtenEnd = .max
        beginAnew()
    }

    /// What to do next.
    mutating func next() throws(JournalFormatError) -> Step {
        if let scout { return scout.isBlank ? .look(from: scout.endOfBytes) : .read(from: scout.endOfBytes) }
        if !hasNoneBehind {
            if let record = try decoder.next() { return .record(record) }
            if decoder.isInDoubt {
                // Zeros behind the last record were not written, and need not be looked at twice.
                let start = decoder.isBlank ? decoder.endOfBytes : decoder.endOfLastRecord
                scout = JournalDecoder(lookingFrom: start, after: decoder.lastSequence)
                return .look(from: start)
            }
            if !decoder.isEnded { return .read(from: decoder.endOfBytes) }
        }
        if isGrowing { beginAnew() }
        return .end
    }

    /// Takes the bytes that were wanted; none at the end of the file.
    mutating func receive(_ bytes: [UInt8], from offset: Int64) throws(JournalFormatError) {
        guard var scout else {
            if bytes.isEmpty { decoder.endOfInput() } else { decoder.feed(bytes) }
            return
        }
        if offset != scout.endOfBytes { scout.move(to: offset, after: decoder.lastSequence) }
        if bytes.isEmpty { scout.endOfInput() } else { scout.feed(bytes) }
        var writtenEnd: Int64?
        // As far as the piece tells: one look clears all doubts in it.
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

    /// Forgets all bytes behind the last record: they may have been written since.
    private mutating func beginAnew() {
        scout = nil
        hasNoneBehind = false
        decoder.move(to: decoder.endOfLastRecord, after: decoder.lastSequence)
    }
}
