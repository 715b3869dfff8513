import Foundation
import Testing
import WaypostSystem

/// Files in memory, which others may cut or write meanwhile.
@Suite struct MappedFileTests {
    private func withFile(_ bytes: [UInt8], _ body: (String) throws -> Void) throws {
        let path = NSTemporaryDirectory() + "waypost-mapped-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        try body(path)
    }

    @Test func readsWhatIsThere() throws {
        let bytes = (0..<70_000).map { UInt8(truncatingIfNeeded: $0) }
        try withFile(bytes) { path in
            let file = try MappedFile(path: path)
            #expect(Array(file.bytes) == bytes && !file.isCut)
            file.release(0..<70_000)
            #expect(Array(file.bytes) == bytes)
        }
        try withFile([]) { path in
            let empty = try MappedFile(path: path)
            #expect(empty.bytes.isEmpty)
        }
    }

    /// Somebody copies a new file over the mapped one, which is cut first: programs that read it must live.
    @Test func livesOnWhenTheFileIsCut() throws {
        try withFile([UInt8](repeating: 7, count: 1 << 20)) { path in
            let (file, other) = (try MappedFile(path: path), try MappedFile(path: path))
            #expect(file.bytes[(1 << 20) - 1] == 7)
            let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            try handle.truncate(atOffset: 5_000)
            #expect(file.bytes[100_000...].allSatisfy { $0 == 0 } && file.bytes[..<5_000].allSatisfy { $0 == 7 })
            #expect(file.isCut && !other.isCut)
            // Two threads that meet the gap at once.
            DispatchQueue.concurrentPerform(iterations: 8) { part in
                #expect(other.bytes[(part + 1) * 100_000] == 0)
            }
            #expect(other.isCut)
        }
    }

    /// Places are used again.
    @Test func mapsAgainAndAgain() throws {
        try withFile([1, 2, 3]) { path in
            for _ in 0..<1_000 {
                let file = try MappedFile(path: path)
                #expect(file.bytes.count == 3)
            }
            let files = try (0..<60).map { _ in try MappedFile(path: path) }
            #expect(files.allSatisfy { $0.bytes[2] == 3 })
        }
    }
}
