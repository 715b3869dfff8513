import NIOCore
import Waypost

/// The shared state of a server's connections; it belongs to their event loop.
final class ControlHub {
    let policy: any PeerAuthority
    let handler: any ControlHandler
    let limits: ControlServer.Limits
    /// The first line of every connection.
    let hello: ByteBuffer

    private var connections: [ControlConnectionID: ControlConnection] = [:]
    private var connectionCount = 0

    init(
        programVersion: String, isService: Bool = false, policy: any PeerAuthority, handler: any ControlHandler,
        limits: ControlServer.Limits
    ) {
        self.policy = policy
        self.handler = handler
        self.limits = limits
        var greeting = Greeting()
        (greeting.version, greeting.isOfService) = (programVersion, isService)
        hello = ByteBuffer(line: greeting.line)
    }

    /// A new identifier for a connection.
    func makeID() -> ControlConnectionID {
        connectionCount += 1
        return ControlConnectionID(number: connectionCount)
    }

    /// Counts one more connection; returns why that is too many, if it is.
    ///
    /// Every local user may connect: nobody must keep the others out, and nobody the administrator.
    func admit(_ connection: ControlConnection) -> ControlRefusal? {
        let (own, total) = (connections.values.count { $0.userID == connection.userID }, connections.count)
        func refusal(_ count: Int, _ whose: String, _ next: String) -> ControlRefusal {
            ControlRefusal(
                .tooManyConnections, what: "control socket", why: "there are \(counted(count, "connection")) of \(whose) already",
                next: next)
        }
        if !connection.access.isAdministrator {
            let isAllowed = connection.access.level.isAllowed
            let mostOfUser = isAllowed ? limits.connectionsOfUser : limits.connectionsOfStranger
            if own >= mostOfUser { return refusal(mostOfUser, "this user", "end one and try again") }
            if !isAllowed, connections.values.count(where: { !$0.access.level.isAllowed }) >= limits.connectionsOfStrangers {
                return refusal(limits.connectionsOfStrangers, "users who may not know the position", "try again later")
            }
            if total >= limits.connectionsOfUsers { return refusal(total, "all users", "try again later") }
        } else if total >= limits.connections {
            return refusal(total, "all users", "end one and try again")
        }
        connections[connection.id] = connection
        handler.connectionBegan(connection.id)
        return nil
    }

    /// Forgets a connection that has ended.
    func remove(_ connection: ControlConnection) {
        if connections.removeValue(forKey: connection.id) != nil { handler.connectionEnded(connection.id) }
    }

    func send(_ line: ByteBuffer, to ids: [ControlConnectionID], needing level: AuthorisationLevel) {
        for id in ids {
            if let connection = connections[id], connection.access.level >= level { connection.deliver(line) }
        }
    }

    func broadcast(_ line: ByteBuffer, topic: ControlTopic) {
        for connection in connections.values where connection.access.level == .full && connection.wants(topic) { connection.deliver(line) }
    }

    /// Lets every connection see what its client may know now.
    func reassess() {
        for connection in connections.values { connection.reassess() }
    }

    func closeAll() {
        for connection in connections.values { connection.close() }
    }
}

extension ByteBuffer {
    /// A line with its line feed.
    init(line: [UInt8]) {
        self = ByteBufferAllocator().buffer(capacity: line.count + 1)
        writeBytes(line)
        writeInteger(UInt8(ascii: "\n"))
    }
}
