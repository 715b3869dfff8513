extension TextBuffer {
    /// Appends text as XML content or attribute value; characters that XML 1.0 cannot hold become U+FFFD.
    public mutating func append(xmlEscaped text: String) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": append("&amp;")
            case "<": append("&lt;")
            case ">": append("&gt;")
            case "\"": append("&quot;")
            // As references, because a plain line break in an attribute would be read as a space.
            case "\t": append("&#9;")
            case "\n": append("&#10;")
            case "\r": append("&#13;")
            case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": append("\u{FFFD}")
            default: append(contentsOf: scalar.utf8)
            }
        }
    }
}
