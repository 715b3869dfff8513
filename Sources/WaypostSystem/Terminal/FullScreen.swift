import CCurses

/// The whole screen of the terminal that standard input and output belong to; it is given back as it was when the value goes away.
///
/// - Concurrency: one thread at a time, and one screen in a process.
public struct FullScreen: ~Copyable {
    /// Why there is no full screen.
    public enum Failure: Error, Equatable, Sendable {
        /// The library that moves the cursor is missing; what to install.
        case noLibrary(reason: String)
        /// The terminal is not one that a cursor can be moved on, by its `TERM`.
        case unusableTerminal
    }

    /// How a text looks; where there are no colours, bold, dim and reversed text remain.
    public struct Style: OptionSet, Sendable, Hashable {
        /// The bits, as the library's shim has them.
        public let rawValue: Int32

        /// A style of these bits.
        public init(rawValue: Int32) {
            self.rawValue = rawValue
        }

        /// Bold.
        public static let bold = Style(rawValue: Int32(CCURSES_BOLD))
        /// Dim.
        public static let dim = Style(rawValue: Int32(CCURSES_DIM))
        /// Reversed.
        public static let reversed = Style(rawValue: Int32(CCURSES_REVERSE))
        /// Red.
        public static let red = Style(rawValue: Int32(CCURSES_RED))
        /// Green.
        public static let green = Style(rawValue: Int32(CCURSES_GREEN))
        /// Yellow.
        public static let yellow = Style(rawValue: Int32(CCURSES_YELLOW))
        /// Cyan.
        public static let cyan = Style(rawValue: Int32(CCURSES_CYAN))
    }

    /// A key that was pressed.
    public enum Key: Equatable, Sendable {
        /// A character.
        case character(Character)
        /// Any other key, or a new size of the screen.
        case other
    }

    /// Takes the terminal over.
    ///
    /// - Parameter hasColours: whether colours are wanted; `NO_COLOR` says no.
    public init(hasColours: Bool) throws(Failure) {
        if let problem = ccurses_load() { throw .noLibrary(reason: String(cString: problem)) }
        guard ccurses_begin(hasColours) else { throw .unusableTerminal }
    }

    deinit { ccurses_end() }

    /// The size of the screen, in cells.
    public var size: (rows: Int, columns: Int) {
        var (rows, columns): (Int32, Int32) = (0, 0)
        ccurses_size(&rows, &columns)
        return (Int(rows), Int(columns))
    }

    /// A key that was pressed, without waiting for one; nil when there is none.
    public mutating func nextKey() -> Key? {
        let key = ccurses_key()
        if key < 0 { return nil }
        guard let scalar = UInt8(exactly: key), scalar < 0x80 else { return .other }
        return .character(Character(Unicode.Scalar(scalar)))
    }

    /// Empties the picture that is shown next.
    public mutating func clear() { ccurses_clear() }

    /// Writes into the picture.
    ///
    /// - Parameters:
    ///   - text: the text, without control characters; it must fit into its row.
    ///   - row: the row, from 0.
    ///   - column: the column, from 0.
    ///   - style: how it looks.
    public mutating func write(_ text: String, row: Int, column: Int, style: Style) {
        ccurses_write(Int32(clamping: row), Int32(clamping: column), text, style.rawValue)
    }

    /// Shows the picture; only what has changed is sent to the terminal.
    public mutating func show() { ccurses_show() }
}
