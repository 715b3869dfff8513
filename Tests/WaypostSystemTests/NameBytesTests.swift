import Testing

@testable import WaypostSystem

/// Names of files that are bytes, whatever they are.
@Suite struct NameBytesTests {
    @Test(arguments: [
        Array("plain".utf8), Array("ä日本".utf8), [0xFF], [0x61, 0xFF, 0x62], [0xC3], [0xE6, 0x97], [0xF4], [0xF4, 0x8F, 0xBB],
        // What stands for a byte, as it would be in UTF-8; surrogates; an overlong slash.
        [0xF4, 0x8F, 0xBB, 0xBF], [0xF4, 0x8F, 0xBA, 0x80, 0x41], [0xED, 0xA0, 0x80], [0xC0, 0xAF], [0xF4, 0x8F, 0xBF, 0xBF], [],
    ]) func keepsEveryByte(bytes: [UInt8]) {
        let text = String(nameBytes: bytes)
        #expect(text.nameBytes == bytes)
        #expect(text.cName.map { UInt8(bitPattern: $0) } == bytes + [0])
        #expect(!text.unicodeScalars.contains("\u{FFFD}"))
    }

    @Test func givesDifferentNamesDifferentTexts() {
        let names: [[UInt8]] = [[0xFF], [0xFE], [0xF4, 0x8F, 0xBB, 0xBF], [0xEF, 0xBF, 0xBD]]
        #expect(Set(names.map { Array(String(nameBytes: $0).unicodeScalars) }).count == names.count)
    }

    @Test func keepsBytesAtRandom() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            let bytes = (0..<Int.random(in: 0..<12)).map { _ in
                [0x41, 0xF4, 0x8F, 0xBA, 0xBB, UInt8.random(in: 1...255, using: &generator)].randomElement() ?? 1
            }
            #expect(String(nameBytes: bytes).nameBytes == bytes)
        }
    }

    @Test func showsBytesToPeople() {
        #expect(String(nameBytes: [0x61, 0xFF, 0x62]).shownName == "a\\xffb")
        #expect("ä".shownName == "ä")
    }
}
