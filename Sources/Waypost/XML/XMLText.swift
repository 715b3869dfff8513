/// The raw text of one element or attribute, to be converted to a `String`.
///
/// References are those that XML has without a document type: `&amp; &lt; &gt; &quot; &apos;` and characters by number. Others, and a `&`
/// that begins none, stay as they are. Characters that XML does not allow become U+FFFD, line ends LF.
struct XMLText {
    /// How a file's encoding maps bytes beyond ASCII.
    enum Encoding {
        case utf8
        /// Also for ISO 8859-1, whose controls beyond ASCII are never intended (as in the WHATWG's encoding standard).
        case windows1252
    }

    /// What was wrong with a text.
    struct Faults {
        var isWronglyEncoded = false
        var unknownReferences = 0
    }

    /// The raw bytes, up to the limit.
    private(set) var raw: [UInt8] = []
    /// Whether there were more bytes than the limit.
    private(set) var isOverlong = false
    private let limit: Int

    /// Creates an empty text that keeps up to `limit` bytes.
    init(limit: Int) {
        self.limit = limit
    }

    /// Discards the text.
    @inline(__always)
    mutating func removeAll() {
        raw.removeAll(keepingCapacity: true)
        isOverlong = false
    }

    /// Appends a piece of text.
    @inline(__always)
    mutating func append(_ bytes: Span<UInt8>) {
        guard raw.count + bytes.count <= limit else {
            appendSome(bytes)
            return
        }
        bytes.withUnsafeBufferPointer { raw.append(contentsOf: $0) }
    }

    private mutating func appendSome(_ bytes: Span<UInt8>) {
        isOverlong = true
        let room = limit - raw.count
        bytes.extracting(0..<room).withUnsafeBufferPointer { raw.append(contentsOf: $0) }
    }

    /// Appends a piece without references.
    mutating func append(characterData bytes: Span<UInt8>) {
        for index in bytes.indices {
            if bytes[index] == UInt8(ascii: "&") { append([UInt8]("&amp;".utf8).span) } else { append(bytes.extracting(index..<index + 1)) }
        }
    }

    /// The text without white space at its ends; nil when nothing is left.
    func string(_ encoding: Encoding, faults: inout Faults) -> String? {
        XMLText.string(raw.span, encoding, isCut: isOverlong, faults: &faults)
    }

