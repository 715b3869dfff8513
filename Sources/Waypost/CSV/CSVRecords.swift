/// Splits bytes that come in pieces into records of comma-separated values: RFC 4180, and what programs write instead.
///
/// ```
/// field,"a field, with ""quotes"" and
/// a line end",field
/// ```
/// Leniencies: LF, CR or both end a record; a quote within an unquoted field stands for itself; text after a closing quote belongs to the
/// field; empty lines are skipped. An unclosed quote (open at the end of the input or after ``longestRecord``, or followed by text that cannot
/// come after a closing quote) costs only its own line: its field ends there, and the lines after it are read again.
///
/// - Cost: one pass, and at most one more over what follows such a quote; memory for one record, twice.
struct CSVRecords: Sendable {
    /// The most bytes of a record; a longer one is skipped.
    static let longestRecord = 65_536
    /// The most fields of a record that are kept.
    static let mostFields = 1_024

    private enum State {
        case fieldStart, plain, quoted, quoteInQuoted
        /// In a record that is too long.
        case skipping
    }

    /// The byte between two fields.
    var separator = UInt8(ascii: ",")
    /// Records that were skipped.
    private(set) var overlong = DamageTally()
    /// Records with an unclosed quote.
    private(set) var unclosed = DamageTally()

    private var state = State.fieldStart
    private var text: [UInt8] = []
    /// Where each complete field ends.
    private var ends: [Int] = []
    private var currentLine = 1
    private var startLine = 1
    private var endsWithReturn = false
    /// The unchanged bytes since the field's opening quote, where the field begins in the text, and the line of the quote.
    private var quoted: (bytes: [UInt8], start: Int, line: Int) = ([], 0, 1)

    /// Processes the next bytes and visits the records that they complete.
    ///
    /// - Parameter visit: gets the text of a record, where its fields end in the text, and the line, counted from 1, on which it begins.
    mutating func read(_ bytes: Span<UInt8>, _ visit: (Span<UInt8>, [Int], Int) -> Void) {
        for index in bytes.indices {
            let byte = bytes[unchecked: index]
            let isSecondOfTwo = endsWithReturn && byte == UInt8(ascii: "\n")
            endsWithReturn = byte == UInt8(ascii: "\r")
            if isSecondOfTwo {
                if state == .quoted { appendQuoted(byte, visit) }
                continue
            }
            let isLineEnd = byte == UInt8(ascii: "\n") || endsWithReturn
            if isLineEnd { currentLine += 1 }
            take(byte, isLineEnd: isLineEnd, visit)
        }
    }

    /// Ends the input: the last record needs no line end.
    ///
    /// - Parameters:
    ///   - visit: takes rows that ended.
    ///   - last: takes the row that ends with the table alone, not with a line; it may have been cut.
    mutating func finish(_ visit: (Span<UInt8>, [Int], Int) -> Void, last: (Span<UInt8>, [Int], Int) -> Void) {
        if state == .quoted, !endAtLine(visit) { unclosed.note(line: startLine) }
        if state == .quoteInQuoted { state = .plain }
        if state != .fieldStart || !text.isEmpty || !ends.isEmpty { endRecord(last) }
    }

    @inline(__always)
    private mutating func take(_ byte: UInt8, isLineEnd: Bool, _ visit: (Span<UInt8>, [Int], Int) -> Void) {
        switch state {
        case .fieldStart, .plain:
            if byte == separator {
                endField()
            } else if isLineEnd {
                endRecord(visit)
            } else if byte == UInt8(ascii: "\""), state == .fieldStart {
                state = .quoted
                quoted.bytes.removeAll(keepingCapacity: true)
                (quoted.start, quoted.line) = (text.count, currentLine)
            } else {
                state = .plain
                append(byte)
            }
        case .quoted:
            if byte == UInt8(ascii: "\"") {
                state = .quoteInQuoted
                quoted.bytes.append(byte)
            } else {
                appendQuoted(byte, visit)
            }
        case .quoteInQuoted:
            if byte == UInt8(ascii: "\"") {
                state = .quoted
                appendQuoted(byte, visit)
            } else if byte != separator, !isLineEnd, endAtLine(visit) {
                // The quote opens another field.
                take(byte, isLineEnd: isLineEnd, visit)
            } else {
                state = .plain
                take(byte, isLineEnd: isLineEnd, visit)
            }
        case .skipping: if isLineEnd { beginRecord() }
        }
    }

    private mutating func append(_ byte: UInt8) {
        text.append(byte)
        guard text.count > CSVRecords.longestRecord else { return }
        overlong.note(line: startLine)
        state = .skipping
    }

    private mutating func appendQuoted(_ byte: UInt8, _ visit: (Span<UInt8>, [Int], Int) -> Void) {
        quoted.bytes.append(byte)
        if text.count < CSVRecords.longestRecord || !endAtLine(visit) { append(byte) }
    }

    /// Ends the open quoted field and its record at the field's first line end, and reads the rest again; false when there is no line end.
    ///
    /// The quotes after it come in pairs, except for one at the very end: every field they open they also close, so nothing is read a third time.
    private mutating func endAtLine(_ visit: (Span<UInt8>, [Int], Int) -> Void) -> Bool {
        let isEnd = { (byte: UInt8) in byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") }
        guard let end = quoted.bytes.firstIndex(where: isEnd) else { return false }
        var bytes: [UInt8] = []
        swap(&bytes, &quoted.bytes)
        unclosed.note(line: startLine)
        text.removeSubrange(quoted.start...)
        text += bytes[..<end]
        endRecord(visit)
        let isPair = bytes[end] == UInt8(ascii: "\r") && bytes.indices.contains(end + 1) && bytes[end + 1] == UInt8(ascii: "\n")
        (currentLine, startLine, endsWithReturn) = (quoted.line + 1, quoted.line + 1, false)
        read(bytes.span.extracting((end + (isPair ? 2 : 1))...), visit)
        return true
    }

    private mutating func endField() {
        if ends.count < CSVRecords.mostFields { ends.append(text.count) }
        state = .fieldStart
    }

    private mutating func endRecord(_ visit: (Span<UInt8>, [Int], Int) -> Void) {
        if state != .skipping, !(text.isEmpty && ends.isEmpty) {
            endField()
            visit(text.span, ends, startLine)
        }
        beginRecord()
    }

    private mutating func beginRecord() {
        text.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        startLine = currentLine
        state = .fieldStart
    }
}
