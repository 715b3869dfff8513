import Testing
import Waypost

@Suite struct SealedTextTests {
    @Test(arguments: ["", "4711\n", "laptop 4711\nphone 12\n"]) func findsOutEveryCutAndEveryChangedByte(text: String) {
        let sealed = SealedText.seal(Array(text.utf8))
        #expect(SealedText.text(of: sealed).map { String(decoding: $0, as: UTF8.self) } == text)
        for count in 0..<sealed.count { #expect(SealedText.text(of: Array(sealed.prefix(count))) == nil) }
        for (index, bit) in sealed.indices.flatMap({ index in (0..<8).map { (index, $0) } }) {
            var changed = sealed
            changed[index] ^= 1 << bit
            #expect(SealedText.text(of: changed) == nil)
        }
    }
}
