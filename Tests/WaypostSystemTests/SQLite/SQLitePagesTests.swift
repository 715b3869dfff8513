import Foundation
import Testing

@testable import WaypostSystem

/// What pages tell without SQLite is what SQLite says.
@Suite struct SQLitePagesTests {
    private let folder: String
    private var path: String { folder + "/rows.sqlite" }

    init() throws {
        folder = NSTemporaryDirectory() + "waypost-pages-\(UInt32.random(in: 0...(.max)))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    /// A file with rows of all lengths, some removed again, and a table without row numbers.
    private func filled() throws -> (bytes: [UInt8], rows: [Int64: [SQLiteValue]], named: [String: Int64]) {
        let database = try SQLiteDatabase(path: path)
        try database.execute("CREATE TABLE row(number INTEGER PRIMARY KEY, word TEXT, value INTEGER, body BLOB)")
        try database.execute("CREATE TABLE named(name TEXT PRIMARY KEY, value INTEGER) WITHOUT ROWID")
        var rows: [Int64: [SQLiteValue]] = [:]
        var named: [String: Int64] = [:]
        let values: [SQLiteValue] = [
            0, 1, -1, 127, -129, 40_000, -9_000_000, .integer(1 << 31), .integer(-1 << 46), .integer(.max), .integer(.min), nil,
        ]
        try database.transaction { () throws(SQLiteError) in
            for number in Int64(1)...400 {
                let body = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: Int(number * number) % 5_003)
                let row: [SQLiteValue] = [.text("word \(number)"), values[Int(number) % values.count], .bytes(body)]
                try database.run("INSERT INTO row VALUES(?,?,?,?)", [.integer(number)] + row)
                rows[number] = row
                try database.run("INSERT INTO named VALUES(?,?)", [.text("name \(number)"), .integer(number)])
                named["name \(number)"] = number
            }
        }
        try database.execute("DELETE FROM row WHERE number BETWEEN 30 AND 170 OR number % 7 = 0")
        rows = rows.filter { !(30...170).contains($0.key) && $0.key % 7 != 0 }
        try database.checkpoint()
        return ([UInt8](try Data(contentsOf: URL(filePath: path))), rows, named)
    }

    private func pages(_ bytes: [UInt8]) -> SQLitePages {
        SQLitePages(pageByteCount: 1_024, pageCount: (bytes.count + 1_023) / 1_024) { number in
            Array(bytes.dropFirst((number - 1) * 1_024).prefix(1_024))
        }
    }

    /// The rows of the first table, and of the second.
    private func found(_ bytes: [UInt8]) -> (rows: [Int64: [SQLiteValue]], named: [String: Int64]) {
        var rows: [Int64: [SQLiteValue]] = [:]
        var named: [String: Int64] = [:]
        pages(bytes).each { row in
            if let number = row.number, row.values.count == 4 {
                #expect(rows.updateValue(Array(row.values[1...]), forKey: number) == nil)
            } else if row.values.count == 2, case .text(let name) = row.values[0], case .integer(let value) = row.values[1] {
                #expect(named.updateValue(value, forKey: name) == nil)
            }
        }
        return (rows, named)
    }

    @Test func findsEveryRowAndNoneThatWasRemoved() throws {
        let (bytes, rows, named) = try filled()
        let found = found(bytes)
        #expect(found.rows == rows && found.named == named)
    }

    @Test func findsTheRowsOfAllOtherPages() throws {
        let (bytes, rows, named) = try filled()
        // Rows of one page, and long ones that have a part of themselves there.
        for page in stride(from: 0, to: bytes.count / 1_024, by: 7) {
            var damaged = bytes
            for index in page * 1_024..<(page + 1) * 1_024 { damaged[index] = 0 }
            let found = found(damaged)
            let others = rows.filter { row in found.rows[row.key].map { $0 == row.value } ?? false }
            let lostCount = rows.count - others.count + named.count - named.filter { found.named[$0.key] == $0.value }.count
            #expect(lostCount <= 64, "page \(page + 1)")
        }
    }

    @Test func needsNoHeadNoSchemaAndNoEnd() throws {
        let (bytes, rows, _) = try filled()
        let headless = found([UInt8](repeating: 0, count: 1_024) + bytes[1_024...])
        // The list of free pages is gone with the head: rows that were removed may come, too.
        #expect(rows.allSatisfy { headless.rows[$0.key] == $0.value })
        let cut = found(Array(bytes.prefix(bytes.count / 2)))
        #expect(cut.rows.count > 50 && cut.rows.allSatisfy { rows[$0.key] == $0.value || $0.value[2] != rows[$0.key]?[2] })
    }

    @Test func takesAnyBytes() throws {
        let (bytes, _, _) = try filled()
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<60 {
            var damaged = bytes
            for _ in 0..<200 {
                damaged[Int.random(in: 0..<damaged.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            var count = 0
            pages(damaged).each { row in count += row.values.isEmpty ? 0 : 1 }
            #expect(count > 0)
        }
    }
}
