/// A foreign text made safe for one line of a terminal or a log.
///
/// Nothing in it ends the line, moves the cursor or changes the reading direction. Control and format characters (ESC, C1, bidirectional
/// overrides, zero-width) and line and paragraph separators are written as in JSON, `\u001b`: a line of JSON stays valid and keeps its meaning.
/// - Parameters:
///   - text: a text from outside.
///   - keepsLines: whether line ends and tabs stay, for text of several lines.
/// - Cost: one pass without a copy for plain ASCII.
package func printable(_ text: String, keepsLines: Bool = false) -> String {
    if text.utf8.allSatisfy({ 0x20..<0x7F ~= $0 || keepsLines && ($0 == 0x0A || $0 == 0x09) }) { return text }
    var line = ""
    for scalar in text.unicodeScalars {
        if keepsLines, scalar == "\n" || scalar == "\t" {
            line.unicodeScalars.append(scalar)
        } else {
            append(scalar, to: &line)
        }
    }
    return line
}

/// A foreign text as in ``printable(_:keepsLines:)``, cut when it is long.
///
/// - Parameters:
///   - text: a text from outside.
///   - limit: the most Unicode scalars shown.
package func oneLine(_ text: String, limit: Int = 80) -> String {
    let scalars = text.unicodeScalars
    let end = scalars.index(scalars.startIndex, offsetBy: limit, limitedBy: scalars.endIndex) ?? scalars.endIndex
    let line = printable(String(scalars[..<end]))
    return end == scalars.endIndex ? line : line + "..."
}

private func append(_ scalar: Unicode.Scalar, to line: inout String) {
    switch scalar {
    case "\n": line += "\\n"
    case "\r": line += "\\r"
    case "\t": line += "\\t"
    case _ where [.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory):
        for unit in String(scalar).utf16 {
            let digits = String(unit, radix: 16)
            line += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
    default: line.unicodeScalars.append(scalar)
    }
}
