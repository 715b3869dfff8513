/// Reads GPX 1.0 and 1.1 from bytes that come in pieces of any size; lenient, bounded in memory and depth, without entities.
///
/// ```swift
/// var reader = GPXReader()
/// while let bytes = next() {
///     try reader.read(bytes.span) { item in
///         if case .trackPoint(let point, let segment) = item { use(point.position, segment) }
///     }
/// }
/// let summary = try reader.finish()      // how much there was, and what was damaged
/// ```
///
/// Damage costs as little as possible: a point with an impossible place is left out and counted, any other bad value is left out of its
/// point, and a truncated file keeps what was complete before the cut. The page <doc:GPX> lists every leniency.
///
/// - Errors: a file that is not GPX at all is a ``GPXError``; after one, the reader returns nothing more.
/// - Cost: one pass; memory for the current piece and at most a few texts of ``longestText`` bytes. No allocation per point, except for
///   names and descriptions of more than 15 bytes.
public struct GPXReader: Sendable {
    /// The most bytes kept of a name or a description.
    public static let longestText = 16_384

    /// The longest start tag, in bytes, whose declarations are known before its name is looked at; no sensible one comes near.
    private static let longestTag = 16_384

    private var input = XMLInput()
    private var tokenizer = XMLTokenizer()
    private var assembler: GPXAssembler
    /// The bytes that the tokenizer has not used yet.
    private var pending: [UInt8] = []
    /// The attributes of the start tag being read.
    private var attributes: [XMLAttribute] = []
    /// Whether nothing comes after the current bytes.
    private var isAtEnd = false

    /// Creates a reader at the start of a file.
    ///
    /// - Parameter keepsOtherElements: whether to keep what does not fit into a ``Position``, so that a ``GPXWriter`` can write it again.
    public init(keepsOtherElements: Bool = false) {
        assembler = GPXAssembler(keepsOtherElements: keepsOtherElements)
    }

    /// What has been found so far.
    public var summary: GPXSummary { assembler.summary }

    /// Processes the next bytes, cut anywhere, and visits the items that they complete, in the order of the file.
    public mutating func read(_ bytes: Span<UInt8>, _ visit: (GPXItem) -> Void) throws(GPXError) {
        if let failure = assembler.failure { throw failure }
        // Moved out of self while it decodes into self.
        var input = XMLInput()
        swap(&input, &self.input)
        input.decode(bytes) { consume($0, isUTF16: $1, visit) }
        swap(&input, &self.input)
        if let failure = assembler.failure { throw failure }
    }

    /// Ends the file; anything incomplete is lost.
    ///
    /// - Returns: what was found in the whole file, and what was damaged.
    public mutating func finish() throws(GPXError) -> GPXSummary {
        var input = XMLInput()
        swap(&input, &self.input)
        // The rest of a file can only be part of a text or of a tag, which completes nothing.
        isAtEnd = true
        input.finish { consume($0, isUTF16: $1) { _ in } }
        consume(Span(), isUTF16: assembler.isUTF16) { _ in }
        assembler.finish(hasRest: !pending.isEmpty || tokenizer.isInsideMarkup)
        if let failure = assembler.failure { throw failure }
        return assembler.summary
    }

    private mutating func consume(_ bytes: Span<UInt8>, isUTF16: Bool, _ visit: (GPXItem) -> Void) {
        assembler.isUTF16 = isUTF16
        if pending.isEmpty {
            let used = tokens(in: bytes, visit)
            bytes.extracting(used..<bytes.count).withUnsafeBufferPointer { pending.append(contentsOf: $0) }
        } else {
            bytes.withUnsafeBufferPointer { pending.append(contentsOf: $0) }
            var text: [UInt8] = []
            swap(&text, &pending)
            let used = tokens(in: text.span, visit)
            text.removeFirst(used)
            swap(&text, &pending)
        }
    }

    /// Processes every complete token; returns how many bytes they take up.
    private mutating func tokens(in bytes: Span<UInt8>, _ visit: (GPXItem) -> Void) -> Int {
        assembler.beginPiece(bytes)
        loop: while true {
            let token = tokenizer.next(in: bytes)
            switch token {
            case .startTag(let name):
                var following: XMLTokenizer.Token?
                if bytes[unchecked: name.upperBound] == UInt8(ascii: ">") {  // The tokenizer has seen the byte that ends a name.
                    assembler.leaveScopes()
                } else {
                    following = attributes(of: name, in: bytes)
                    if following == nil { break loop }
                }
                assembler.startTag(name, in: bytes, visit)
                guard let following else { continue loop }
                for index in attributes.indices { assembler.attribute(attributes[index], in: bytes) }
                if case .startTagEnd(let isEmpty, let isBroken) = following {
                    assembler.endStartTag(isEmpty: isEmpty, isBroken: isBroken, at: tokenizer.offset, in: bytes, visit)
                } else {
                    late(following, in: bytes)
                }
            case .attribute, .overlongAttribute: late(token, in: bytes)
            case .startTagEnd(let isEmpty, let isBroken):
                assembler.endStartTag(isEmpty: isEmpty, isBroken: isBroken, at: tokenizer.offset, in: bytes, visit)
            case .endTag(let name): assembler.endTag(name, in: bytes, visit)
            case .text(let range): assembler.text(range, in: bytes)
            case .characterData(let range): assembler.characterData(range, in: bytes)
            case .declaration(let range): assembler.declaration(range, in: bytes, visit)
            case .documentTypeDeclarations:
                assembler.refuseDeclarations(at: tokenizer.offset, in: bytes)
                // Nothing after it counts, however the input is cut.
                break loop
            case .stray: assembler.stray(at: tokenizer.offset, in: bytes)
            case .incomplete: break loop
            }
        }
        let used = tokenizer.offset
        assembler.endPiece(bytes, used: used)
        tokenizer.rebase()
        return used
    }

    /// Reads the attributes of a start tag, because what they declare counts for its own name; the token behind them, or nil when they are not
    /// all there.
    ///
    /// Attributes beyond the length of a sensible tag come later, one by one.
    private mutating func attributes(of name: Range<Int>, in bytes: Span<UInt8>) -> XMLTokenizer.Token? {
        attributes.removeAll(keepingCapacity: true)
        var declares = false
        while true {
            let token = tokenizer.nextInTag(in: bytes)
            switch token {
            case .attribute(let attribute, let value) where value.upperBound - name.lowerBound < GPXReader.longestTag:
                let attribute = XMLAttribute(name: attribute, value: value)
                attributes.append(attribute)
                declares = declares || attribute.mayDeclare(in: bytes)
            case .incomplete where !isAtEnd && bytes.count - name.lowerBound <= GPXReader.longestTag:
                tokenizer.returnToStartTag(name)
                return nil
            default:
                if declares { assembler.declare(attributes, in: bytes) } else { assembler.leaveScopes() }
                return token
            }
        }
    }

    /// Processes an attribute that comes after its start tag.
    @inline(never)
    private mutating func late(_ token: XMLTokenizer.Token, in bytes: Span<UInt8>) {
        switch token {
        case .attribute(let name, let value): assembler.lateAttribute(XMLAttribute(name: name, value: value), in: bytes)
        case .overlongAttribute(let name): assembler.overlongAttribute(name, in: bytes)
        default: break
        }
    }
}
