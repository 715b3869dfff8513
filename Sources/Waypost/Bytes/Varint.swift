// Whole numbers of any size in as few bytes as possible (LEB128): seven bits per byte, lowest first, the highest bit set where more follow.
extension [UInt8] {
    /// Appends a number: one byte up to 127, ten for the largest.
    package mutating func append(varint value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }

    /// Appends a signed number, its sign in the lowest bit (zigzag): small ones of both signs are short.
    package mutating func append(signedVarint value: Int64) {
        append(varint: UInt64(bitPattern: value << 1 ^ value >> 63))
    }
}

extension ArraySlice<UInt8> {
    /// Removes a number from the front; nil when the bytes end within it or it has more than 64 bits.
    package mutating func popVarint() -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: 0 as UInt64, through: 63, by: 7) {
            guard let byte = popFirst() else { return nil }
            if shift == 63, byte > 1 { return nil }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        return nil
    }

    /// Removes a signed number from the front; nil as for ``popVarint()``.
    package mutating func popSignedVarint() -> Int64? {
        popVarint().map { Int64(bitPattern: $0 >> 1) ^ -Int64(bitPattern: $0 & 1) }
    }
}
