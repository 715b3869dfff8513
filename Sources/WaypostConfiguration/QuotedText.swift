/// Somebody's text in single quotes for a one-line message: control characters escaped, cut after 80 characters.
func quoted(_ text: String) -> String {
    "'\(oneLine(text))'"
}

/// Somebody's text without anything that could end the line or move a terminal's cursor, cut when it is long.
func oneLine(_ text: String, limit: Int = 80) -> String {
    var line = ""
    for scalar in text.unicodeScalars.prefix(limit) {
        switch scalar {
        case "\n": line += "\\n"
        case "\r": line += "\\r"
        case "\t": line += "\\t"
        // Control and format characters (bidirectional overrides, zero-width), line and paragraph separators.
        case _ where [.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory):
            line += "\\u{\(String(scalar.value, radix: 16))}"
        default: line.unicodeScalars.append(scalar)
        }
    }
    return text.unicodeScalars.dropFirst(limit).isEmpty ? line : line + "..."
}
