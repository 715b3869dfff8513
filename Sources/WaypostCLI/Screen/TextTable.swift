import Waypost

/// Rows of cells in aligned columns, for a terminal or a file.
///
/// A column is as wide as the widest cell so far and never becomes narrower; one whose cells are all empty takes no room. Where rows come
/// in several portions, their columns stay aligned. On a terminal a line of titles comes before the first row, and what does not fit is
/// left out or cut as the columns allow.
struct TextTable {
    /// A column.
    struct Column {
        /// Its title on a terminal.
        var title: String
        /// Whether its cells are right-aligned, as numbers are.
        var isTrailing = false
        /// Whether it is left out where the screen is too narrow.
        var isOptional = false
        /// Whether it is left out before the others.
        var isFirstLeftOut = false
        /// Whether its cells are cut where the screen is still too narrow.
        var isCut = false
        /// The most columns of a terminal that a cell takes, however wide that is: one long name must not push the rest aside.
        var mostWidth = Int.max
    }

    private let columns: [Column]
    /// The width of the screen; nil when the output is not a terminal.
    private let screenColumns: Int?
    private var widths: [Int]
    private var hasTitles = false

    /// The least width to which a column is cut.
    private static let leastWidth = 8
    private static let gap = "  "
    /// The most columns to which the cells of a file are filled up; longer ones stand out.
    private static let mostFilled = 60

    init(_ columns: [Column], screenColumns: Int?) {
        self.columns = columns
        self.screenColumns = screenColumns
        widths = columns.map { _ in 0 }
    }

    /// The lines of the rows, each with a cell per column.
    mutating func lines(_ rows: [[String]]) -> [String] {
        guard !rows.isEmpty else { return [] }
        var rows = rows.map { $0.map { printable($0) } }
        for row in rows {
            for (index, cell) in row.enumerated() {
                let most = screenColumns == nil ? TextTable.mostFilled : columns[index].mostWidth
                widths[index] = max(widths[index], min(displayWidth(cell), most))
            }
        }
        if screenColumns != nil, !hasTitles {
            hasTitles = true
            rows.insert(columns.map(\.title), at: 0)
            for (index, column) in columns.enumerated() where widths[index] > 0 {
                widths[index] = max(widths[index], displayWidth(column.title))
            }
        }
        let fitting = fittingWidths
        return rows.map { line($0, fitting) }
    }

    /// The widths that fit the screen; 0 leaves a column out.
    private var fittingWidths: [Int] {
        var widths = widths
        guard let screenColumns else { return widths }
        func excess() -> Int {
            let shown = widths.filter { $0 > 0 }
            return shown.reduce(0, +) + max(0, shown.count - 1) * TextTable.gap.count - screenColumns
        }
        let optional = columns.indices.reversed().filter { columns[$0].isOptional }
        for index in optional.filter({ columns[$0].isFirstLeftOut }) + optional where excess() > 0 { widths[index] = 0 }
        for index in columns.indices where columns[index].isCut && excess() > 0 {
            widths[index] = max(min(widths[index], TextTable.leastWidth), widths[index] - excess())
        }
        return widths
    }

    private func line(_ cells: [String], _ widths: [Int]) -> String {
        var line = ""
        for (index, cell) in cells.enumerated() where widths[index] > 0 {
            let cell = screenColumns != nil && displayWidth(cell) > widths[index] ? TextTable.cut(cell, to: widths[index]) : cell
            let room = String(repeating: " ", count: max(0, widths[index] - displayWidth(cell)))
            if !line.isEmpty { line += TextTable.gap }
            line += columns[index].isTrailing ? room + cell : cell + room
        }
        while line.last == " " { line.removeLast() }
        return line
    }

    private static func cut(_ cell: String, to width: Int) -> String {
        var cell = cell
        while displayWidth(cell) > width - 3 { cell.removeLast() }
        return cell + "..."
    }
}

/// How many columns of a terminal a text takes: East Asian characters and pictures take two.
func displayWidth(_ text: String) -> Int {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
    return text.reduce(0) { $0 + ($1.unicodeScalars.contains(where: isWide) ? 2 : 1) }
}

/// - Source: Unicode Standard Annex 11, East Asian Width: the blocks that are wide throughout.
private func isWide(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
        0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
        true
    default: false
    }
}

/// Wraps a line at spaces, but not within commands, to at most this many columns; lines after the first are indented.
func wrapped(_ line: String, columns: Int?, indent: Int) -> [String] {
    guard let columns, columns > 2 * indent, displayWidth(line) > columns else { return [line] }
    var lines: [String] = []
    let words = unbreakablePieces(line)
    var current = words.first ?? ""
    for word in words.dropFirst() {
        let isBlank = current.allSatisfy { $0 == " " }
        if !isBlank, displayWidth(current) + 1 + displayWidth(word) > columns {
            lines.append(current)
            current = String(repeating: " ", count: indent) + word
        } else {
            current += " " + word
        }
    }
    return lines + [current]
}
