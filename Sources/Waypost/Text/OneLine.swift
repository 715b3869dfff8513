/// Somebody's text without anything that could end the line or move a terminal's cursor, cut when it is long.
///
/// - Parameter limit: how many Unicode scalars of it are shown.
public func oneLine(_ text: String, limit: Int = 80) -> String {
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
