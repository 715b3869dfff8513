import Testing
import Waypost

@Suite struct SHA256Tests {
    private func digest(_ pieces: [UInt8]...) -> String {
        var hash = SHA256()
        for piece in pieces { hash.update(piece.span.bytes) }
        return SHA256.hexadecimal(hash.finish())
    }

    // FIPS 180-4 examples, as NIST publishes them for SHA-256.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        ("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
        (
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
        ),
    ]) func agreesWithTheStandard(text: String, expected: String) {
        #expect(digest(Array(text.utf8)) == expected)
    }

    @Test func agreesWithTheStandardOnAMillionBytes() {
        let piece = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000)
        var hash = SHA256()
        for _ in 0..<1_000 { hash.update(piece.span.bytes) }
        #expect(SHA256.hexadecimal(hash.finish()) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test func takesTheBytesInPiecesOfAnySize() {
        let bytes = (0..<300).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        for cut in 0...300 { #expect(digest(Array(bytes[..<cut]), Array(bytes[cut...])) == digest(bytes)) }
    }
}
