import Testing
import Waypost

@Suite struct SipHashTests {
    // From the paper's appendix and its reference code: key 00 01 ... 0f, inputs 00 01 ... of growing length.
    @Test(
        arguments: [(0, 0x726f_db47_dd0e_0e31), (1, 0x74f8_39c5_93dc_67fd), (8, 0x93f5_f579_9a93_2462), (15, 0xa129_ca61_49be_45e5)]
            as [(UInt8, UInt64)])
    func agreesWithThePublishedVectors(count: UInt8, expected: UInt64) throws {
        let key = try #require(SipHash.Key(Array(0..<16)))
        #expect(SipHash.hash(Array(0..<count), key: key) == expected)
    }

    @Test func takesKeysOfSixteenBytesOnly() {
        #expect(SipHash.Key([]) == nil && SipHash.Key(Array(0..<15)) == nil && SipHash.Key(Array(0..<17)) == nil)
    }
}
