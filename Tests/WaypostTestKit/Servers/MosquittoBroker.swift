import Foundation
import Glibc
import Synchronization
import WaypostSystem

/// A real mosquitto for tests, on a free port of 127.0.0.1, with its own folder.
///
/// Releasing the last reference ends it.
public final class MosquittoBroker: Sendable {
    /// Why the broker cannot be used.
    public enum Failure: Error, Equatable {
        /// mosquitto is not installed.
        case notInstalled
        /// The system refused something: the call.
        case system(String)
        /// It ended at once, or does not listen; its messages.
        case doesNotAnswer(String)
    }

    /// The port it listens on, on 127.0.0.1; kept over restarts.
    public let port: UInt16
    /// The folder of its configuration and messages.
    public let folder: String
    private let reservation: ReservedPort
    private let process = Mutex<Process?>(nil)

    /// The path of mosquitto, or nil: tests then say so and skip.
    public static var executable: String? {
        ["/usr/sbin/mosquitto", "/usr/local/sbin/mosquitto", "/usr/bin/mosquitto"].first { access($0, X_OK) == 0 }
    }

    /// Whether mosquitto is installed.
    public static var isInstalled: Bool { executable != nil }

    /// Makes a broker that by default keeps nothing and accepts everybody, and starts it.
    ///
    /// - Parameters:
    ///   - settings: lines of mosquitto.conf(5) after those for the port.
    ///   - folder: a folder that already has certificates and passwords; nil for a new one.
    ///   - starts: whether it runs from the beginning.
    public init(_ settings: String = "allow_anonymous true", folder: String? = nil, starts: Bool = true) async throws {
        guard MosquittoBroker.isInstalled else { throw Failure.notInstalled }
        guard let reservation = ReservedPort() else { throw Failure.system("no free port") }
        (self.reservation, port) = (reservation, reservation.port)
        self.folder = folder ?? NSTemporaryDirectory() + "waypost-broker-\(UInt32.random(in: 0...(.max)))"
        try FileManager.default.createDirectory(atPath: self.folder, withIntermediateDirectories: true)
        // As root it would switch to another user, who may not read the files of the tests.
        let text = "listener \(port) 127.0.0.1\nuser \(NSUserName())\npersistence_location \(self.folder)/\n\(settings)\n"
        try text.write(toFile: self.folder + "/mosquitto.conf", atomically: true, encoding: .utf8)
        if starts { try await start() }
    }

    deinit {
        kill()
        // Files left in the temporary folder do no harm.
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// The broker's URL.
    public var url: String { "mqtt://127.0.0.1:\(port)" }

    /// Starts it and waits until it listens; does nothing while it runs.
    public func start() async throws {
        try process.withLock { process in
            guard process == nil, let executable = MosquittoBroker.executable else { return }
            let started = Process()
            started.executableURL = URL(fileURLWithPath: executable)
            started.arguments = ["-c", folder + "/mosquitto.conf"]
            started.standardInput = FileHandle.nullDevice
            started.standardOutput = FileHandle.nullDevice
            _ = FileManager.default.createFile(atPath: folder + "/messages", contents: nil)
            started.standardError = FileHandle(forWritingAtPath: folder + "/messages")
            try started.run()
            process = started
        }
        for _ in 0..<500 {
            guard process.withLock({ $0?.isRunning }) == true else { break }
            if reservation.isServed { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw Failure.doesNotAnswer(messages)
    }

    /// Its messages since its start.
    public var messages: String { (try? String(contentsOfFile: folder + "/messages", encoding: .utf8)) ?? "" }  // Nothing said yet.

    /// Ends it abruptly, as a power cut would (SIGKILL), and waits for its end.
    public func kill() { end(with: SIGKILL) }

    /// Ends it normally (SIGTERM), and waits for its end.
    public func terminate() { end(with: SIGTERM) }

    /// Freezes it, like a network that swallows everything, or lets it continue.
    public func setFrozen(_ isFrozen: Bool) {
        guard let process = process.withLock({ $0 }) else { return }
        Glibc.kill(process.processIdentifier, isFrozen ? SIGSTOP : SIGCONT)
    }

    private func end(with signal: Int32) {
        let ended = process.withLock { process in
            defer { process = nil }
            return process
        }
        guard let ended else { return }
        Glibc.kill(ended.processIdentifier, signal)
        ended.waitUntilExit()
    }
}
