/// The CRC-32C (Castagnoli) checksum that guards the records of a journal.
///
/// - Source: RFC 3720, appendix B.4: polynomial 0x1EDC6F41 (reflected 0x82F63B78), start and final exclusive-or 0xFFFFFFFF, check value
///   of "123456789" 0xE3069283. It finds every burst of up to 32 bits and every odd number of flipped bits.
/// - Cost: one table look-up a byte.
public enum CRC32C {
    /// The checksum of the bytes.
    ///
    /// - Parameter previous: the checksum of the bytes before them, when they are the rest of something longer.
    public static func checksum(_ bytes: RawSpan, continuing previous: UInt32 = 0) -> UInt32 {
        var register = ~previous
        for index in 0..<bytes.byteCount {
            let byte = bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self)
            register = table[Int(UInt8(truncatingIfNeeded: register) ^ byte)] ^ (register >> 8)
        }
        return ~register
    }

    private static let table: [UInt32] = (0..<256).map { (index: UInt32) in
        (0..<8).reduce(index) { value, _ in value & 1 == 1 ? (value >> 1) ^ 0x82F6_3B78 : value >> 1 }
    }
}
