import Foundation
import Testing
import WaypostTestKit

/// Erases the day of a ``SimulatedReceiver`` while the outbox cannot be changed: nothing of it is sent, in that state or after it.
///
/// - Parameter mend: lets the outbox be changed again.
func expectErasedAndNotSent(in folder: TestFolder, _ server: FlakyServer, mend: () throws -> Void) async throws {
    func ask(_ words: String...) async throws -> Finished {
        try await finish([Program.waypost.path] + words + ["--socket", "socket"], in: folder)
    }
    let erased = try await ask("log", "erase", "--log", "log", "--from", "2026-03-01", "--to", "2026-03-02", "--yes")
    #expect(erased.code == 73 && erased.errors.contains("is erased, but not what waits to be sent: "), "\(erased)")
    #expect(erased.errors.contains("; that is not sent, and it is tried again until it is erased; see waypost status"), "\(erased)")
    let unfinished = "what waits to be sent may still have what was erased, which is not sent: "
    let status = try await ask("status").output
    #expect(status.contains(unfinished) && status.contains("degraded"), "\(status)")
    try server.setMode("good")
    #expect(try await ask("dispatch", "now", "--wait").code == 0)
    #expect(try server.received().isEmpty)
    #expect(try await ask("dispatch", "export", "home").output.isEmpty)
    try mend()
    #expect(try await ask("dispatch", "now", "--wait").code == 0)
    #expect(try await eventually(within: .seconds(40), every: .seconds(1)) { try await !ask("status").output.contains(unfinished) })
    #expect(await eventually { !FileManager.default.fileExists(atPath: folder.path("log/journal/.erased")) })
    _ = try await ask("dispatch", "now", "--wait")
    #expect(try server.received().isEmpty)
    // What comes later is sent.
    #expect(try await ask("track", "later").code == 0)
    #expect(
        try await eventually {
            _ = try await ask("dispatch", "now", "--wait")
            return try !server.received().isEmpty
        })
    #expect(try server.received().count == 1)
}
