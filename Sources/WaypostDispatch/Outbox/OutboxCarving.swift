import Waypost
import WaypostSystem

/// The contents of the single pages of a damaged outbox: those of its file and the newest whole ones of its log.
///
/// A log without its header may be taken for an earlier one, whose pages are older than those of the file: entries come from both.
///
/// Entries are proved by their checksum. The rows of other tables are recognised by their shape; a destination with an impossible state,
/// such as more records than there are, is left out.
struct OutboxCarving {
    private let pages: [SQLitePages]
    /// The file alone.
    private let filePages: [SQLitePages]
    private let new: SQLiteDatabase
    private(set) var entryCount = 0
    private(set) var deadLetterCount = 0
    private(set) var destinationCount = 0

    private static let lanes = Set(DispatchLane.allCases.map { SQLiteValue.text($0.rawValue) })
    /// Whether that is what the stretches of settled records are kept as: by kind, or positions that a limit deleted by its key.
    private static func isSettledKind(_ value: SQLiteValue) -> Bool {
        guard case .text(let kind) = value else { return false }
        return SettledKind(rawValue: kind) != nil || kind.hasPrefix("gone ")
    }

    /// - Parameter new: gets the rows that it lacks.
    init(path: String, log: SQLiteLog?, into new: SQLiteDatabase) {
        self.new = new
        var sizes: [Int] = log.flatMap { $0.databasePageCount != nil ? [$0.pageByteCount] : nil } ?? []
        // A file that cannot be opened has no pages; those of its log are still read.
        let file = try? OutboxFile(path: path)  // See above.
        if sizes.isEmpty {
            // A flipped bit in the header may give a wrong size.
            let said = SQLitePages.pageByteCount(ofHead: file?.bytes(at: 0, 100) ?? [])
            sizes = Set([said, SQLitePages.ownPageByteCount].compactMap { $0 }).sorted()
        }
        pages = OutboxCarving.pages(sizes, file, file?.byteCount ?? 0, log)
        filePages = log == nil ? [] : OutboxCarving.pages(sizes, file, file?.byteCount ?? 0, nil)
    }

    private static func pages(_ sizes: [Int], _ file: OutboxFile?, _ byteCount: Int, _ log: SQLiteLog?) -> [SQLitePages] {
        let images = log?.pages ?? [:]
        return sizes.map { size in
            let pageCount = log?.databasePageCount ?? (byteCount + size - 1) / size
            return SQLitePages(pageByteCount: size, pageCount: min(pageCount, Int(SQLiteValue.largestNumber / 65_536))) { number in
                if let log, let image = images[number], image.count == size { return Array(log.bytes[image]) }
                return file?.bytes(at: Int64(number - 1) * Int64(size), size) ?? []
            }
        }
    }

    // MARK: - Entries

    /// Copies the entries after a number.
    mutating func copyEntries(after floor: Int64) throws(SQLiteError) {
        try each(of: pages + filePages) { (row) throws(SQLiteError) in
            guard let number = row.number, number > floor, row.values.count == 7, case .text(let id) = row.values[1],
                case .bytes(let boot) = row.values[3], case .integer(let bootMilliseconds) = row.values[4],
                case .bytes(let body) = row.values[5], case .integer(let checksum) = row.values[6]
            else { return }
            var time: UTCTime?
            if case .integer(let milliseconds) = row.values[2] { time = UTCTime(millisecondsSince1970: milliseconds) }
            let moment = RecordMoment(bootIdentity: boot, bootMilliseconds: bootMilliseconds, time: time)
            let entry = StoredEntry(number: UInt64(clamping: number), id: id, moment: moment, body: body)
            guard entry.checksum == checksum else { return }
            try insert("entry", StoredEntry.columnNames, [.integer(number)] + row.values[1...], &entryCount)
        }
    }

    // MARK: - The rest

