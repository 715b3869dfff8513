import Waypost
import WaypostSystem

/// Reads a journal from its file, finished or still growing.
///
/// A file named as an open journal may get more records while it is read: a partly written record is the end for now, never damage.
/// - Cost: memory for one piece of the file and one record, however long the file is.
public struct JournalReader: ~Copyable {
    /// The decoder with the results so far: header, damage, end of the content.
    public var decoder: JournalDecoder { scan.decoder }
    /// Whether a recorder may still append: then the end of the file is the end for now, and ``next()`` may be called again.
    var isGrowing: Bool { scan.isGrowing }

    private let file: FileReader
    private var scan: JournalScan

    static let pieceByteCount = 65_536

    /// Opens a journal.
    public init(path: String) throws(RecordingError) {
        try self.init(path: path, isGrowing: path.hasSuffix(LogFolder.openSuffix))
    }

    /// Opens a journal.
    ///
    /// - Parameter isGrowing: whether a recorder may append to it.
    init(path: String, isGrowing: Bool) throws(RecordingError) {
        do {
            file = try FileReader(path: path, as: .own)
        } catch {
            throw .cannotRead(path: path, cause: error)
        }
        scan = JournalScan(isGrowing: isGrowing)
    }

    /// Notes that no process appends any more: the file is now complete.
    mutating func endGrowth() {
        scan.endGrowth()
    }

    /// Whether the file still has that name, and has not been replaced by another one.
    func isNamed(_ path: String) -> Bool { file.isNamed(path) }

    /// Whether the file still has a name: one that was removed can be read on, but must not be.
    var hasName: Bool { file.hasName }

    /// Where the last record that was read ends, if the file does not end there; a finished journal was cut there.
    var endOfRecords: Int64? {
        let end = decoder.endOfLastRecord
        return end < file.byteCount ?? 0 || decoder.header == nil && decoder.lastSequence == nil ? end : nil
    }

    /// The next complete record; nil at the end.
    public mutating func next() throws(RecordingError) -> JournalRecord? {
        while true {
            switch try JournalReader.decoding(file.path, { () throws(JournalFormatError) in try scan.next() }) {
            case .record(let record):
                return record
            case .end:
                return nil
            case .read(let offset):
                try receive(from: offset)
            case .look(let offset):
                try receive(from: reading { () throws(SystemError) in try file.content(from: offset) })
            }
        }
    }

    /// Moves to a place from which all records after that number follow; earlier ones may follow as well.
    ///
    /// Numbers grow within a journal, so the place is found by bisection: only a few pieces are read, however long the file is.
    public mutating func seek(after sequence: UInt64) throws(RecordingError) {
        guard let byteCount = file.byteCount else { return }
        // A journal of another version throws here and is not searched.
        var decoder = try decoderBehindHeader()
        // A record with a number up to `sequence` begins at `low`, or `low` is the start of the file.
        var low: Int64 = 0
        var lowSequence: UInt64?
        var high = byteCount
        while high - low > Int64(JournalReader.pieceByteCount) {
            let middle = low + (high - low) / 2
            var scout = JournalDecoder(lookingFrom: middle, after: lowSequence)
            scout.feed(try read(from: middle, upTo: min(JournalReader.pieceByteCount, Int(high - middle))))
            if let record = try JournalReader.decoding(file.path, { () throws(JournalFormatError) in try scout.next() }),
                record.sequence <= sequence
            {
                low = scout.startOfLastRecord
                lowSequence = record.sequence
            } else {
                high = middle
            }
        }
        if let lowSequence {
            decoder.move(to: low, after: lowSequence - 1)
        } else {
            decoder = JournalDecoder()
        }
        scan = JournalScan(decoder, isGrowing: isGrowing)
    }

    /// The last record, found without reading the whole journal; nil when there is none.
    ///
    /// The reader is at the end afterwards.
    public mutating func lastRecord() throws(RecordingError) -> JournalRecord? {
        try seek(after: .max)
        var last: JournalRecord?
        while let record = try next() { last = record }
        return last
    }

    /// The number of the last record and the latest time of the positions near the end, found like ``lastRecord()``.
    mutating func lastRecords() throws(RecordingError) -> (sequence: UInt64?, time: UTCTime?) {
        try seek(after: .max)
        var last: (sequence: UInt64?, time: UTCTime?) = (nil, nil)
        while let record = try next() {
            last.sequence = record.sequence
            if case .position(let position) = record.content, let time = position.time { last.time = max(last.time ?? time, time) }
        }
        return last
    }

    /// Reads only the header, and checks that the journal can be read.
    ///
    /// - Errors: `unsupportedVersion`, `cannotRead`; a damaged header is not an error.
    func checkVersion() throws(RecordingError) { _ = try decoderBehindHeader() }

    /// A decoder that has read the header, or one at the start when the header cannot be read.
    private func decoderBehindHeader() throws(RecordingError) -> JournalDecoder {
        let bytes = try read(from: 0, upTo: JournalCodec.maximumHeaderByteCount)
        let outcome = try JournalReader.decoding(file.path) { () throws(JournalFormatError) in try JournalCodec.decodeHeader(bytes[...]) }
        guard case .header(let header, let byteCount) = outcome else { return JournalDecoder() }
        return JournalDecoder(after: header, byteCount: byteCount)
    }

    /// Passes the piece of the file at that offset to the scan; an empty one at the end.
    private mutating func receive(from offset: Int64?) throws(RecordingError) {
        let bytes = if let offset { try read(from: offset, upTo: JournalReader.pieceByteCount) } else { [UInt8]() }
        try JournalReader.decoding(file.path) { () throws(JournalFormatError) in try scan.receive(bytes, from: offset ?? 0) }
    }

    private func read(from offset: Int64, upTo count: Int) throws(RecordingError) -> [UInt8] {
        try reading { () throws(SystemError) in try file.read(at: offset, upTo: count) }
    }

    private func reading<Result>(_ body: () throws(SystemError) -> Result) throws(RecordingError) -> Result {
        do {
            return try body()
        } catch {
            throw .cannotRead(path: file.path, cause: error)
        }
    }

    private static func decoding<Result>(
        _ path: String, _ body: () throws(JournalFormatError) -> Result
    ) throws(RecordingError) -> Result {
        do {
            return try body()
        } catch {
            throw RecordingError(error, path: path)
        }
    }
}
