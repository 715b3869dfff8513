import Testing
import Waypost

@Suite struct CRC32CTests {
    // The vectors of RFC 3720, appendix B.4, and the catalogue's check value.
    @Test func equalsThePublishedVectors() {
        func checksum(_ bytes: [UInt8]) -> UInt32 { CRC32C.checksum(bytes.span.bytes) }
        #expect(checksum(Array("123456789".utf8)) == 0xE306_9283)
        #expect(checksum([UInt8](repeating: 0, count: 32)) == 0x8A91_36AA)
        #expect(checksum([UInt8](repeating: 0xFF, count: 32)) == 0x62A8_AB43)
        #expect(checksum([UInt8](0..<32)) == 0x46DD_794E)
        #expect(checksum([]) == 0)
    }

    @Test func goesOnWhereItEnded() {
        let bytes = Array("123456789".utf8)
        for cut in 0...9 {
            let first = CRC32C.checksum(bytes.span.bytes.extracting(0..<cut))
            #expect(CRC32C.checksum(bytes.span.bytes.extracting(cut..<9), continuing: first) == 0xE306_9283)
        }
    }
}
