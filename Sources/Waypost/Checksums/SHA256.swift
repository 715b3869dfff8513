/// The SHA-256 digest, used to verify files that were fetched.
///
/// ```swift
/// var hash = SHA256()
/// hash.update(bytes.span.bytes)          // piece by piece
/// print(SHA256.hexadecimal(hash.finish()))
/// ```
/// - Source: FIPS 180-4, sections 4.1.2, 4.2.2, 5.1.1, 5.3.3 and 6.2.
/// - Cost: no allocation per piece.
package struct SHA256: Sendable {
    private var state: [8 of UInt32] = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]
    private var block = [64 of UInt8](repeating: 0)
    private var blockCount = 0
    private var byteCount: UInt64 = 0

    /// Creates a digest before its first byte.
    package init() {}

    /// Adds the next bytes.
    package mutating func update(_ bytes: RawSpan) {
        byteCount += UInt64(bytes.byteCount)
        var index = 0
        while index < bytes.byteCount {
            guard blockCount == 0, bytes.byteCount - index >= 64 else {
                append(bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self))
                index += 1
                continue
            }
            compress(bytes.extracting(index..<index + 64))
            index += 64
        }
    }

    /// The digest of all bytes, 32 bytes.
    package consuming func finish() -> [UInt8] {
        let bitCount = byteCount * 8
        append(0x80)
        while blockCount != 56 { append(0) }
        for shift in stride(from: 56 as UInt64, through: 0, by: -8) { append(UInt8(truncatingIfNeeded: bitCount >> shift)) }
        var digest: [UInt8] = []
        for word in state.indices {
            for shift in stride(from: 24 as UInt32, through: 0, by: -8) { digest.append(UInt8(truncatingIfNeeded: state[word] >> shift)) }
        }
        return digest
    }

    /// Bytes as hexadecimal digits, lower case, as `sha256sum` prints them.
    package static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }.joined()
    }

    @inline(__always)
    private mutating func append(_ byte: UInt8) {
        block[blockCount] = byte
        blockCount += 1
        if blockCount == 64 {
            let full = block
            compress(full.span.bytes)
            blockCount = 0
        }
    }

    /// Mixes a block of 64 bytes into the state.
    ///
    /// The schedule's 64 words are made as they are used; 16 at a time are enough.
    private mutating func compress(_ block: RawSpan) {
        var schedule = [16 of UInt32](repeating: 0)
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for round in 0..<64 {
            let slot = round & 15
            if round < 16 {
                schedule[slot] = UInt32(bigEndian: block.unsafeLoadUnaligned(fromByteOffset: 4 * round, as: UInt32.self))
            } else {
                let early = schedule[(round &+ 1) & 15]
                let late = schedule[(round &+ 14) & 15]
                let mixedEarly = SHA256.rotated(early, 7) ^ SHA256.rotated(early, 18) ^ early >> 3
                let mixedLate = SHA256.rotated(late, 17) ^ SHA256.rotated(late, 19) ^ late >> 10
                schedule[slot] = schedule[slot] &+ mixedEarly &+ schedule[(round &+ 9) & 15] &+ mixedLate
            }
            let sum1 = SHA256.rotated(e, 6) ^ SHA256.rotated(e, 11) ^ SHA256.rotated(e, 25)
            let first = h &+ sum1 &+ (e & f ^ ~e & g) &+ SHA256.constants[round] &+ schedule[slot]
            let sum0 = SHA256.rotated(a, 2) ^ SHA256.rotated(a, 13) ^ SHA256.rotated(a, 22)
            let second = sum0 &+ (a & b ^ a & c ^ b & c)
            (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
        }
        state[0] &+= a
        state[1] &+= b
        state[2] &+= c
        state[3] &+= d
        state[4] &+= e
        state[5] &+= f
        state[6] &+= g
        state[7] &+= h
    }

    @inline(__always)
    private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }

    /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
    private static let constants: [64 of UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]
}
