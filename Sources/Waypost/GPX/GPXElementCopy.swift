/// Copies elements out of an XML document, token by token, for use in a GPX file: well-formed, in UTF-8, with the namespaces that they use.
///
/// Comments, processing instructions and white space between tags are not copied. Anything that cannot be copied (a name that XML forbids, an
/// overlong attribute, more than ``GPXOtherElements/most`` bytes or 256 nested elements) makes the copy fail; from then on only the depth is
/// counted.
struct GPXElementCopy {
    /// The most attributes of one element that are copied; no sensible element has more.
    private static let mostAttributes = 100
    /// The deepest nesting that is copied.
    private static let mostDepth = 256

    private struct Open {
        var name: String
        /// Whether elements of GPX in it are GPX's own, which are written without a prefix; those in `extensions` are not.
        var holdsOwn: Bool
        /// The prefixes that the element declares in the copy; empty for the default namespace.
        var declared: [String] = []
    }

    /// The encoding of the document.
    var encoding = XMLText.Encoding.utf8

    private(set) var faults = XMLText.Faults()
    private var output = TextBuffer(capacity: 0)
    private var open: [Open] = []
    /// How many elements of a failed copy are open.
    private var lostDepth = 0
    private var isInTag = false
    private var attributes: [String] = []
    private var usedPrefixes: [String] = []
    private var text = XMLText(limit: GPXOtherElements.most)
    private var isBehindStartTag = false
    private var hasFailed = false
    /// Whether outermost elements of GPX are its own.
    private var beginsOwn = false
    private var isOwnTag = false
    private var isTextOnly = false

    /// How many elements are open.
    var depth: Int { open.count + lostDepth }

    /// Begins a copy.
    ///
    /// - Parameters:
    ///   - isOwn: whether the elements are GPX's own.
    ///   - isTextOnly: whether only text may be copied, for what becomes an attribute.
    mutating func begin(isOwn: Bool, isTextOnly: Bool = false) {
        output.removeAll()
        open.removeAll(keepingCapacity: true)
        lostDepth = 0
        text.removeAll()
        isInTag = false
        isBehindStartTag = false
        hasFailed = false
        faults = XMLText.Faults()
        beginsOwn = isOwn
        self.isTextOnly = isTextOnly
    }

    /// The copy; nil when it is empty or failed.
    mutating func finish() -> (xml: String?, hasFailed: Bool) {
        flushText(isLeaf: open.isEmpty && output.count == 0)
        return (hasFailed || output.count == 0 ? nil : output.string, hasFailed)
    }

    /// Abandons the copy.
    mutating func fail() {
        hasFailed = true
        lostDepth += open.count
        open.removeAll(keepingCapacity: true)
        output.removeAll()
    }

    // MARK: - Tokens

    mutating func startTag(_ name: Span<UInt8>, in namespaces: GPXNamespaces) {
        if !hasFailed { flushText(isLeaf: false) }
        if open.count == GPXElementCopy.mostDepth { fail() }
        if hasFailed {
            lostDepth += 1
            return
        }
        attributes.removeAll(keepingCapacity: true)
        usedPrefixes.removeAll(keepingCapacity: true)
        guard !isTextOnly, let (prefix, local) = GPXElementCopy.split(name), prefix != "xmlns" else {
            fail()
            lostDepth += 1
            return
        }
        isOwnTag = (open.last?.holdsOwn ?? beginsOwn) && namespaces.isGPX(name.extracting(0..<prefix.utf8.count))
        if !isOwnTag { usedPrefixes.append(prefix) }
        let written = isOwnTag || prefix.isEmpty ? local : prefix + ":" + local
        open.append(Open(name: written, holdsOwn: isOwnTag && local != "extensions"))
        output.append(byte: UInt8(ascii: "<"))
        output.append(string: written)
        isInTag = true
    }

    mutating func attribute(_ name: Span<UInt8>, _ value: Span<UInt8>) {
        guard isInTag, !hasFailed else { return }
        guard let (prefix, local) = GPXElementCopy.split(name), attributes.count < GPXElementCopy.mostAttributes else { return fail() }
        let written = prefix.isEmpty ? local : prefix + ":" + local
        let isDefault = written == "xmlns"
        let string = XMLText.string(value, encoding, trims: false, faults: &faults) ?? ""
        // XML allows no attribute twice, and nobody knows which of the two was meant.
        if attributes.contains(where: written.isSameName) { return fail() }
        // It allows no prefix without a namespace; GPX's own elements use the namespace that the writer declares.
        if prefix == "xmlns" && string.isEmpty || isDefault && isOwnTag { return }
        attributes.append(written)
        if isDefault || prefix == "xmlns" {
            if GPXNamespaces.isReserved(string) { return fail() }
            guard isDefault || local != "xml" && local != "xmlns" else { return }
            open[open.count - 1].declared.append(isDefault ? "" : local)
        } else if !prefix.isEmpty {
            usedPrefixes.append(prefix)
        }
        write(attribute: written, string)
    }

