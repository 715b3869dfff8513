/// SipHash-2-4, a keyed 64-bit hash: without the key, it reveals nothing about its input.
///
/// - Source: J.-P. Aumasson, D. J. Bernstein, "SipHash: a fast short-input PRF", 2012; the test has their vectors.
public enum SipHash {
    /// A key of 128 bits.
    public struct Key: Sendable, Hashable {
        fileprivate let first: UInt64
        fileprivate let second: UInt64

        /// Creates a key from 16 bytes; nil for any other number of bytes.
        public init?(_ bytes: [UInt8]) {
            guard bytes.count == 16 else { return nil }
            first = SipHash.word(bytes[0..<8])
            second = SipHash.word(bytes[8..<16])
        }
    }

    /// The hash of the bytes under the key.
    public static func hash(_ bytes: [UInt8], key: Key) -> UInt64 {
        var state = State(key)
        let wholeCount = bytes.count / 8 * 8
        for start in stride(from: 0, to: wholeCount, by: 8) { state.take(word(bytes[start..<start + 8])) }
        state.take(word(bytes[wholeCount...]) | UInt64(truncatingIfNeeded: bytes.count) << 56)
        return state.finish()
    }

    /// Up to eight bytes, the first lowest.
    private static func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    private struct State {
        private var v0: UInt64
        private var v1: UInt64
        private var v2: UInt64
        private var v3: UInt64

        init(_ key: Key) {
            v0 = key.first ^ 0x736f_6d65_7073_6575
            v1 = key.second ^ 0x646f_7261_6e64_6f6d
            v2 = key.first ^ 0x6c79_6765_6e65_7261
            v3 = key.second ^ 0x7465_6462_7974_6573
        }

        mutating func take(_ word: UInt64) {
            v3 ^= word
            round()
            round()
            v0 ^= word
        }

        mutating func finish() -> UInt64 {
            v2 ^= 0xFF
            for _ in 0..<4 { round() }
            return v0 ^ v1 ^ v2 ^ v3
        }

        private mutating func round() {
            v0 = v0 &+ v1
            v2 = v2 &+ v3
            v1 = v1 << 13 | v1 >> 51
            v3 = v3 << 16 | v3 >> 48
            v1 ^= v0
            v3 ^= v2
            v0 = v0 << 32 | v0 >> 32
            v2 = v2 &+ v1
            v0 = v0 &+ v3
            v1 = v1 << 17 | v1 >> 47
            v3 = v3 << 21 | v3 >> 43
            v1 ^= v2
            v3 ^= v0
            v2 = v2 << 32 | v2 >> 32
        }
    }
}
