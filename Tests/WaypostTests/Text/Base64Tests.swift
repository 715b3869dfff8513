import Testing
import Waypost

@Suite struct Base64Tests {
    /// RFC 4648, section 10.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
    ])
    func writesTheStandardsVectors(text: String, expected: String) {
        #expect(Base64.encode(Array(text.utf8)) == expected)
    }

    @Test func writesAllSixtyFourDigits() {
        #expect(Base64.encode([0xFB, 0xFF, 0xFE, 0x00]) == "+//+AA==")
    }
}
