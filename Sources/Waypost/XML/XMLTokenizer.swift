/// Reads XML one token at a time from bytes that come in pieces; lenient, bounded, without entities.
///
/// It keeps no reference to the text, so every call takes the bytes again: those from ``offset`` on, and the ones that have come since.
/// After ``Token/incomplete`` the caller drops the bytes before ``offset``, calls ``rebase()``, and continues when there are more. Tokens
/// do not depend on where the input is cut, except that text and character data come in pieces.
///
/// Leniencies:
/// - The caller checks whether end tags match start tags, and what is outside the root.
/// - References are not resolved here; declared entities never are: a document type with declarations is a token of its own.
/// - A `<` that begins no markup is ``Token/stray``. A tag in which another tag begins, or which contains an invalid byte (a NUL), ends there
///   as a broken one; an attribute without quotes is skipped and breaks its tag.
/// - Attribute values over ``longestValue`` bytes and names over ``longestName`` are not kept.
///
/// - Source: XML 1.0 (Fifth Edition), https://www.w3.org/TR/xml/.
/// - Cost: one pass; no allocation, no memory beyond the longest value.
struct XMLTokenizer {
    /// The longest attribute value in raw bytes; longer ones are ``Token/overlongAttribute(name:)``.
    static let longestValue = 16_384
    /// The longest name with its prefix, in bytes.
    static let longestName = 1_024
    /// The longest XML declaration in bytes; a longer one is skipped.
    static let longestDeclaration = 512

    /// One step through a text; the ranges are of the bytes given to the call.
    enum Token: Equatable {
        /// The content of `<?xml ... ?>`.
        case declaration(Range<Int>)
        /// `<name`; attributes and ``startTagEnd(isEmpty:isBroken:)`` follow.
        case startTag(Range<Int>)
        /// `name="value"`; references are not resolved.
        case attribute(name: Range<Int>, value: Range<Int>)
        /// An attribute whose value is too long to be kept.
        case overlongAttribute(name: Range<Int>)
        /// `>` or `/>`, or the end of a broken tag.
        case startTagEnd(isEmpty: Bool, isBroken: Bool)
        /// `</name>`.
        case endTag(Range<Int>)
        /// Text between tags, or a piece of it; references are not resolved.
        case text(Range<Int>)
        /// A piece of a CDATA section, which has no references.
        case characterData(Range<Int>)
        /// A document type with declarations, such as entities.
        case documentTypeDeclarations
        /// A `<` that begins no markup.
        case stray
        /// More bytes are needed, or the text has ended.
        case incomplete
    }

    private enum State: Equatable {
        case content, tag, comment, characterData, instruction
        case overlongValue(quote: UInt8)
        /// In a document type; within quotes, with the quotation mark.
        case documentType(quote: UInt8)
    }

    /// Where the next token begins.
    private(set) var offset = 0
    private var state = State.content
    private var isTagBroken = false

    /// Whether a tag, comment or the like is open, so that a text ending here is truncated.
    var isInsideMarkup: Bool { state != .content }

    /// Notes that the caller has dropped the bytes before ``offset``.
    mutating func rebase() {
        offset = 0
    }

    /// Goes back to a start tag whose attributes are not all there: with more bytes it comes again.
    mutating func returnToStartTag(_ name: Range<Int>) {
        offset = name.lowerBound - 1
        state = .content
    }

    /// The next token.
    @inline(__always)
    mutating func next(in bytes: Span<UInt8>) -> Token {
        switch state {
        case .content: content(in: bytes)
        case .tag: tag(in: bytes)
        default: rareState(in: bytes)
        }
    }

    @inline(never)
    private mutating func rareState(in bytes: Span<UInt8>) -> Token {
        switch state {
        case .content, .tag: return next(in: bytes)
        case .overlongValue(let quote): return overlongValue(quote, in: bytes)
        case .documentType(let quote): return documentType(quote, in: bytes)
        case .characterData: return characterData(in: bytes)
        case .comment: return pass(UInt8(ascii: "-"), count: 2, in: bytes)
        case .instruction: return pass(UInt8(ascii: "?"), count: 1, in: bytes)
        }
    }

    // MARK: - Between tags

