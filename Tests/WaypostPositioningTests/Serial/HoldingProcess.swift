import Foundation

/// A program (`sleep`) that has a device open, locked if asked for, and does nothing with it.
final class HoldingProcess {
    private let process = Process()

    init(_ path: String, locks: Bool = false) throws {
        process.executableURL = URL(filePath: locks ? "/usr/bin/flock" : "/bin/sleep")
        process.arguments = locks ? ["--no-fork", path, "sleep", "120"] : ["120"]
        let device = try FileHandle(forUpdating: URL(filePath: path))
        process.standardInput = locks ? FileHandle.nullDevice : device
        try process.run()
        try device.close()
    }

    var processID: Int32 { process.processIdentifier }

    func end() {
        // Not SIGTERM: it may be blocked, as in the test's own process.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
