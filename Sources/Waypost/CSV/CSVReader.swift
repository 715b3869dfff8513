/// Reads positions from comma-separated values in pieces of any size: the output of `waypost convert`, and tables of other programs.
///
/// ```swift
/// var reader = CSVReader()
/// while let bytes = next() { try reader.read(bytes.span) { report in use(report) } }
/// try reader.finish { report in use(report) }
/// for remark in reader.remarks { tell(remark) }
/// ```
///
/// The first line names the columns, with at least a latitude and a longitude. Fields are separated by commas, semicolons or tabs, whichever
/// is most frequent in that line; with semicolons or tabs, a comma in a number is a decimal point. A row without a place is a report without
/// a fix.
/// - Times are RFC 3339 or similar (without a zone: UTC; the day may have its own column `date`), or seconds or milliseconds since 1970,
///   from 1973 on; a smaller number is something else, such as a spreadsheet's day, and cannot be read.
/// - Speeds are in m/s and heights in metres above mean sea level, unless the column's name says otherwise: `speed (km/h)`, `speed_knots`, `alt_ft`.
/// - A value that cannot be read is left out and told with its line, at most eight of them, and counted; so is a row whose place is impossible. A last row that ends with the table, not
///   with a line, and lacks columns was cut: it is left out, too.
/// - Errors: a first line that names no place is a ``CSVError``; after one, the reader returns nothing more.
/// - Cost: one pass; memory for one row.
public struct CSVReader: Sendable {
    /// The kinds of damage that are counted.
    private struct Damage: Sendable {
        var rows = DamageTally()
        var firstRow = ""
        var values = DamageTally()
        /// The first values that cannot be read, each with its line.
        var listedValues: [String] = []
        var lastValueLine = 0
    }

    private struct Meaning {
        var column: CSVColumn
        var factor: Double
    }

    /// How many values that cannot be read are told, each with its line; the others are counted.
    private static let mostListedValues = 8

    private var records = CSVRecords()
    /// The first line until it is complete; it determines the separator.
    private var head: [UInt8]? = []
    /// The meaning of each column; nil before the header.
    private var meanings: [Meaning?]?
    private var hasDecimalCommas = false
    /// Whether the previous line was Excel's `sep=;`.
    private var isSeparatorNamed = false
    private var otherNames: [String] = []
    private var damage = Damage()
    /// The line of a row within which the table ends.
    private var cutLine: Int?
    private var failure: CSVError?
    /// How many rows contained a position or a report without one.
    public private(set) var reportCount = 0

    /// Creates a reader at the start of a table.
    public init() {}

    /// Processes the next bytes, cut anywhere, and visits the reports that they complete.
    public mutating func read(_ bytes: Span<UInt8>, _ visit: (PositionReport) -> Void) throws(CSVError) {
        if let failure { throw failure }
        var start = 0
        while let line = head, start < bytes.count {
            let limit = min(bytes.count, start + CSVRecords.longestRecord - line.count)
            var end = start
            while end < limit, bytes[end] != UInt8(ascii: "\n"), bytes[end] != UInt8(ascii: "\r") { end += 1 }
            let isWhole = end < bytes.count
            if isWhole { end += 1 }
            bytes.extracting(start..<end).withUnsafeBufferPointer { head?.append(contentsOf: $0) }
            start = end
            if isWhole { try passHead(visit) }
        }
        if start < bytes.count { try pass(bytes.extracting(start..<bytes.count), visit) }
    }

    /// Ends the table.
    public mutating func finish(_ visit: (PositionReport) -> Void) throws(CSVError) {
        if let failure { throw failure }
        try passHead(visit)
        var records = CSVRecords()
        swap(&records, &self.records)
        records.finish {
            take($0, $1, line: $2, visit)
        } last: {
            // Its last number may have been cut, and would be another one.
            if let meanings, $1.count < meanings.count { cutLine = $2 } else { take($0, $1, line: $2, visit) }
        }
        swap(&records, &self.records)
        if meanings == nil, failure == nil { failure = .empty }
        if let failure { throw failure }
    }

    /// What was skipped, one line for people per kind.
    public var remarks: [String] {
        var remarks: [String] = []
        if !otherNames.isEmpty {
            let more = otherNames.count > 8 ? " and \(otherNames.count - 8) more" : ""
            remarks.append("columns that are not read: \(otherNames.prefix(8).joined(separator: ", "))\(more)")
        }
        if damage.rows.count > 0 {
            remarks.append("rows with an impossible place, left out: \(damage.rows.count), first \(damage.firstRow)")
        }
        if damage.values.count > 0 {
            let more = damage.values.count - damage.listedValues.count
            let rest = more > 0 ? "; and \(more) more, the last in line \(damage.lastValueLine)" : ""
            remarks.append("values that cannot be read: \(damage.values.count), \(damage.listedValues.joined(separator: "; "))\(rest)")
        }
        if records.unclosed.count > 0 {
            let (count, line) = (records.unclosed.count, records.unclosed.firstLine)
            remarks.append("quotes that nothing closes, taken as closed at the end of their line: \(count), first line \(line)")
        }
        if records.overlong.count > 0 {
            remarks.append(
                "rows longer than \(CSVRecords.longestRecord) bytes, left out: \(records.overlong.count), first line \(records.overlong.firstLine)"
            )
        }
        if let cutLine { remarks.append("the table ends within the row of line \(cutLine), which was left out") }
        return remarks
    }

    // MARK: - The header