    mutating func endStartTag(isEmpty: Bool, in namespaces: GPXNamespaces) {
        if isInTag, !hasFailed { bindPrefixes(in: namespaces) }
        if isInTag, !hasFailed, hasAttributeTwice(in: namespaces) { fail() }
        if isInTag, !hasFailed {
            output.append(isEmpty ? "/>" : ">")
            if output.count > GPXOtherElements.most { fail() }
        }
        isInTag = false
        isBehindStartTag = !isEmpty
        if isEmpty { close() }
    }

    /// Whether two attributes of the tag have one name under two prefixes of the same namespace, which XML allows no more than one name twice.
    private func hasAttributeTwice(in namespaces: GPXNamespaces) -> Bool {
        let names = attributes.map { $0.split(separator: ":") }.filter { $0.count == 2 && $0[0] != "xmlns" }
        return names.indices.contains { index in
            names[..<index].contains {
                $0[1].utf8.elementsEqual(names[index][1].utf8) && namespaces.areSame(String($0[0]), String(names[index][0]))
            }
        }
    }

    /// Declares the prefixes that the tag uses and nothing around it in the copy declares.
    private mutating func bindPrefixes(in namespaces: GPXNamespaces) {
        for prefix in usedPrefixes where !open.contains(where: { $0.declared.contains(where: prefix.isSameName) }) {
            switch namespaces.binding(of: prefix) {
            case .given: continue
            case .local(let uri): write(attribute: prefix.isEmpty ? "xmlns" : "xmlns:\(prefix)", uri)
            case .unknown: return fail()
            }
            open[open.count - 1].declared.append(prefix)
        }
    }

    mutating func endTag() {
        flushText(isLeaf: isBehindStartTag)
        guard let element = close() else { return }
        output.append("</")
        output.append(string: element.name)
        output.append(byte: UInt8(ascii: ">"))
    }

    /// Closes the innermost element; nil when nothing of it is copied.
    @discardableResult
    private mutating func close() -> Open? {
        if lostDepth > 0 {
            lostDepth -= 1
            return nil
        }
        return open.popLast()
    }

    mutating func text(_ bytes: Span<UInt8>) {
        if !hasFailed { text.append(bytes) }
    }

    mutating func characterData(_ bytes: Span<UInt8>) {
        if !hasFailed { text.append(characterData: bytes) }
    }

    // MARK: - Writing

    private mutating func write(attribute name: String, _ value: String) {
        output.append(byte: UInt8(ascii: " "))
        output.append(string: name)
        output.append("=\"")
        let start = output.count
        output.append(xmlEscaped: value)
        // Escaped, it may be longer than what can be read again.
        if output.count - start > XMLTokenizer.longestValue { return fail() }
        output.append(byte: UInt8(ascii: "\""))
    }

    private mutating func flushText(isLeaf: Bool) {
        defer {
            text.removeAll()
            isBehindStartTag = false
        }
        if text.isOverlong { fail() }
        let raw = text.raw
        guard !raw.isEmpty, !hasFailed, isLeaf || !raw.span.trimmingXMLSpace.isEmpty else { return }
        if let string = XMLText.string(raw.span, encoding, trims: isTextOnly, faults: &faults) { output.append(xmlEscaped: string) }
        if output.count > GPXOtherElements.most { fail() }
    }

    // MARK: - Names

    /// The prefix and the rest of a name; nil when it is not a valid name in a document with namespaces.
    static func split(_ bytes: Span<UInt8>) -> (prefix: String, local: String)? {
        guard let name = bytes.withUnsafeBufferPointer({ String(validating: $0, as: UTF8.self) }) else { return nil }
        // A colon and a combining letter behind it are one character.
        let parts = name.unicodeScalars.split(separator: ":", omittingEmptySubsequences: false).map(Substring.init)
        guard parts.count <= 2, parts.allSatisfy(isName), let local = parts.last else { return nil }
        return (parts.count == 2 ? String(parts[0]) : "", String(local))
    }

    private static func isName(_ text: Substring) -> Bool {
        guard let first = text.unicodeScalars.first, isNameStart(first) else { return false }
        return text.unicodeScalars.allSatisfy { isNameStart($0) || isLaterInName($0) }
    }

    private static func isLaterInName(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "-", ".", "0"..."9", "\u{B7}", "\u{300}"..."\u{36F}", "\u{203F}"..."\u{2040}": true
        default: false
        }
    }

    /// - Source: XML 1.0 (Fifth Edition), production 4, without the colon.
    private static func isNameStart(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "_", "\u{C0}"..."\u{D6}", "\u{D8}"..."\u{F6}", "\u{F8}"..."\u{2FF}", "\u{370}"..."\u{37D}",
            "\u{37F}"..."\u{1FFF}", "\u{200C}"..."\u{200D}", "\u{2070}"..."\u{218F}", "\u{2C00}"..."\u{2FEF}", "\u{3001}"..."\u{D7FF}",
            "\u{F900}"..."\u{FDCF}", "\u{FDF0}"..."\u{FFFD}", "\u{10000}"..."\u{EFFFF}":
            true
        default: false
        }
    }
}
