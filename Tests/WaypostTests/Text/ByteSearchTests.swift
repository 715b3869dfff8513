import Testing
import Waypost

@Suite struct ByteSearchTests {
    @Test(arguments: [
        ("done: OK", "OK", true), ("OK", "OK", true), ("O K", "OK", false), ("O", "OK", false), ("", "", true), ("aab", "ab", true),
    ])
    func findsBytesWhereverTheyStand(text: String, part: String, isThere: Bool) {
        #expect(Array(text.utf8).contains(bytes: part.utf8) == isThere)
    }
}
