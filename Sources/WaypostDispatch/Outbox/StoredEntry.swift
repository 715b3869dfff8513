import Waypost
import WaypostSystem

/// An entry before it is stored.
struct EncodedEntry: Sendable {
    var id: String
    var moment: RecordMoment
    var body: [UInt8]

    /// It with the number that it gets.
    func numbered(_ number: Int64) -> StoredEntry {
        StoredEntry(number: UInt64(clamping: number), id: id, moment: moment, body: body)
    }
}

/// An entry as it is stored.
struct StoredEntry: Sendable, Hashable {
    var number: UInt64
    var id: String
    var moment: RecordMoment
    var body: [UInt8]

    init(number: UInt64, id: String, moment: RecordMoment, body: [UInt8]) {
        (self.number, self.id, self.moment, self.body) = (number, id, moment, body)
    }

    /// The columns that ``init(_:)`` and ``isAsWritten(_:)`` read.
    static let columns = columnNames.joined(separator: ", ")
    static let columnNames = ["number", "id", "time", "boot", "boot_milliseconds", "body", "checksum"]

    /// An entry from its ``columns``.
    init(_ row: SQLiteRow) {
        self.init(
            number: row.number(0), id: row.text(1),
            moment: RecordMoment(bootIdentity: row.bytes(3), bootMilliseconds: Int64(row.number(4)), time: row.time(2)), body: row.bytes(5))
    }

    /// The checksum that shows whether it is intact.
    ///
    /// CRC-32C of all of it: under another number it would be sent at another place, or for nothing.
    var checksum: Int64 {
        var head = Array(id.utf8) + [0] + moment.bootIdentity
        for number in [Int64(clamping: number), moment.bootMilliseconds, moment.time?.millisecondsSince1970 ?? .min] {
            withUnsafeBytes(of: number.littleEndian) { head += $0 }
        }
        return Int64(CRC32C.checksum(body.span.bytes, continuing: CRC32C.checksum(head.span.bytes)))
    }

    /// Whether it is exactly the entry that was written.
    func isAsWritten(_ row: SQLiteRow) -> Bool { row.integer(6) == checksum }
}

extension SQLiteRow {
    /// A column's moment; nil when it is empty or impossible.
    func time(_ column: Int32) -> UTCTime? {
        let time = UTCTime(millisecondsSince1970: integer(column))
        return isNull(column) || !time.hasFourDigitYear ? nil : time
    }
}
