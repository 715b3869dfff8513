/// A span of time for people, in two units at most: `0.5 s`, `12 s`, `2 min 5 s`, `34 min`, `3 h 20 min`, `2 days 4 h`.
///
/// - Range: negative spans are shown as zero.
package func spanText(_ span: Duration) -> String {
    let milliseconds = max(0, Int64(clamping: Int128(span.attoseconds / 1_000_000_000_000_000)))
    let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
    // Below ten seconds a tenth is worth showing.
    guard seconds < 10, rest != 0 else { return spanText(seconds: seconds) }
    var text = TextBuffer(capacity: 16)
    text.append(Double(milliseconds) / 1_000, decimals: milliseconds < 1_000 ? 2 : 1, trimsZeros: true)
    text.append(" s")
    return text.string
}

/// A span of whole seconds for people, like ``spanText(_:)``.
package func spanText(seconds: some BinaryInteger) -> String {
    let seconds = max(0, Int64(clamping: seconds))
    func joined(_ whole: String, _ rest: Int64, _ unit: String) -> String { rest == 0 ? whole : "\(whole) \(rest) \(unit)" }
    switch seconds {
    case ..<120: return "\(seconds) s"
    case ..<600: return joined("\(seconds / 60) min", seconds % 60, "s")
    case ..<7_200: return "\(seconds / 60) min"
    case ..<172_800: return joined("\(seconds / 3_600) h", seconds / 60 % 60, "min")
    default: return joined("\(seconds / 86_400) days", seconds / 3_600 % 24, "h")
    }
}

/// An amount of bytes for people: `1 byte`, `812 bytes`, `1.5 KiB`, `87 MiB`, `3.2 GiB`.
package func sizeText(bytes: some BinaryInteger) -> String {
    let bytes = Int64(clamping: bytes)
    guard bytes.magnitude >= 1_024 else { return counted(bytes, "byte") }
    var size = Double(bytes)
    var unit = "bytes"
    // A size that would be rounded to 1024 of one unit becomes 1 of the next.
    for larger in ["KiB", "MiB", "GiB", "TiB", "PiB"] where abs(size) >= 1_023.5 || unit == "bytes" {
        (size, unit) = (size / 1_024, larger)
    }
    var text = TextBuffer(capacity: 16)
    text.append(size, decimals: abs(size) < 9.95 ? 1 : 0, trimsZeros: true)
    return "\(text.string) \(unit)"
}