    /// Copies the rows of the other tables.
    ///
    /// - Parameter last: the number of the last entry, as far as it is known; no destination can have more.
    mutating func copyDestinations(upTo last: Int64?) throws(SQLiteError) {
        var otherCount = 0
        try each(of: pages) { (row) throws(SQLiteError) in
            switch (row.number, row.values.count) {
            case (nil, 12):
                guard OutboxCarving.isDestination(row.values, upTo: last) else { return }
                let columns = [
                    "name", "event_cursor", "position_cursor", "live_sequence", "history_sequence", "is_paused", "sent", "dropped",
                    "event_start",
                    "position_start", "late", "takes_positions",
                ]
                try insert("destination", columns, row.values, &destinationCount)
            case (nil, 2):
                guard OutboxStore.noteNames.union(OutboxStore.lossNoteNames).contains(row.values[0]) else { return }
                try insert("note", ["name", "value"], row.values, &otherCount)
            case (nil, 3):
                guard isText(row.values, [0]), isNumber(row.values, [1, 2]) else { return }
                try insert("stretch", ["destination", "after", "through"], row.values, &otherCount)
            case (nil, 4):
                guard isText(row.values, [0]), OutboxCarving.isSettledKind(row.values[1]), isNumber(row.values, [2, 3]) else {
                    return
                }
                try insert("settled", ["destination", "lane", "after", "through"], row.values, &otherCount)
            case (.some(let number), 6):
                guard isText(row.values, [0, 5]), OutboxCarving.lanes.contains(row.values[1]), isNumber(row.values, [2, 3]) else { return }
                let columns = ["rowid", "destination", "lane", "through", "after", "time", "answer"]
                try insert("receipt", columns, [.integer(number)] + row.values, &otherCount)
            case (.some(let number), 9):
                guard isText(row.values, [1, 4, 7]), OutboxCarving.lanes.contains(row.values[2]), isNumber(row.values, [3, 8]),
                    case .bytes(let body) = row.values[6], RecordCodec.content(body) != nil
                else { return }
                let columns = ["number", "destination", "lane", "sequence", "id", "time", "body", "reason", "is_due"]
                try insert("dead_letter", columns, [.integer(number)] + row.values[1...], &deadLetterCount)
            default: return
            }
        }
    }

    private static func isDestination(_ values: [SQLiteValue], upTo last: Int64?) -> Bool {
        guard isText(values, [0]), values[0] != "", isNumber(values, Array(1...11)), case .integer(let cursor) = values[1] else {
            return false
        }
        return cursor <= last ?? .max
    }

    // MARK: - Parts

    /// Goes through the rows of all pages, for every possible page size.
    private func each(of pages: [SQLitePages], _ body: (SQLitePages.Row) throws(SQLiteError) -> Void) throws(SQLiteError) {
        do { for pages in pages { try pages.each(body) } } catch let error as SQLiteError { throw error } catch {
            preconditionFailure("no other errors are thrown")
        }
    }

    private func insert(_ table: String, _ columns: [String], _ values: [SQLiteValue], _ count: inout Int) throws(SQLiteError) {
        let places = columns.map { _ in "?" }.joined(separator: ",")
        do throws(SQLiteError) {
            count += try new.run(
                "INSERT INTO \(table)(\(columns.joined(separator: ", "))) VALUES(\(places)) ON CONFLICT DO NOTHING", values)
        } catch {
            // An impossible row.
            if error.kind != .constraint { throw error }
        }
    }
}

private func isText(_ values: [SQLiteValue], _ places: [Int]) -> Bool {
    places.allSatisfy { if case .text = values[$0] { true } else { false } }
}

private func isNumber(_ values: [SQLiteValue], _ places: [Int]) -> Bool {
    places.allSatisfy { if case .integer = values[$0] { true } else { false } }
}

/// The damaged file, which stays open while its pages are read; unreadable parts count as missing.
private final class OutboxFile {
    private let descriptor: Int32

    init(path: String) throws(SystemError) { descriptor = try Syscalls.openOwnForReading(path) }

    deinit { Syscalls.close(descriptor) }

    var byteCount: Int { Int(Syscalls.size(descriptor) ?? 0) }

    func bytes(at offset: Int64, _ count: Int) -> [UInt8] {
        (try? Syscalls.read(descriptor, at: offset, upTo: count)) ?? []  // An unreadable sector costs its page.
    }
}
