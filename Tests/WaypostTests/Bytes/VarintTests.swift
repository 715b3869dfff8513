import Testing
import Waypost

@Suite struct VarintTests {
    @Test func comesBackFromAsFewBytesAsItNeeds() {
        for (value, count) in [(0, 1), (127, 1), (128, 2), (16_383, 2), (16_384, 3), (1 << 63 - 1, 9), (1 << 63, 10), (.max, 10)]
            as [(UInt64, Int)]
        {
            var bytes: [UInt8] = []
            bytes.append(varint: value)
            #expect(bytes.count == count)
            var rest = (bytes + [7])[...]
            #expect(rest.popVarint() == value && rest == [7])
        }
        for value in [0, -1, 1, -64, 63, 64, .min, .max] as [Int64] {
            var bytes: [UInt8] = []
            bytes.append(signedVarint: value)
            #expect((bytes.count == 1) == (-64...63).contains(value))
            var rest = bytes[...]
            #expect(rest.popSignedVarint() == value && rest.isEmpty)
        }
    }

    @Test(arguments: [[], [0x80], [0xFF, 0xFF], Array(repeating: 0xFF, count: 10), Array(repeating: 0x80, count: 9) + [2]] as [[UInt8]])
    func refusesWhatEndsWithinOrIsTooLong(bytes: [UInt8]) {
        var rest = bytes[...]
        #expect(rest.popVarint() == nil)
    }
}
