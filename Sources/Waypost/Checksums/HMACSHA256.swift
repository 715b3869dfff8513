/// The keyed digest HMAC-SHA-256, with which only those who know the key can sign a message.
///
/// - Source: RFC 2104, section 2.
package enum HMACSHA256 {
    /// The digest of a message, 32 bytes.
    package static func digest(of message: [UInt8], key: [UInt8]) -> [UInt8] {
        var key = key.count > blockByteCount ? hash(key) : key
        key += [UInt8](repeating: 0, count: blockByteCount - key.count)
        return hash(key.map { $0 ^ 0x5C } + hash(key.map { $0 ^ 0x36 } + message))
    }

    private static let blockByteCount = 64

    private static func hash(_ bytes: [UInt8]) -> [UInt8] {
        var hash = SHA256()
        hash.update(bytes.span.bytes)
        return hash.finish()
    }
}