    /// The text, by default without white space at its ends; nil when nothing is left.
    static func string(
        _ bytes: Span<UInt8>, _ encoding: Encoding, isCut: Bool = false, trims: Bool = true, faults: inout Faults
    ) -> String? {
        var bytes = trims ? bytes.extracting(bytes.trimmingXMLSpace) : bytes
        if isCut { bytes = bytes.extracting(0..<bytes.endOfWholeCharacters) }
        if bytes.isEmpty { return nil }
        if bytes.isPlainASCII { return bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) } }
        let characters: String
        if encoding == .utf8, let valid = bytes.withUnsafeBufferPointer({ String(validating: $0, as: UTF8.self) }) {
            characters = valid
        } else {
            if encoding == .utf8 { faults.isWronglyEncoded = true }
            var decoded = ""
            for index in bytes.indices { decoded.unicodeScalars.append(windows1252(bytes[index])) }
            characters = decoded
        }
        let text = resolve(Array(characters.unicodeScalars), faults: &faults)
        if !trims { return text }
        let trimmed = Array(text.utf8)
        let range = trimmed.span.trimmingXMLSpace
        return range.isEmpty ? nil : String(decoding: trimmed[range], as: UTF8.self)
    }

    /// The bytes with their references resolved, for numbers and times; nil when there are none.
    static func resolved(_ bytes: Span<UInt8>) -> [UInt8]? {
        guard bytes.firstIndex(of: UInt8(ascii: "&"), from: 0) != nil else { return nil }
        var faults = Faults()
        return string(bytes, .utf8, faults: &faults).map { Array($0.utf8) }
    }

    // MARK: - Characters

    private static func resolve(_ scalars: [Unicode.Scalar], faults: inout Faults) -> String {
        var text = ""
        var index = 0
        while index < scalars.count {
            let scalar = scalars[index]
            if scalar == "&" {
                if let (character, end) = reference(in: scalars, at: index) {
                    text.unicodeScalars.append(character)
                    index = end
                    continue
                }
                faults.unknownReferences += 1
            }
            if scalar == "\r" {
                // CR LF is one line end.
                if index + 1 == scalars.count || scalars[index + 1] != "\n" { text.unicodeScalars.append("\n") }
            } else {
                text.unicodeScalars.append(legal(scalar))
            }
            index += 1
        }
        return text
    }

    /// The longest reference: `&#x` or `&#`, digits, possibly with many leading zeros, and the `;`.
    private static let longestReference = 16

    /// The character of a reference and where it ends.
    private static func reference(in scalars: [Unicode.Scalar], at start: Int) -> (Unicode.Scalar, Int)? {
        let limit = min(scalars.count, start + longestReference)
        guard let end = scalars[start..<limit].firstIndex(of: ";") else { return nil }
        let name = scalars[start + 1..<end]
        guard name.first == "#" else {
            let character: Unicode.Scalar
            switch String(String.UnicodeScalarView(name)) {
            case "amp": character = "&"
            case "lt": character = "<"
            case "gt": character = ">"
            case "quot": character = "\""
            case "apos": character = "'"
            default: return nil
            }
            return (character, end + 1)
        }
        let isHexadecimal = name.dropFirst().first == "x"
        let digits = String(String.UnicodeScalarView(name.dropFirst(isHexadecimal ? 2 : 1)))
        guard digits.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
            let value = UInt32(digits, radix: isHexadecimal ? 16 : 10)
        else { return nil }
        return (Unicode.Scalar(value).map(legal) ?? "\u{FFFD}", end + 1)
    }

    /// The character, or U+FFFD for one that XML 1.0 does not allow.
    private static func legal(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar {
        case "\t", "\n", "\r": scalar
        case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": "\u{FFFD}"
        default: scalar
        }
    }

    private static func windows1252(_ byte: UInt8) -> Unicode.Scalar {
        guard (0x80...0x9F).contains(byte) else { return Unicode.Scalar(byte) }
        return Unicode.Scalar(upperHalfControls[Int(byte - 0x80)]) ?? "\u{FFFD}"
    }

    /// Bytes 80 to 9F of windows-1252; the five that it leaves undefined are controls, as in Unicode.
    ///
    /// - Source: https://encoding.spec.whatwg.org/index-windows-1252.txt
    private static let upperHalfControls: [UInt32] = [
        0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D, 0x017D, 0x8F,
        0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D, 0x017E, 0x0178,
    ]
}

extension Span<UInt8> {
    /// Whether there are only printable ASCII characters without references.
    fileprivate var isPlainASCII: Bool {
        for index in indices where self[index] < 0x20 || self[index] > 0x7E || self[index] == UInt8(ascii: "&") { return false }
        return true
    }

    /// Where the last complete character of a truncated UTF-8 text ends; a truncated reference is dropped, too.
    fileprivate var endOfWholeCharacters: Int {
        var end = count
        // Back over continuation bytes to the lead byte, which gives their number.
        var lead = count - 1
        while lead > 0, count - lead < 4, self[lead] & 0xC0 == 0x80 { lead -= 1 }
        if lead >= 0, self[lead] >= 0xC0 {
            let length = self[lead] >= 0xF0 ? 4 : self[lead] >= 0xE0 ? 3 : 2
            if count - lead < length { end = lead }
        }
        for index in Swift.max(0, end - 16)..<end where self[index] == UInt8(ascii: "&") {
            if extracting(index..<end).firstIndex(of: UInt8(ascii: ";"), from: 0) == nil { return index }
        }
        return end
    }
}

// MARK: - Declarations

extension XMLText.Encoding {
    /// The encoding with that name, in lower case; nil for one that is not supported.
    init?(name: String) {
        switch name {
        case "utf-8", "utf8", "us-ascii", "ascii", "utf-16", "utf-16le", "utf-16be", "ucs-2", "unicode": self = .utf8
        case "iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "latin-1", "l1", "windows-1252", "cp1252", "cp-1252", "x-cp1252":
            self = .windows1252
        default: return nil
        }
    }

    /// The text in quotes after `encoding` in an XML declaration, in lower case.
    static func name(in declaration: Span<UInt8>) -> String? {
        let text = declaration.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }.lowercased()
        // Not firstRange(of:), which brings the regular expression engine into every program: 2 MB.
        var rest = text[...]
        while !rest.hasPrefix("encoding") { if rest.popFirst() == nil { return nil } }
        let value = rest.dropFirst("encoding".count).drop { $0 == "=" || $0 == " " || $0 == "\t" }
        guard let quote = value.first, quote == "\"" || quote == "'" else { return nil }
        return String(value.dropFirst().prefix { $0 != quote })
    }
}
