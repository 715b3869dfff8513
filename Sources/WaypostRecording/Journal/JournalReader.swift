import Waypost
import WaypostSystem

/// Reads a journal from its file, finished or still growing.
///
/// - Cost: memory for one piece of the file and one record, however long the file is.
public struct JournalReader: ~Copyable {
    /// What was found so far: header, damage, where the content ends.
    public private(set) var decoder = JournalDecoder()
    /// Whether a recorder may still append: the end of the file is then the end for now, and ``next()`` may be called again.
    var isGrowing: Bool

    private let file: FileReader
    private var isEnded = false

    static let pieceByteCount = 65_536

    /// Opens a journal.
    public init(path: String) throws(RecordingError) {
        try self.init(path: path, isGrowing: false)
    }

    init(path: String, isGrowing: Bool) throws(RecordingError) {
        do {
            file = try FileReader(path: path)
        } catch {
            throw .cannotRead(path: path, cause: error)
        }
        self.isGrowing = isGrowing
    }

    /// The next whole record; nil at the end.
    public mutating func next() throws(RecordingError) -> JournalRecord? {
        while true {
            if let record = try decode() { return record }
            if isEnded { return nil }
            let bytes = try reading { () throws(SystemError) in try file.read(upTo: JournalReader.pieceByteCount) }
            if isGrowing, bytes.allSatisfy({ $0 == 0 }) {
                // The end, or room that is not written yet. What half a record is there becomes a whole one.
                try move(to: decoder.endOfLastRecord, after: decoder.lastSequence)
                return nil
            }
            if bytes.isEmpty {
                isEnded = true
                decoder.endOfInput()
            } else {
                decoder.feed(bytes)
            }
        }
    }

    /// Goes to a place from which all records after that number follow; numbers up to it may follow as well.
    ///
    /// Numbers grow within a journal, so the place is found by halving the file: a few pieces are read, however long it is.
    public mutating func seek(after sequence: UInt64) throws(RecordingError) {
        guard let byteCount = file.byteCount else { return }
        try readHeader()
        // A record of a number up to `sequence` begins at `low`, or it is the start of the records.
        var low = decoder.endOfLastRecord
        var lowSequence: UInt64?
        var high = byteCount
        while high - low > Int64(JournalReader.pieceByteCount) {
            let middle = low + (high - low) / 2
            let bytes = try reading { () throws(SystemError) in
                try file.read(at: middle, upTo: min(JournalReader.pieceByteCount, Int(high - middle)))
            }
            if let (offset, first) = JournalCodec.firstFrame(in: bytes), first <= sequence {
                low = middle + Int64(offset)
                lowSequence = first
            } else {
                high = middle
            }
        }
        try move(to: low, after: lowSequence.map { $0 - 1 })
    }

    /// The last record, found without reading all; nil when there is none.
    ///
    /// Reading ends with it.
    public mutating func lastRecord() throws(RecordingError) -> JournalRecord? {
        try seek(after: .max)
        var last: JournalRecord?
        while let record = try next() { last = record }
        return last
    }

    /// The number of the last record and the time of the last position of those at the end, as ``lastRecord()`` finds them.
    mutating func lastRecords() throws(RecordingError) -> (sequence: UInt64?, time: UTCTime?) {
        try seek(after: .max)
        var last: (sequence: UInt64?, time: UTCTime?) = (nil, nil)
        while let record = try next() {
            last.sequence = record.sequence
            if case .position(let position) = record.content, let time = position.time { last.time = max(last.time ?? time, time) }
        }
        return last
    }

    /// Stands behind the header.
    private mutating func readHeader() throws(RecordingError) {
        let bytes = try reading { () throws(SystemError) in try file.read(at: 0, upTo: JournalCodec.maximumHeaderByteCount) }
        decoder = JournalDecoder()
        do {
            if case .header(let header, let byteCount) = try JournalCodec.decodeHeader(bytes[...]) {
                decoder = JournalDecoder(after: header, byteCount: byteCount)
            }
        } catch {
            throw RecordingError(error, path: file.path)
        }
    }

    private mutating func decode() throws(RecordingError) -> JournalRecord? {
        do {
            return try decoder.next()
        } catch {
            throw RecordingError(error, path: file.path)
        }
    }

    private mutating func move(to offset: Int64, after sequence: UInt64?) throws(RecordingError) {
        try reading { () throws(SystemError) in try file.seek(to: offset) }
        decoder.move(to: offset, after: sequence)
        isEnded = false
    }

    private func reading<Result>(_ body: () throws(SystemError) -> Result) throws(RecordingError) -> Result {
        do {
            return try body()
        } catch {
            throw .cannotRead(path: file.path, cause: error)
        }
    }
}
