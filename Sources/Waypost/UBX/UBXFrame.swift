/// A message of UBX, u-blox's binary protocol.
///
/// ```
/// B5 62 | class | id | length (2, little endian) | payload | A | B      A, B: UBXChecksum from class to payload
/// ```
package struct UBXFrame: Sendable, Hashable {
    /// The kind of a message: its class and its identifier within it.
    package struct Kind: Sendable, Hashable, CustomStringConvertible {
        /// The class: `05` acknowledgements, `06` settings, `0A` the receiver itself.
        package var messageClass: UInt8
        /// The identifier.
        package var identifier: UInt8

        /// Creates a kind from class and identifier.
        package init(_ messageClass: UInt8, _ identifier: UInt8) {
            self.messageClass = messageClass
            self.identifier = identifier
        }

        /// `06 8A`.
        package var description: String {
            [messageClass, identifier].map { byte in
                let digits = String(byte, radix: 16, uppercase: true)
                return digits.count < 2 ? "0" + digits : digits
            }.joined(separator: " ")
        }
    }

    /// The two bytes that begin every frame: one that no text contains, and `b`.
    package static let synchronization: [UInt8] = [0xb5, 0x62]
    /// The longest payload accepted; the longest that receivers send has some hundred bytes.
    package static let longestPayload = 4_096

    /// The kind of message.
    package var kind: Kind
    /// The message's data; numbers are little endian.
    package var payload: [UInt8]

    /// Creates a message.
    ///
    /// - Parameters:
    ///   - kind: class and id of the message.
    ///   - payload: at most ``longestPayload`` bytes; more are a programmer error.
    package init(_ kind: Kind, _ payload: [UInt8] = []) {
        precondition(payload.count <= UBXFrame.longestPayload, "no frame is that long")
        self.kind = kind
        self.payload = payload
    }

    /// The frame's bytes on the line.
    package var bytes: [UInt8] {
        let length = payload.count
        let body = [kind.messageClass, kind.identifier, UInt8(length & 0xff), UInt8(length >> 8)] + payload
        var checksum = UBXChecksum()
        for byte in body { checksum.add(byte) }
        return UBXFrame.synchronization + body + [checksum.first, checksum.second]
    }

    /// The number of that many bytes at an offset of the payload; nil when the payload is too short.
    ///
    /// - Parameters:
    ///   - offset: where the number begins, counted from 0.
    ///   - byteCount: 1...8.
    package func number(at offset: Int, byteCount: Int) -> UInt64? {
        guard offset >= 0, offset + byteCount <= payload.count else { return nil }
        return payload[offset..<(offset + byteCount)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The text in a field of that many bytes, up to its first NUL; nil when the payload is too short.
    package func text(at offset: Int, byteCount: Int) -> String? {
        guard offset >= 0, offset + byteCount <= payload.count else { return nil }
        return String(decoding: payload[offset..<(offset + byteCount)].prefix { $0 != 0 }, as: UTF8.self)
    }
}
