/// The rows in the pages of a database, read without SQLite.
///
/// An intact page yields its rows, whatever happened to the header, the schema, the tree above it and the other pages.
///
/// A page does not say which table its rows belong to: the caller tells by the values. Rows may be from damaged pages, and must be checked one
/// by one.
/// - Cost: reads each page once, and the overflow pages of long rows as often as those rows are read.
/// - Source: SQLite's file format, sections 1.5 to 2.1: https://www.sqlite.org/fileformat2.html
public struct SQLitePages {
    /// A row of a table, of a table without row numbers, or of an index.
    public struct Row: Sendable, Equatable {
        /// The number of the row; nil in tables without, and in indexes.
        public var number: Int64?
        /// The columns in the order in which they are stored; a column that is the row's number is null.
        public var values: [SQLiteValue]
    }

    /// The bytes of a page.
    public let pageByteCount: Int
    /// How many pages there are.
    public let pageCount: Int
    private let read: (Int) -> [UInt8]

    /// The page size of new databases, for a file whose header does not say it.
    public static let ownPageByteCount = 1_024
    /// No row of interest is longer.
    private static let maximumRowByteCount = 1 << 20

    /// The pages of a database.
    ///
    /// - Parameters:
    ///   - pageByteCount: the size of a page.
    ///   - pageCount: how many pages there are.
    ///   - read: returns a page, counted from 1; bytes missing at its end count as zeros.
    public init(pageByteCount: Int, pageCount: Int, read: @escaping (Int) -> [UInt8]) {
        (self.pageByteCount, self.pageCount, self.read) = (pageByteCount, pageCount, read)
    }

    /// Whether pages can have that size.
    public static func isPageSize(_ count: Int) -> Bool { (512...65_536).contains(count) && count & (count - 1) == 0 }

    /// The page size that the first bytes of a file state; nil when they are not a header.
    public static func pageByteCount(ofHead head: [UInt8]) -> Int? {
        guard head.starts(with: Array("SQLite format 3\0".utf8)), head.count >= 18 else { return nil }
        let said = Int(head[16]) << 8 | Int(head[17])
        let count = said == 1 ? 65_536 : said
        return isPageSize(count) ? count : nil
    }

    /// Iterates over the rows of all pages that are in use.
    public func each(_ body: (Row) throws -> Void) rethrows {
        let free = freePages()
        for number in stride(from: 1, through: pageCount, by: 1) where !free.contains(number) {
            for row in rows(ofPage: number) { try body(row) }
        }
    }

    /// The rows of a page, as far as they can be read.
    public func rows(ofPage number: Int) -> [Row] {
        let page = page(number)
        let base = number == 1 ? 100 : 0
        let isTable: Bool
        let headByteCount: Int
        let childByteCount: Int
        switch page[base] {
        case 0x0D: (isTable, headByteCount, childByteCount) = (true, 8, 0)
        case 0x0A: (isTable, headByteCount, childByteCount) = (false, 8, 0)
        case 0x02: (isTable, headByteCount, childByteCount) = (false, 12, 4)
        default: return []
        }
        let start = base + headByteCount
        let count = min(page.number(at: base + 3, 2), (pageByteCount - start) / 2)
        return (0..<count).compactMap { index in
            let offset = page.number(at: start + 2 * index, 2) + childByteCount
            return offset >= start + 2 * count ? row(in: page, at: offset, isTable) : nil
        }
    }

    /// A page, padded with zeros.
    private func page(_ number: Int) -> [UInt8] {
        var page = read(number).prefix(pageByteCount)
        page += repeatElement(0, count: pageByteCount - page.count)
        return Array(page)
    }

    private func row(in page: [UInt8], at offset: Int, _ isTable: Bool) -> Row? {
        var offset = offset
        guard let length = page.variable(at: &offset), (1...Int64(SQLitePages.maximumRowByteCount)).contains(length) else { return nil }
        let number = isTable ? page.variable(at: &offset) : nil
        if isTable, number == nil { return nil }
        guard let payload = payload(in: page, at: offset, Int(length), isTable), let values = SQLitePages.values(of: payload) else {
            return nil
        }
        return Row(number: number, values: values)
    }

