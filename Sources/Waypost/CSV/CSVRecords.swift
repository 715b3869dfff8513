/// Cuts bytes that come in pieces into the records of comma-separated values, RFC 4180 and what programs write instead of it.
///
/// ```
/// field,"a field, with ""quotes"" and
/// a line end",field
/// ```
/// Leniencies: LF, CR or both end a record; a quote within a field without quotes is itself; text behind a closing quote belongs to the field;
/// empty lines are stepped over; a field in quotes that never ends costs ``longestRecord`` bytes.
///
/// - Cost: one pass; memory for one record.
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

    private var state = State.fieldStart
    private var text: [UInt8] = []
    /// Where each field that is whole ends.
    private var ends: [Int] = []
    private var currentLine = 1
    private var startLine = 1
    private var endsWithReturn = false

    /// Takes the next bytes; visits the records that they complete.
    ///
    /// - Parameter visit: gets the text of a record, where its fields end in it, and the line, counted from 1, that it begins on.
    mutating func read(_ bytes: Span<UInt8>, _ visit: (Span<UInt8>, [Int], Int) -> Void) {
        for index in bytes.indices {
            let byte = bytes[unchecked: index]
            let isSecondOfTwo = endsWithReturn && byte == UInt8(ascii: "\n")
            endsWithReturn = byte == UInt8(ascii: "\r")
            if isSecondOfTwo {
                if state == .quoted { append(byte) }
                continue
            }
            let isLineEnd = byte == UInt8(ascii: "\n") || endsWithReturn
            if isLineEnd { currentLine += 1 }
            take(byte, isLineEnd: isLineEnd, visit)
        }
    }

    /// Ends the input: the last record needs no line end.
    mutating func finish(_ visit: (Span<UInt8>, [Int], Int) -> Void) {
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
            } else {
                state = .plain
                append(byte)
            }
        case .quoted: if byte == UInt8(ascii: "\"") { state = .quoteInQuoted } else { append(byte) }
        case .quoteInQuoted:
            if byte == UInt8(ascii: "\"") {
                state = .quoted
                append(byte)
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
