/// The CRC-32C (Castagnoli) checksum that guards the records of a journal.
///
/// - Source: RFC 3720, appendix B.4: polynomial 0x1EDC6F41 (reflected 0x82F63B78), start and final exclusive-or 0xFFFFFFFF, check value
///   of "123456789" 0xE3069283. It finds every burst of up to 32 bits and every odd number of flipped bits.
/// - Cost: eight bytes per step, with one independent table look-up each (M. Kounavis and F. Berry, "A Systematic Approach to
///   Building High Performance Software-based CRC Generators", 2005).
package enum CRC32C {
    /// The checksum of the bytes.
    ///
    /// - Parameters:
    ///   - bytes: the bytes.
    ///   - previous: the checksum of the preceding bytes, when these continue something longer.
    package static func checksum(_ bytes: RawSpan, continuing previous: UInt32 = 0) -> UInt32 {
        var register = ~previous
        let tables = tables.span
        var offset = 0
        while offset &+ 8 <= bytes.byteCount {
            let word = bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self).littleEndian ^ UInt64(register)
            var next: UInt32 = 0
            for place in 0..<8 {
                let byte = Int(truncatingIfNeeded: word &>> UInt64(truncatingIfNeeded: 8 &* place)) & 0xFF
                next ^= tables[unchecked: (7 &- place) &* 256 &+ byte]  // One of eight tables of 256.
            }
            register = next
            offset &+= 8
        }
        while offset < bytes.byteCount {
            let byte = bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
            register = tables[Int(UInt8(truncatingIfNeeded: register) ^ byte)] ^ (register >> 8)
            offset &+= 1
        }
        return ~register
    }

    /// The effect of a byte on the register, followed by its effect when one to seven more bytes follow.
    private static let tables: [UInt32] = {
        var tables = (0..<256).map { (index: UInt32) in
            (0..<8).reduce(index) { value, _ in value & 1 == 1 ? (value >> 1) ^ 0x82F6_3B78 : value >> 1 }
        }
        for index in 256..<8 * 256 {
            let before = tables[index - 256]
            tables.append(tables[Int(before & 0xFF)] ^ before >> 8)
        }
        return tables
    }()
}