    @inline(__always)
    private mutating func content(in bytes: Span<UInt8>) -> Token {
        let start = offset
        offset = bytes.firstIndex(of: UInt8(ascii: "<"), from: start) ?? bytes.count
        if offset > start { return .text(start..<offset) }
        guard offset + 1 < bytes.count else { return .incomplete }
        let byte = bytes[unchecked: offset + 1]
        if byte.isXMLNameStart {
            let end = bytes.endOfXMLName(from: offset + 1)
            // Without the next byte, the name may be incomplete.
            guard end < bytes.count || end - offset - 1 > XMLTokenizer.longestName else { return .incomplete }
            guard end - offset - 1 <= XMLTokenizer.longestName else { return stray() }
            defer { offset = end }
            state = .tag
            isTagBroken = false
            return .startTag(offset + 1..<end)
        }
        return byte == UInt8(ascii: "/") ? endTag(in: bytes) : declaration(byte, in: bytes)
    }

    @inline(__always)
    private mutating func endTag(in bytes: Span<UInt8>) -> Token {
        let start = offset + 2
        let end = bytes.endOfXMLName(from: start)
        var close = end
        let limit = start + XMLTokenizer.longestName
        while close < bytes.count, close < limit, bytes[unchecked: close].isXMLSpace { close += 1 }
        guard close < limit else { return stray() }
        guard close < bytes.count else { return .incomplete }
        guard end > start, bytes[unchecked: close] == UInt8(ascii: ">") else { return stray() }
        offset = close + 1
        return .endTag(start..<end)
    }

    /// Skips a `<` that begins nothing; what follows is text.
    private mutating func stray() -> Token {
        offset += 1
        return .stray
    }

    /// `<!` or `<?`.
    @inline(never)
    private mutating func declaration(_ byte: UInt8, in bytes: Span<UInt8>) -> Token {
        if byte == UInt8(ascii: "?") { return instruction(in: bytes) }
        guard byte == UInt8(ascii: "!") else { return stray() }
        for (word, next) in XMLTokenizer.declarations {
            switch bytes.hasLiteral(word, at: offset) {
            case true:
                offset += word.utf8CodeUnitCount
                state = next
                return rareState(in: bytes)
            case nil: return .incomplete
            case false: continue
            }
        }
        return stray()
    }

    private static let declarations: [(StaticString, State)] = [
        ("<!--", .comment), ("<![CDATA[", .characterData), ("<!DOCTYPE", .documentType(quote: 0)),
        ("<!doctype", .documentType(quote: 0)),
    ]

    private mutating func instruction(in bytes: Span<UInt8>) -> Token {
        let isDeclaration = bytes.hasLiteral("<?xml", at: offset)
        guard isDeclaration != nil, offset + 5 < bytes.count else { return .incomplete }
        guard isDeclaration == true, bytes[offset + 5].isXMLSpace else {
            offset += 2
            state = .instruction
            return rareState(in: bytes)
        }
        let start = offset + 5
        let limit = start + XMLTokenizer.longestDeclaration
        var end = start
        while end < min(limit, bytes.count) {
            if bytes[end] == UInt8(ascii: ">"), bytes[end - 1] == UInt8(ascii: "?") {
                offset = end + 1
                return .declaration(start..<end - 1)
            }
            end += 1
        }
        guard end == limit else { return .incomplete }
        offset = start
        state = .instruction
        return rareState(in: bytes)
    }

    /// Skips everything up to a `>` after that many of a byte.
    private mutating func pass(_ byte: UInt8, count: Int, in bytes: Span<UInt8>) -> Token {
        var place = offset + count
        while let end = bytes.firstIndex(of: UInt8(ascii: ">"), from: place) {
            if bytes[end - 1] == byte, count == 1 || bytes[end - 2] == byte {
                offset = end + 1
                state = .content
                return next(in: bytes)
            }
            place = end + 1
        }
        offset = max(offset, bytes.count - count)
        return .incomplete
    }

    private mutating func characterData(in bytes: Span<UInt8>) -> Token {
        let start = offset
        var place = start + 2
        while let end = bytes.firstIndex(of: UInt8(ascii: ">"), from: place) {
            if bytes[end - 1] == UInt8(ascii: "]"), bytes[end - 2] == UInt8(ascii: "]") {
                offset = end + 1
                state = .content
                return .characterData(start..<end - 2)
            }
            place = end + 1
        }
        guard bytes.count - 2 > start else { return .incomplete }
        offset = bytes.count - 2
        return .characterData(start..<offset)
    }

    private mutating func documentType(_ openQuote: UInt8, in bytes: Span<UInt8>) -> Token {
        var quote = openQuote
        while offset < bytes.count {
            let byte = bytes[offset]
            offset += 1
            if quote != 0 {
                if byte == quote { quote = 0 }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
            case UInt8(ascii: "["):
                state = .documentType(quote: 0)
                return .documentTypeDeclarations
            case UInt8(ascii: ">"):
                state = .content
                return next(in: bytes)
            default: break
            }
        }
        state = .documentType(quote: quote)
        return .incomplete
    }
}

