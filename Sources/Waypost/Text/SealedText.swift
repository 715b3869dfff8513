/// Lines of text followed by their checksum, which reveals a truncated file or a changed byte.
///
/// ```
/// laptop 4711
/// phone 12
/// 0b1c2d3e        CRC-32C of everything before it, eight hexadecimal digits
/// ```
/// - Cost: one pass over the text.
package enum SealedText {
    /// The text with its checksum; each of its lines ends with a line feed.
    package static func seal(_ text: [UInt8]) -> [UInt8] { text + Array("\(checksum(text[...]))\n".utf8) }

    /// The text without its checksum; nil when it differs from what was sealed.
    package static func text(of bytes: [UInt8]) -> ArraySlice<UInt8>? {
        guard bytes.count >= 9, bytes.last == UInt8(ascii: "\n") else { return nil }
        let text = bytes.dropLast(9)
        return bytes.suffix(9).dropLast().elementsEqual(checksum(text).utf8) ? text : nil
    }

    private static func checksum(_ text: ArraySlice<UInt8>) -> String {
        let digits = String(CRC32C.checksum(text.span.bytes), radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
