import Foundation
import Glibc
import Synchronization
import Waypost
import WaypostControl
import WaypostSystem

/// A tracker's side of the control socket, in a folder of its own, that says what the test tells it to.
final class FakeTracker: ControlHandler, PeerAuthority {
    let path: String
    private let folder: String
    private let state = Mutex(State())

    private struct State {
        var connections: Set<ControlConnectionID> = []
        var watches: [WatchRequest] = []
        var holds: [String] = []
        var isSilent = false
        var level = AuthorisationLevel.full
        var events: [TrackerEvent] = []
        var newCount = 0
    }

    init() throws {
        folder = NSTemporaryDirectory() + "waypost-kit-\(UInt32.random(in: 0...(.max)))"
        path = folder + "/waypost.sock"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    }

    deinit {
        // What is left behind in /tmp does no harm.
        try? FileManager.default.removeItem(atPath: folder)
    }

    var connectionCount: Int { state.withLock { $0.connections.count } }
    var watches: [WatchRequest] { state.withLock { $0.watches } }
    var holds: [String] { state.withLock { $0.holds } }

    /// From now on no request but `status` is answered.
    func fallSilent() { state.withLock { $0.isSilent = true } }

    /// From now on the status has these events, of which the newest happened in this run.
    func list(_ ids: [String], newCount: Int = 0) {
        let events = ids.map { TrackerEvent(id: $0, kind: "enter", name: "Gate", time: moment(0)) }
        state.withLock { ($0.events, $0.newCount) = (events, newCount) }
    }

    /// Lets everybody know so much.
    func give(_ level: AuthorisationLevel, on server: ControlServer? = nil) {
        state.withLock { $0.level = level }
        server?.reassess()
    }

    func access(of peer: PeerCredentials) -> PeerAccess { PeerAccess(Authorisation(state.withLock { $0.level })) }

    func start(limits: ControlServer.Limits = .init()) async throws -> ControlServer {
        try await ControlServer.start(path: path, programVersion: "1.2.3", policy: self, handler: self, limits: limits)
    }

    /// A listener that takes connections and sends these bytes on each, and nothing else.
    func listen(saying bytes: [UInt8]) throws -> RawListener { try RawListener(path: path, bytes: bytes) }

    func status(for peer: PeerCredentials, access: PeerAccess) async throws(ControlRefusal) -> StatusReport {
        var report = StatusReport()
        report.version = "1.2.3"
        guard access.level == .full else { return report }
        report.problems = []
        var fences = StatusReport.Fences()
        (fences.count, fences.events, fences.newCount) = state.withLock { (1, $0.events, $0.newCount) }
        report.fences = fences
        return report
    }

    func perform(
        _ verb: any ControlVerb, for peer: PeerCredentials, access: PeerAccess, on connection: ControlConnectionID
    ) async throws(ControlRefusal) -> any ControlAnswer {
        if state.withLock({ $0.isSilent }) { while !Task.isCancelled { try? await Task.sleep(for: .seconds(3_600)) } }
        switch verb {
        case let hold as HoldRequest:
            state.withLock { $0.holds.append(hold.reason) }
            return HoldRequest.Answer(reason: hold.reason)
        case is TrackRequest: throw ControlRefusal(.notFound, what: "destination", why: "there is none")
        default: throw ControlRefusal(.unavailable, what: "tracker", why: "is a fake")
        }
    }

    func watchBegan(_ request: WatchRequest, on connection: ControlConnectionID, level: AuthorisationLevel) {
        state.withLock { $0.watches.append(request) }
    }
    func connectionBegan(_ connection: ControlConnectionID) { state.withLock { _ = $0.connections.insert(connection) } }
    func connectionEnded(_ connection: ControlConnectionID) { state.withLock { _ = $0.connections.remove(connection) } }
}

extension ControlServer {
    /// Tells all watches of a position, so many seconds after the start of 2026.
    func tell(_ second: Int) { broadcast(position(second).line, topic: .position) }

    func tell(event id: String) {
        let event = TrackerEvent(id: id, kind: "enter", name: "Gate", time: moment(0))
        broadcast(ControlProtocol.object("EVENT") { event.write(to: &$0) }, topic: .event)
    }
}

/// So many seconds after the start of 2026.
func moment(_ second: Int) -> UTCTime { UTCTime(millisecondsSince1970: 1_767_225_600_000 + Int64(second) * 1_000) }

/// A position in Zürich at that moment.
func position(_ second: Int, isCached: Bool = false) -> WatchedPosition {
    guard let place = Coordinate(latitudeDegrees: 47 + Double(second) / 1_000, longitudeDegrees: 8) else { preconditionFailure() }
    return WatchedPosition(Position(time: moment(second), coordinate: place), isSignificant: isCached, isCached: isCached)
}

/// Listens on a path, and says the same to everybody who connects.
final class RawListener: Sendable {
    private let descriptor: Int32

    init(path: String, bytes: [UInt8]) throws {
        var address = try UnixSocket.address(path)
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
        guard result == 0, Glibc.listen(descriptor, 16) == 0 else { throw SystemError(code: errno, operation: "listen", path: path) }
        if bytes.isEmpty { return }
        // A number of its own: that of the listener may be another file's by the time this ends.
        let own = dup(descriptor)
        Thread.detachNewThread {
            while true {
                let connection = accept(own, nil, nil)
                if connection < 0 { return Syscalls.close(own) }
                // One who has left already missed it.
                try? UnixSocket.sendAll(connection, bytes)
            }
        }
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        Syscalls.close(descriptor)
    }
}

/// Waits up to twenty seconds for something to come true.
func eventually(_ condition: () -> Bool) async -> Bool {
    let end = ContinuousClock.now + .seconds(20)
    while !condition() {
        if ContinuousClock.now > end { return false }
        try? await Task.sleep(for: .milliseconds(5))
    }
    return true
}