/// An attribute of a start tag; the ranges are of the bytes that hold the tag.
struct XMLAttribute {
    var name: Range<Int>
    /// What is between the quotation marks; references are not resolved.
    var value: Range<Int>

    /// Whether the name begins as those that declare namespaces do.
    @inline(__always)
    func mayDeclare(in bytes: Span<UInt8>) -> Bool {
        name.count >= 5 && bytes[unchecked: name.lowerBound] == UInt8(ascii: "x")  // A range of the bytes.
    }
}

// MARK: - Within a start tag

extension XMLTokenizer {
    /// The next token after a start tag, before its end.
    mutating func nextInTag(in bytes: Span<UInt8>) -> Token { tag(in: bytes) }

    @inline(__always)
    private mutating func tag(in bytes: Span<UInt8>) -> Token {
        while offset < bytes.count, bytes[unchecked: offset].isXMLSpace { offset += 1 }
        guard offset < bytes.count else { return .incomplete }
        let byte = bytes[unchecked: offset]
        if byte.isXMLNameStart { return attribute(in: bytes) }
        if byte == UInt8(ascii: ">") {
            offset += 1
            state = .content
            return .startTagEnd(isEmpty: false, isBroken: isTagBroken)
        }
        if byte == UInt8(ascii: "/") {
            guard offset + 1 < bytes.count else { return .incomplete }
            if bytes[unchecked: offset + 1] == UInt8(ascii: ">") {
                offset += 2
                state = .content
                return .startTagEnd(isEmpty: true, isBroken: isTagBroken)
            }
        }
        return breakTag()
    }

    /// Ends the tag here as a broken one.
    private mutating func breakTag() -> Token {
        state = .content
        return .startTagEnd(isEmpty: false, isBroken: true)
    }

    @inline(__always)
    private mutating func attribute(in bytes: Span<UInt8>) -> Token {
        let start = offset
        let end = bytes.endOfXMLName(from: start)
        var place = end
        let limit = start + XMLTokenizer.longestName
        while place < bytes.count, place < limit, bytes[unchecked: place].isXMLSpace { place += 1 }
        guard place < limit else { return breakTag() }
        guard place < bytes.count else { return .incomplete }
        guard bytes[unchecked: place] == UInt8(ascii: "=") else { return passWord(to: end, in: bytes) }
        place += 1
        while place < bytes.count, place < limit, bytes[unchecked: place].isXMLSpace { place += 1 }
        guard place < limit else { return breakTag() }
        guard place < bytes.count else { return .incomplete }
        let quote = bytes[unchecked: place]
        guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return passWord(to: place, in: bytes) }

        let valueStart = place + 1
        let valueLimit = min(bytes.count, valueStart + XMLTokenizer.longestValue + 1)
        place = valueStart
        while place < valueLimit {
            let byte = bytes[unchecked: place]
            if byte == quote {
                offset = place + 1
                return .attribute(name: start..<end, value: valueStart..<place)
            }
            // Not allowed in a value; most likely the rest of this tag is lost and another one begins here.
            if byte == UInt8(ascii: "<") {
                offset = place
                return breakTag()
            }
            place += 1
        }
        guard place - valueStart > XMLTokenizer.longestValue else { return .incomplete }
        offset = place
        state = .overlongValue(quote: quote)
        return .overlongAttribute(name: start..<end)
    }

    /// Skips an attribute without a value, or without quotes, up to what ends it.
    @inline(never)
    private mutating func passWord(to start: Int, in bytes: Span<UInt8>) -> Token {
        var place = start
        while place < bytes.count, case let byte = bytes[place], !byte.isXMLSpace, byte != UInt8(ascii: ">"), byte != UInt8(ascii: "<") {
            if place - offset > XMLTokenizer.longestName { return breakTag() }
            place += 1
        }
        guard place < bytes.count else { return .incomplete }
        isTagBroken = true
        offset = place
        return tag(in: bytes)
    }

    private mutating func overlongValue(_ quote: UInt8, in bytes: Span<UInt8>) -> Token {
        while offset < bytes.count {
            let byte = bytes[offset]
            if byte == UInt8(ascii: "<") { return breakTag() }
            offset += 1
            if byte == quote {
                state = .tag
                return tag(in: bytes)
            }
        }
        return .incomplete
    }
}
