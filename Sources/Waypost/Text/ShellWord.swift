/// A word for a shell's command line, in quotes when it needs them.
package func shellWord(_ text: String) -> String {
    let isPlain = text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "/._-:@,+=%".contains($0)) }
    if isPlain, !text.isEmpty { return text }
    return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
}

/// A text for the left side of a `sed` substitution between bars, in basic regular expressions.
package func sedPattern(_ text: String) -> String {
    text.map { #"\.*[]^$|"#.contains($0) ? "\\\($0)" : String($0) }.joined()
}
