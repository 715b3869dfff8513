import Foundation
import Synchronization
import Waypost
import WaypostControl
import WaypostSystem

/// A server in a folder of its own, with a handler that counts.
final class ControlFixture: ControlHandler {
    let folder: String
    let path: String
    private let watching = Mutex<Set<ControlConnectionID>>([])
    private let holding = Mutex<Set<ControlConnectionID>>([])

    init() throws {
        folder = "/tmp/waypost-control-\(UInt32.random(in: 0...(.max)))"
        path = folder + "/run/waypost.sock"
    }

    deinit {
        // What is left behind in /tmp does no harm.
        try? FileManager.default.removeItem(atPath: folder)
    }

    func status(for peer: PeerCredentials, access: PeerAccess) async throws(ControlRefusal) -> StatusReport {
        var report = StatusReport()
        report.processID = Int(peer.userID)
        if access.level == .full { report.problems = ["a secret"] }
        return report
    }

    /// The line of ``status(for:access:)``.
    static func statusLine(userID: UInt32, access: PeerAccess) -> String {
        let secret = access.level == .full ? #","problems":["a secret"]"# : ""
        return #"{"class":"STATUS","version":"","pid":\#(userID),"uptime":0,"health":"healthy"\#(secret)}"#
    }

    func watchBegan(_ request: WatchRequest, on connection: ControlConnectionID, level: AuthorisationLevel) {
        watching.withLock { _ = $0.insert(connection) }
    }

    func connectionEnded(_ connection: ControlConnectionID) {
        watching.withLock { _ = $0.remove(connection) }
    }

    func perform(
        _ verb: any ControlVerb, for peer: PeerCredentials, access: PeerAccess, on connection: ControlConnectionID
    ) async throws(ControlRefusal) -> any ControlAnswer {
        guard let hold = verb as? HoldRequest else { throw ControlRefusal(.unknownRequest, what: "request", why: "nobody does that") }
        holding.withLock { _ = $0.insert(connection) }
        return HoldRequest.Answer(reason: hold.reason)
    }

    func holdsEnded(on connection: ControlConnectionID) { holding.withLock { _ = $0.remove(connection) } }

    var holdCount: Int { holding.withLock { $0.count } }
    var watchers: Set<ControlConnectionID> { watching.withLock { $0 } }
    var watcherCount: Int { watchers.count }

    func start(
        limits: ControlServer.Limits = .init(), policy: any PeerAuthority = PeerPolicy(ownUserID: geteuid(), trustedGroupID: nil)
    ) async throws(ControlError) -> ControlServer {
        try await ControlServer.start(path: path, programVersion: "1.2.3", policy: policy, handler: self, limits: limits)
    }

    /// A client that watches from now on, for sure: requests are answered in order.
    func watcher(sky: Bool = false) throws(ControlError) -> ControlClient {
        var client = try ControlClient.connect(to: path)
        try client.send(WatchRequest(sky: sky))
        _ = try client.answer(to: StatusRequest())
        return client
    }

    /// A connection that sends what it is told, whatever that is.
    func rawConnection() throws -> Int32 { try UnixSocket.connect(path) }

    /// What comes on a raw connection until it ends or is quiet for that long.
    func lines(from descriptor: Int32, quietMilliseconds: Int32 = 500) throws -> [String] {
        var bytes: [UInt8] = []
        while try UnixSocket.waitReadable(descriptor, timeoutMilliseconds: quietMilliseconds) {
            var chunk = [UInt8](repeating: 0, count: 65_536)
            let count = try chunk.withUnsafeMutableBytes { try Syscalls.read(descriptor, into: $0) }
            if count == 0 { break }
            bytes += chunk[..<count]
        }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}

/// Runs blocking code on a thread of its own: the tests' pool is too small to be blocked.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
}

/// Waits up to five seconds for something to come true.
func eventually(_ condition: () -> Bool) -> Bool {
    for _ in 0..<500 {
        if condition() { return true }
        usleep(10_000)
    }
    return condition()
}

extension [UInt8] {
    /// The bytes as text.
    var text: String { String(decoding: self, as: UTF8.self) }
}
