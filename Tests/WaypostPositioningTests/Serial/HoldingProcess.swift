import Foundation

/// A program (`sleep`) that has a device open and does nothing with it.
final class HoldingProcess {
    private let process = Process()

    init(_ path: String) throws {
        process.executableURL = URL(filePath: "/bin/sleep")
        process.arguments = ["120"]
        process.standardInput = try FileHandle(forUpdating: URL(filePath: path))
        try process.run()
        try (process.standardInput as? FileHandle)?.close()
    }

    var processID: Int32 { process.processIdentifier }

    func end() {
        // Not SIGTERM: it may be blocked, as in the test's own process.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
