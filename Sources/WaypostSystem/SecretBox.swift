import CSodium

/// Seals messages for holders of the same key: libsodium's `secretbox` (XSalsa20 and Poly1305); the library is opened at the first use.
///
/// - Concurrency: a value; any thread.
public struct SecretBox: Sendable {
    /// The length of a key, bytes.
    public static let keyByteCount = Int(CSODIUM_KEY_SIZE)
    /// The length of the nonce that begins each sealed message, bytes; a nonce is used once.
    public static let nonceByteCount = Int(CSODIUM_NONCE_SIZE)

    private let key: [UInt8]

    /// A box with that key; a key of another length is a programmer error.
    public init(key: [UInt8]) {
        precondition(key.count == SecretBox.keyByteCount, "a key has \(SecretBox.keyByteCount) bytes")
        self.key = key
    }

    /// The nonce, a code that authenticates the message (16 bytes), and the encrypted message; different each time.
    ///
    /// - Errors: libsodium is not there.
    public func seal(_ message: [UInt8]) throws(LibraryError) -> [UInt8] {
        try load()
        var nonce = [UInt8](repeating: 0, count: SecretBox.nonceByteCount)
        csodium_random(&nonce, nonce.count)
        return try seal(message, nonce: nonce)
    }

    /// The same with a given nonce; a nonce that is used twice exposes both messages.
    func seal(_ message: [UInt8], nonce: [UInt8]) throws(LibraryError) -> [UInt8] {
        precondition(nonce.count == SecretBox.nonceByteCount, "a nonce has \(SecretBox.nonceByteCount) bytes")
        try load()
        var sealed = [UInt8](repeating: 0, count: Int(CSODIUM_MAC_SIZE) + message.count)
        guard csodium_seal(&sealed, message, message.count, nonce, key) else { throw LibraryError(reason: "libsodium does not seal") }
        return nonce + sealed
    }

    private func load() throws(LibraryError) {
        if let problem = csodium_load() { throw LibraryError(reason: String(cString: problem)) }
    }
}
