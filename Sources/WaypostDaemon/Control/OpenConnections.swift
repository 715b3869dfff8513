import Synchronization
import WaypostControl

/// The connections of the control socket that are open.
///
/// A request is answered in a task of its own, and its connection may end meanwhile: what the answer gives a connection must end with it.
/// - Concurrency: from anywhere.
final class OpenConnections: Sendable {
    private let connections = Mutex<Set<ControlConnectionID>>([])

    /// Notes that a connection has begun.
    func begin(_ connection: ControlConnectionID) { connections.withLock { _ = $0.insert(connection) } }

    /// Notes that a connection has ended; to be called before what it has been given is taken back.
    func end(_ connection: ControlConnectionID) { connections.withLock { _ = $0.remove(connection) } }

    /// Whether a connection is open; to be asked after it has been given something.
    func contains(_ connection: ControlConnectionID) -> Bool { connections.withLock { $0.contains(connection) } }
}
