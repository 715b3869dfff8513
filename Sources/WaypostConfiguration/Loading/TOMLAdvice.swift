import Waypost

/// What somebody who writes TOML for the first time probably meant.
enum TOMLAdvice {
    /// The advice for a line that is not TOML; nil when nobody can tell.
    static func words(forLine line: Int, of text: [UInt8]) -> String? {
        let lines = text.split(separator: UInt8(ascii: "\n"), maxSplits: line, omittingEmptySubsequences: false)
        guard line > 0, line <= lines.count, let equals = lines[line - 1].firstIndex(of: UInt8(ascii: "=")) else { return nil }
        let rest = lines[line - 1][(equals + 1)...].prefix { $0 != UInt8(ascii: "#") }
        let value = String(decoding: rest, as: UTF8.self).trimmedOfSpace
        guard let first = value.unicodeScalars.first else { return nil }
        if quotes.contains(first) { return #"these are typographic quotes; write straight ones: "like this""# }
        if first == "\"" || first == "'", !value.unicodeScalars.dropFirst().contains(first) { return "its closing quote is missing" }
        if let truth = truths[value.lowercased()] { return "write \(truth)" }
        let parts = value.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        if parts.count == 2, parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy { ("0"..."9").contains(Unicode.Scalar($0)) } }) {
            return "write a point, not a comma: \(value.split(separator: ",").joined(separator: "."))"
        }
        // A time or a number that is almost one.
        let isMeasure =
            ("0"..."9").contains(first) && value.unicodeScalars.last.map { ("a"..."z").contains($0) || ("A"..."Z").contains($0) } == true
        if isMeasure { return #"a number with a unit needs quotes: "\#(value)""# }
        let isWord = first.properties.isAlphabetic || first == "/" || first == "~" || first == "."
        return isWord ? #"text needs quotes: "like this""# : nil
    }

    /// The quotes of the languages, which keyboards of phones and word processors write.
    private static let quotes: Set<Unicode.Scalar> = ["“", "”", "„", "‟", "‘", "’", "‚", "‛", "«", "»", "‹", "›"]

    private static let truths = [
        "true": "true", "yes": "true", "on": "true", "false": "false", "no": "false", "off": "false",
    ]
}

extension String {
    /// Without spaces, tabs and carriage returns at both ends.
    fileprivate var trimmedOfSpace: String {
        let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r") }
        let front = utf8.drop(while: isSpace)
        guard let end = front.lastIndex(where: { !isSpace($0) }) else { return "" }
        return String(front[...end]) ?? ""
    }
}
