import Testing
import WaypostSystem
import WaypostTestKit

/// Files that may be gzip.
struct GzipInputTests {
    private let text = Array(String(repeating: "$GPRMC,120000,A,4717.115,N,00833.915,E,10.0,90.5,150624\r\n", count: 500).utf8)

    @Test func unpacksSeveralFilesAndPassesOverZeros() throws {
        let packed = try Gzip.compress(text)
        #expect(GzipContract.read(packed + packed + [UInt8](repeating: 0, count: 1_000), pieceLength: 13) == .init(bytes: text + text))
        #expect(GzipContract.read(text, pieceLength: 13) == .init(bytes: text))
    }

    @Test func givesWhatWasWholeAndSaysWhatIsWrong() throws {
        let packed = try Gzip.compress(text)
        let cut = GzipContract.read(Array(packed.dropLast(9)), pieceLength: 64)
        #expect(cut.problem == .cut && cut.bytes == text)
        var wrong = packed
        wrong[packed.count - 6] ^= 1
        let damaged = GzipContract.read(wrong, pieceLength: 64)
        #expect(damaged.problem == .damaged && damaged.bytes == text)
        let followed = GzipContract.read(packed + Array("rest".utf8), pieceLength: 64)
        #expect(followed.problem == .followed && followed.bytes == text)
    }

    /// A file that is made piece by piece, of what shrinks and of what does not.
    @Test func packsWhatComesInPieces() throws {
        var random = SystemRandomNumberGenerator()
        let noise = (0..<300_000).map { _ in UInt8.random(in: 0...255, using: &random) }
        for (bytes, most) in [(text, 4_096), ([UInt8](repeating: 0, count: 3_000_000), 4_096), (noise, 301_000), ([], 64)] {
            let packer = try GzipOutput()
            var packed: [UInt8] = []
            for start in stride(from: 0, to: bytes.count, by: 70_001) {
                packed += try packer.add(bytes[start..<min(start + 70_001, bytes.count)].span.bytes)
            }
            packed += try packer.finish()
            #expect(GzipContract.read(packed, pieceLength: 4_096) == .init(bytes: bytes))
            #expect(packed.count < most && packed.count >= 20)
        }
    }

    @Test func readsNoMoreAtOnceThanThereIsRoomFor() throws {
        let packed = try Gzip.compress([UInt8](repeating: 0, count: 3_000_000))
        let reading = GzipContract.read(packed, pieceLength: 4_096, room: 4_096)
        #expect(packed.count < 4_096 && reading == .init(bytes: [UInt8](repeating: 0, count: 3_000_000)))
    }
}
