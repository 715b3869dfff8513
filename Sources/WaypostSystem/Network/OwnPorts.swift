import Synchronization

/// The TCP ports of this machine on which this process listens, so that it never becomes its own client.
///
/// - Concurrency: from anywhere.
package enum OwnPorts {
    private static let ports = Mutex<Set<UInt16>>([])

    /// Whether a program that connects to the port here reaches this process.
    package static func contains(_ port: UInt16) -> Bool { ports.withLock { $0.contains(port) } }

    /// Notes that this process listens there, or no longer.
    package static func set(_ port: UInt16, isOwn: Bool) {
        ports.withLock { ports in
            if isOwn { ports.insert(port) } else { ports.remove(port) }
        }
    }
}
