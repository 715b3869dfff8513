import Testing

@testable import Waypost

@Suite struct LineCountTests {
    /// The line after a text: one more than its line feeds or its returns, whichever are more.
    private func line(after text: [UInt8]) -> Int {
        1 + max(text.count { $0 == 0x0A }, text.count { $0 == 0x0D })
    }

    @Test func countsLikeByteAfterByteInPiecesOfAnyLength() {
        var generator = SystemRandomNumberGenerator()
        for alphabet: [UInt8] in [[0x0A], [0x0D], [0x0A, 0x0D], [0x0A, 0x61, 0x0D, 0x0B, 0x8A, 0x8D, 0]] {
            // More than fit into a count of one byte, and ends around whole blocks.
            for count in [0, 1, 15, 16, 17, 239, 240, 241, 255, 256, 257, 480, 4_096, 9_999] {
                let text = (0..<count).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &generator)] }
                var lines = LineCount()
                var place = 0
                while place < text.count {
                    let end = min(text.count, place + Int.random(in: 1...5_000, using: &generator))
                    lines.add(text.span.extracting(place..<end))
                    place = end
                }
                #expect(lines.current == line(after: text))
                let half = count / 2
                #expect(LineCount().line(at: half, in: text.span) == line(after: Array(text.prefix(half))))
            }
        }
    }

    @Test func findsNULAtEveryPlaceOfEveryLength() {
        for count in 0...70 {
            var text = [UInt8](repeating: 0x80, count: count)
            let hasNone = !text.span.hasNUL
            #expect(hasNone)
            for place in 0..<count {
                text[place] = 0
                let hasOne = text.span.hasNUL
                #expect(hasOne, "\(place) of \(count)")
                text[place] = 1
            }
        }
    }
}