    /// All bytes of a row: those after the first ones are in a chain of other pages.
    private func payload(in page: [UInt8], at offset: Int, _ count: Int, _ isTable: Bool) -> [UInt8]? {
        let most = isTable ? pageByteCount - 35 : (pageByteCount - 12) * 64 / 255 - 23
        let least = (pageByteCount - 12) * 32 / 255 - 23
        let rest = least + (count - least) % (pageByteCount - 4)
        let localCount = count <= most ? count : rest <= most ? rest : least
        guard offset + localCount <= page.count else { return nil }
        var payload = Array(page[offset..<offset + localCount])
        guard localCount < count else { return payload }
        guard offset + localCount + 4 <= page.count else { return nil }
        var next = page.number(at: offset + localCount, 4)
        while payload.count < count {
            guard (2...max(2, pageCount)).contains(next) else { return nil }
            let chained = self.page(next)
            payload += chained[4...].prefix(count - payload.count)
            next = chained.number(at: 0, 4)
        }
        return payload
    }

    /// The columns of a row; nil when it is not one.
    private static func values(of payload: [UInt8]) -> [SQLiteValue]? {
        var offset = 0
        guard let headCount = payload.variable(at: &offset), (1...Int64(payload.count)).contains(headCount) else { return nil }
        let bodyStart = Int(headCount)
        var types: [Int64] = []
        while offset < bodyStart {
            guard let type = payload.variable(at: &offset), type >= 0 else { return nil }
            types.append(type)
        }
        guard offset == bodyStart else { return nil }
        var values: [SQLiteValue] = []
        for type in types {
            let count: Int
            switch type {
            case 0, 8, 9: count = 0
            case 1...4: count = Int(type)
            case 5: count = 6
            case 6, 7: count = 8
            case 10, 11: return nil
            default: count = Int(clamping: (type - 12) / 2)
            }
            guard count <= payload.count - offset else { return nil }
            let bytes = payload[offset..<offset + count]
            offset += count
            switch type {
            // Numbers with a fraction are dropped.
            case 0, 7: values.append(.null)
            case 8, 9: values.append(.integer(type - 8))
            case 1...6:
                let isNegative = bytes.first.map { $0 >= 0x80 } ?? false
                values.append(.integer(bytes.reduce(isNegative ? -1 : 0) { $0 << 8 | Int64($1) }))
            case let type where type % 2 == 0: values.append(.bytes(Array(bytes)))
            default: values.append(.text(String(decoding: bytes, as: UTF8.self)))
            }
        }
        return offset == payload.count ? values : nil
    }

    /// The pages that are not in use, whose rows were removed; none when the list of them is incomplete.
    private func freePages() -> Set<Int> {
        let head = page(1)
        guard SQLitePages.pageByteCount(ofHead: head) == pageByteCount else { return [] }
        var free: Set<Int> = []
        let count = head.number(at: 36, 4)
        var trunk = head.number(at: 32, 4)
        while trunk != 0 {
            guard (2...max(2, pageCount)).contains(trunk), free.insert(trunk).inserted, free.count <= count else { return [] }
            let page = page(trunk)
            let leafCount = page.number(at: 4, 4)
            guard leafCount <= pageByteCount / 4 - 2 else { return [] }
            for index in 0..<leafCount {
                guard free.insert(page.number(at: 8 + 4 * index, 4)).inserted else { return [] }
            }
            trunk = page.number(at: 0, 4)
        }
        return free.count == count ? free : []
    }
}

extension [UInt8] {
    /// A number of that many bytes, the most significant first; 0 past the end.
    func number(at offset: Int, _ byteCount: Int) -> Int {
        guard offset >= 0, offset + byteCount <= count else { return 0 }
        return self[offset..<offset + byteCount].reduce(0) { $0 << 8 | Int($1) }
    }

    /// A number of one to nine bytes; afterwards the offset is after it.
    fileprivate func variable(at offset: inout Int) -> Int64? {
        var value: UInt64 = 0
        for index in 0..<9 {
            guard offset < count else { return nil }
            let byte = self[offset]
            offset += 1
            if index == 8 { return Int64(bitPattern: value << 8 | UInt64(byte)) }
            value = value << 7 | UInt64(byte & 0x7F)
            if byte < 0x80 { break }
        }
        return Int64(bitPattern: value)
    }
}
