import Foundation
import Testing
import WaypostTestKit

/// What the fuzzers start from, and every input that ever broke something, replayed without a fuzzer.
@Suite struct FuzzCorpusTests {
    private static func files(_ target: String) throws -> [URL] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Fuzz/Corpus/\(target)").standardized
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    }

    @Test func decodesNMEAAlikeWhereverItIsCut() throws {
        let files = try FuzzCorpusTests.files("nmea")
        #expect(files.count >= 10)
        for file in files {
            let input = [UInt8](try Data(contentsOf: file))
            for seed: UInt64 in 0..<8 {
                #expect(NMEADecoderContract.violations(decoding: input, seed: seed) == [], "\(file.lastPathComponent)")
            }
        }
    }

    @Test func readsTheJSONThatItWrites() throws {
        let files = try FuzzCorpusTests.files("json")
        #expect(files.count >= 6)
        for file in files {
            #expect(JSONContract.violations(parsing: [UInt8](try Data(contentsOf: file))) == [], "\(file.lastPathComponent)")
        }
    }
}
