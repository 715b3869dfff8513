import Foundation

/// `Tests/Scripts/Tools/hostile_broker.py` as a process: a broker that does what a broker must not.
public final class HostileBroker: Sendable {
    /// Its URL.
    public let url: String
    /// When it closes, the broker ends too, even if this program is killed.
    private let line = Pipe()

    /// Starts it; the script lists the modes.
    public init(_ mode: String) throws {
        let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().appending(
            path: "Scripts/Tools/hostile_broker.py")
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", script.path(), mode]
        process.standardInput = line
        process.standardOutput = output
        try process.run()
        let port = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        url = "mqtt://127.0.0.1:\(port.split(separator: "\n").first ?? "1")"
    }

    deinit {
        try? line.fileHandleForWriting.close()  // A line that cannot be closed is closed already.
    }
}
