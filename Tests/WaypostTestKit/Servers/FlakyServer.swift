import Foundation
import Waypost

/// `Tests/Scripts/Tools/flaky_server.py` as a process: a server that drops, delays, half-answers, refuses and lies.
public final class FlakyServer: Sendable {
    /// Its folder: mode, received, requests.
    public let folder: String
    /// The URL for records.
    public let url: String
    /// When it closes, the server ends too, even if this program is killed.
    private let line = Pipe()

    /// Starts it and waits until it listens.
    public init(_ mode: String = "ok", arguments: [String] = [], scheme: String = "http") async throws {
        folder = NSTemporaryDirectory() + "waypost-server-\(UInt32.random(in: 0...(.max)))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().appending(
            path: "Scripts/Tools/flaky_server.py")
        process.arguments = ["python3", script.path(), folder] + arguments
        process.standardInput = line
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        let end = ContinuousClock.now + .seconds(20)
        while !FileManager.default.fileExists(atPath: folder + "/port"), ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(20))
        }
        let port = try String(contentsOfFile: folder + "/port", encoding: .utf8)
        url = "\(scheme)://127.0.0.1:\(port)/in"
        try setMode(mode)
    }

    deinit {
        // Files left in the temporary folder do no harm, and a line that cannot be closed is closed already.
        try? line.fileHandleForWriting.close()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Sets how it behaves from now on; the script lists the modes.
    public func setMode(_ mode: String) throws { try mode.write(toFile: folder + "/mode", atomically: true, encoding: .utf8) }

    /// Sets its answer to a GET.
    public func setFile(_ text: String) throws { try text.write(toFile: folder + "/file", atomically: true, encoding: .utf8) }

    /// How many requests it has read.
    public var requestCount: Int { get throws { try requests().count } }

    /// The records it has accepted, in order, repeats included.
    public func received() throws -> [JSONValue] { try lines("received") }

    /// The requests it has read.
    public func requests() throws -> [JSONValue] { try lines("requests") }

    private func lines(_ name: String) throws -> [JSONValue] {
        guard FileManager.default.fileExists(atPath: "\(folder)/\(name)") else { return [] }
        return try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8).split(separator: "\n").map {
            try JSONParser().parse(String($0))
        }
    }
}