    private mutating func passHead(_ visit: (PositionReport) -> Void) throws(CSVError) {
        guard let line = head else { return }
        head = nil
        // Empty lines and a comment before the header are skipped and do not affect the separator.
        let isBlank = line.allSatisfy { $0 <= 0x20 } || line.first == UInt8(ascii: "#")
        if !isBlank {
            if !isSeparatorNamed { records.separator = CSVReader.separator(in: line) }
            isSeparatorNamed = line.starts(with: "sep=".utf8)
            hasDecimalCommas = records.separator != UInt8(ascii: ",")
        }
        try pass(line.span, visit)
        if meanings == nil, failure == nil, !line.isEmpty { head = [] }
    }

    /// The most frequent of comma, semicolon and tab in a line, or the separator that Excel's `sep=;` names.
    private static func separator(in line: [UInt8]) -> UInt8 {
        if line.count > 4, line.prefix(4).elementsEqual("sep=".utf8) { return line[4] }
        let counts = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")].map { mark in (mark, line.count { $0 == mark }) }
        return counts.max { $0.1 < $1.1 }.map { $0.1 > 0 ? $0.0 : UInt8(ascii: ",") } ?? UInt8(ascii: ",")
    }

    private mutating func takeHeader(_ text: Span<UInt8>, _ ends: [Int], line: Int) {
        var start = 0
        var names: [String] = []
        for end in ends {
            names.append(text.extracting(start..<end).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) })
            start = end
        }
        guard let first = names.first, !first.hasPrefix("#"), !first.hasPrefix("sep="), names.contains(where: { $0.contains { $0 > " " } })
        else { return }
        var found: [Meaning?] = []
        var known: Set<CSVColumn> = []
        for name in names {
            let meaning = CSVColumn.named(name).flatMap {
                known.insert($0.column).inserted ? Meaning(column: $0.column, factor: $0.factor) : nil
            }
            found.append(meaning)
            let label = String(name.drop { $0 == " " || $0 == "\u{FEFF}" }.prefix(40))
            if meaning == nil, !label.isEmpty { otherNames.append(label) }
        }
        guard known.contains(.latitude), known.contains(.longitude) else {
            failure = .noPlaceColumns(line: line)
            return
        }
        meanings = found
    }

    // MARK: - Rows

    private mutating func pass(_ bytes: Span<UInt8>, _ visit: (PositionReport) -> Void) throws(CSVError) {
        // Moved out of self while it calls back into self.
        var records = CSVRecords()
        swap(&records, &self.records)
        records.read(bytes) { take($0, $1, line: $2, visit) }
        swap(&records, &self.records)
        if let failure { throw failure }
    }

    private mutating func take(_ text: Span<UInt8>, _ ends: [Int], line: Int, _ visit: (PositionReport) -> Void) {
        guard failure == nil else { return }
        guard let meanings else { return takeHeader(text, ends, line: line) }
        var row = CSVRow(hasDecimalCommas: hasDecimalCommas)
        if ends.count > meanings.count, !hasDecimalCommas, hasCommasInPlace(text, ends, meanings) {
            return noteRow("more values than columns, and a place without decimals: numbers with commas need another separator", line: line)
        }
        var start = 0
        for (index, end) in ends.enumerated() {
            let field = text.extracting(start..<end)
            start = end
            guard index < meanings.count else {
                // A line that ends with a separator says nothing there.
                if !field.trimmingXMLSpace.isEmpty { noteUnread("behind the last column", CSVReader.text(field), line: line) }
                continue
            }
            guard let meaning = meanings[index], !row.set(meaning.column, field, factor: meaning.factor) else { continue }
            noteUnread(meaning.column.rawValue, CSVReader.text(field), line: line)
        }
        for unread in row.unreadTimes { noteUnread(unread.column.rawValue, unread.text, line: line) }
        switch row.report {
        case .report(let report):
            reportCount += 1
            visit(report)
        case .empty: break
        case .impossible(let why): noteRow(why, line: line)
        }
    }

    /// Whether a row with more values than columns may have a place with decimal commas, as 51,73,10,24: which values are whose is not certain.
    private func hasCommasInPlace(_ text: Span<UInt8>, _ ends: [Int], _ meanings: [Meaning?]) -> Bool {
        var (start, isLonger, isWhole) = (0, false, false)
        for (index, end) in ends.enumerated() {
            let field = text.extracting(start..<end)
            start = end
            if index >= meanings.count {
                isLonger = isLonger || !field.trimmingXMLSpace.isEmpty
            } else if let column = meanings[index]?.column, column == .latitude || column == .longitude {
                isWhole = isWhole || field.firstIndex(of: UInt8(ascii: "."), from: 0) == nil
            }
        }
        return isLonger && isWhole
    }

    private mutating func noteRow(_ why: String, line: Int) {
        if damage.rows.count == 0 { damage.firstRow = "line \(line): \(why)" }
        damage.rows.note(line: line)
    }

    private mutating func noteUnread(_ column: String, _ text: @autoclosure () -> String, line: Int) {
        damage.values.note(line: line)
        damage.lastValueLine = line
        guard damage.listedValues.count < CSVReader.mostListedValues else { return }
        damage.listedValues.append("line \(line): \(column) \(text().prefix(60))")
    }

    private static func text(_ field: Span<UInt8>) -> String {
        field.withUnsafeBufferPointer { String(decoding: $0.prefix(40), as: UTF8.self) }
    }
}

/// Why a table cannot be read at all.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum CSVError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The table has no lines.
    case empty
    /// The first line has no column of latitudes, or none of longitudes.
    case noPlaceColumns(line: Int)

    /// The cause, as half a sentence for people.
    public var description: String {
        switch self {
        case .empty: "there is no line in it"
        case .noPlaceColumns(let line):
            "its line \(line) does not name the columns; that takes lat and lon at least, as in time,lat,lon,ele,speed"
        }
    }
}
