extension GPXAssembler {
    // MARK: - Text

    @inline(__always)
    mutating func text(_ range: Range<Int>, in bytes: Span<UInt8>) {
        if copying != nil { copy.text(bytes.extracting(range)) }
        if stack.top.isText, skipped == 0 {
            if textRange == nil, text.raw.isEmpty, range.count <= GPXReader.longestText {
                textRange = range
            } else {
                keepText(of: bytes)
                text.append(bytes.extracting(range))
            }
        } else if stack.top == .document {
            textOutside(range, in: bytes)
        }
        if pieceHasNUL { lookForNUL(range, in: bytes) }
    }

    /// Copies the text so far out of these bytes, before they are discarded or more text comes.
    @inline(__always)
    mutating func keepText(of bytes: Span<UInt8>) {
        guard let range = textRange else { return }
        textRange = nil
        text.append(bytes.extracting(range))
    }

    mutating func characterData(_ range: Range<Int>, in bytes: Span<UInt8>) {
        keepText(of: bytes)
        if copying != nil { copy.characterData(bytes.extracting(range)) }
        if stack.top.isText, skipped == 0 { text.append(characterData: bytes.extracting(range)) }
        if pieceHasNUL { lookForNUL(range, in: bytes) }
    }

    /// Handles a `<` that begins nothing: it stands for itself.
    mutating func stray(at offset: Int, in bytes: Span<UInt8>) {
        if failure != nil { return }
        add(.brokenMarkup, at: offset, in: bytes)
        keepText(of: bytes)
        if copying != nil { copy.characterData([UInt8(ascii: "<")].span) }
        if stack.top.isText, skipped == 0 { text.append(characterData: [UInt8(ascii: "<")].span) }
    }

    private mutating func textOutside(_ range: Range<Int>, in bytes: Span<UInt8>) {
        guard failure == nil, !hasCountedOutside else { return }
        for index in range where bytes[index] > 0x20 {
            hasCountedOutside = true
            add(.textOutside, at: index, in: bytes)
            return
        }
    }

    private mutating func lookForNUL(_ range: Range<Int>, in bytes: Span<UInt8>) {
        guard failure == nil, let offset = bytes.extracting(range).firstIndex(of: 0, from: 0) else { return }
        breakPoint(at: range.lowerBound + offset, in: bytes)
        if !hasCountedNUL { add(.nulBytes, at: range.lowerBound + offset, in: bytes) }
        hasCountedNUL = true
    }

    // MARK: - Declarations

    /// Processes an XML declaration: `version="1.0" encoding="windows-1252"`.
    ///
    /// A declaration within a document starts another document, one that was appended to the first after a power cut.
    mutating func declaration(_ range: Range<Int>, in bytes: Span<UInt8>, _ visit: (GPXItem) -> Void) {
        if failure != nil { return }
        if stack.top != .document {
            add(.brokenMarkup, at: range.lowerBound, in: bytes)
            reset(at: range.lowerBound, in: bytes, visit)
        }
        guard !isUTF16, let name = XMLText.Encoding.name(in: bytes.extracting(range)) else { return }
        if let declared = XMLText.Encoding(name: name) {
            encoding = declared
            copy.encoding = declared
        } else {
            add(.unknownEncoding, at: range.lowerBound, in: bytes)
        }
    }

    mutating func refuseDeclarations(at offset: Int, in bytes: Span<UInt8>) {
        if failure == nil { failure = .documentTypeDeclarations(line: lines.line(at: offset, in: bytes)) }
    }
}
