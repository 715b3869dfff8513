/// Cuts bytes that come in pieces into the records of comma-separated values, RFC 4180 and what programs write instead of it.
///
/// ```
/// field,"a field, with ""quotes"" and
/// a line end",field
/// ```
/// Leniencies: LF, CR or both end a record; a quote within a field without quotes is itself; text behind a closing quote belongs to the field;
/// empty lines are stepped over. A quote that nothing closes (before the input or ``longestRecord`` ends, or before text that no closing
/// quote can have behind it) costs only its own line: its field ends there, and the lines behind it are read again.
///
/// - Cost: one pass, and at most one more over what stands behind such a quote; memory for one record, twice.
struct CSVRecords: Sendable {
    /// Bytes of a record; a longer one is passed over.
    static let longestRecord = 65_536
    /// Fields of a record that are kept.
    static let mostFields = 1_024

    private enum State {
        case fieldStart, plain, quoted, quoteInQuoted
        /// In a record that is too long.
        case skipping
    }

    /// What stands between two fields.
    var separator = UInt8(ascii: ",")
    /// Records that were passed over.
    private(set) var overlong = DamageTally()
    /// Records with a quote that nothing closes.
    private(set) var unclosed = DamageTally()

    private var state = State.fieldStart
    private var text: [UInt8] = []
    /// Where each field that is whole ends.
    private var ends: [Int] = []
    private var currentLine = 1
    private var startLine = 1
    private var endsWithReturn = false
    /// What has come since the opening quote of the field, as it came; where the field begins in the text, and on which line the quote is.
    private var quoted: (bytes: [UInt8], start: Int, line: Int) = ([], 0, 1)

    /// Takes the next bytes; visits the records that they complete.
    ///
    /// - Parameter visit: gets the text of a record, where its fields end in it, and the line, counted from 1, that it begins on.
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
    mutating func finish(_ visit: (Span<UInt8>, [Int], Int) -> Void) {
        if state == .quoted, !endAtLine(visit) { unclosed.note(line: startLine) }
        if state == .quoteInQuoted { state = .plain }
        if state != .fieldStart || !text.isEmpty || !ends.isEmpty { endRecord(visit) }
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
                // That quote opens another field.
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

    /// Ends the open field in quotes, and its record, at the first line end in it, and reads again what stands behind that; false when there
    /// is none.
    ///
    /// The quotes behind it come in pairs, but for one at the very end: whatever these open, they close, so that nothing is read a third time.
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
