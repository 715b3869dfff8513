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

    @Test func readsNoMoreAtOnceThanThereIsRoomFor() throws {
        let packed = try Gzip.compress([UInt8](repeating: 0, count: 3_000_000))
        let reading = GzipContract.read(packed, pieceLength: 4_096, room: 4_096)
        #expect(packed.count < 4_096 && reading == .init(bytes: [UInt8](repeating: 0, count: 3_000_000)))
    }
}
