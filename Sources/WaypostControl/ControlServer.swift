import NIOCore
import NIOPosix
import Waypost
import WaypostSystem

/// The daemon's side of the control socket.
///
/// Connections live on one event loop; a client that does not read delays nobody and costs a bounded number of lines.
package final class ControlServer: Sendable {
    /// The limits of a server.
    package struct Limits: Sendable {
        /// Connections at the same time, an eighth of them for administrators; further ones get an ERROR line and are closed.
        package var connections: Int
        /// Those of all but administrators.
        package var connectionsOfUsers: Int { connections - connections / 8 }
        /// Those of one user who may know something.
        package var connectionsOfUser: Int { connections / 2 }
        /// Those of all users who may know nothing.
        package var connectionsOfStrangers: Int { connections / 2 }
        /// Those of one of them: others can still come and ask.
        package var connectionsOfStranger: Int { max(1, connections / 8) }
        /// Lines that wait for a watcher who does not read; after that the oldest are dropped.
        package var waitingLines: Int
        /// The number of unsent bytes of a connection above which lines wait.
        package var unsentBytes: Int

        /// Limits, by default those of a small device.
        package init(connections: Int = 64, waitingLines: Int = 256, unsentBytes: Int = 64 << 10) {
            self.connections = connections
            self.waitingLines = waitingLines
            self.unsentBytes = unsentBytes
        }
    }

    /// The path of the socket.
    package let path: String

    private let listener: any Channel
    private let hub: NIOLoopBound<ControlHub>
    private let thread: ServerThread

    private init(path: String, listener: any Channel, hub: NIOLoopBound<ControlHub>, thread: ServerThread) {
        self.path = path
        self.listener = listener
        self.hub = hub
        self.thread = thread
    }

    /// Listens at a path.
    ///
    /// Missing folders above it are created. A socket on which nothing listens any more is replaced; a live one, or anything that is not a
    /// socket, is an error. Every local user may connect (mode 0666): the peer's credentials decide who may see what.
    /// - Parameters:
    ///   - path: the path of the socket.
    ///   - programVersion: the version in the HELLO line.
    ///   - isService: whether a service manager keeps the daemon's messages.
    ///   - policy: who may see what.
    ///   - handler: answers the requests.
    ///   - limits: how many clients are accepted, and how much of each.
    package static func start(
        path: String, programVersion: String, isService: Bool = false, policy: any PeerAuthority, handler: some ControlHandler,
        limits: Limits = Limits()
    ) async throws(ControlError) -> ControlServer {
        try prepare(path)
        let thread = ServerThread.take()
        let loop = thread.loop
        do {
            let hub = try await loop.submit {
                NIOLoopBound(
                    ControlHub(programVersion: programVersion, isService: isService, policy: policy, handler: handler, limits: limits),
                    eventLoop: loop)
            }.get()
            let listener = try await ServerBootstrap(group: loop)
                .childChannelOption(.allowRemoteHalfClosure, value: true)
                .childChannelOption(
                    .writeBufferWaterMark, value: .init(low: max(1, limits.unsentBytes / 4), high: limits.unsentBytes)
                )
                .childChannelInitializer { channel in ControlConnection.join(channel, hub) }
                .withBoundSocket(try UnixSocket.listener(at: path, mode: 0o666)).get()
            return ControlServer(path: path, listener: listener, hub: hub, thread: thread)
        } catch {
            thread.giveBack()
            throw .cannotListen(path: path, reason: reason(of: error))
        }
    }

    /// Sends a line (without its line feed) to every watch that wants its topic and may know everything.
    ///
    /// - Cost: the line is copied once, for any number of watching clients.
    /// - Concurrency: from anywhere; returns at once. Lines of one caller arrive in its order.
    package func broadcast(_ line: [UInt8], topic: ControlTopic) {
        let buffer = ByteBuffer(line: line)
        hub.eventLoop.execute { [hub, buffer] in hub.value.broadcast(buffer, topic: topic) }
    }

    /// Sends a line (without its line feed) to the watches of these connections, if they still exist and may know that much.
    ///
    /// - Concurrency: as ``broadcast(_:topic:)``; lines sent by both arrive in the caller's order.
    package func send(_ line: [UInt8], to connections: [ControlConnectionID], needing level: AuthorisationLevel = .full) {
        let buffer = ByteBuffer(line: line)
        hub.eventLoop.execute { [hub, buffer] in hub.value.send(buffer, to: connections, needing: level) }
    }

    /// Makes every connection look what its client may know now; to be called when the authority has changed its mind about anybody.
    ///
    /// Lines that wait for a client who may know less from now on are dropped, and the client is told.
    /// - Concurrency: from anywhere; returns at once.
    package func reassess() {
        hub.eventLoop.execute { [hub] in hub.value.reassess() }
    }

    /// Returns when the thread of the connections gets to this call; never when that thread hangs.
    package func answer() async {
        // It fails only when the server has been stopped: then nothing hangs.
        do { try await hub.eventLoop.submit {}.get() } catch {}
    }

    /// Removes the socket and ends every connection.
    package func stop() async {
        // First the name, then the listener: a successor never finds its own socket gone. It does not matter if the name is already gone.
        do { try UnixSocket.unlink(path) } catch {}
        do { try await listener.close() } catch { return }  // Stopped before.
        // Nobody joins any more.
        do { try await hub.eventLoop.submit { [hub] in hub.value.closeAll() }.get() } catch {}  // It does not fail.
        thread.giveBack()
    }

    private static func prepare(_ path: String) throws(ControlError) {
        guard path.nameBytes.count <= UnixSocket.maximumPathBytes else {
            throw .pathTooLong(path: path, limit: UnixSocket.maximumPathBytes)
        }
        do {
            if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
                // Others must be able to pass through the folder.
                try Syscalls.createFolders(String(path[..<slash]), mode: 0o755)
            }
            switch try UnixSocket.occupant(of: path) {
            case .nothing: break
            case .staleSocket: try UnixSocket.unlink(path)
            case .listener:
                if let stranger = stranger(at: path) {
                    throw ControlError.cannotListen(path: path, reason: "\(stranger) listens there; use another --socket")
                }
                throw ControlError.anotherIsListening(path: path)
            case .other: throw ControlError.notASocket(path: path)
            }
        } catch let error as ControlError {
            throw error
        } catch {
            throw .cannotListen(path: path, reason: reason(of: error))
        }
    }

    /// A program that listens on a socket and is no tracker: `python3 (process 700)`; nil for a tracker, or when it cannot be seen.
    private static func stranger(at path: String) -> String? {
        guard let number = PeerCredentials.listener(at: path), number != SystemProcess.processID,
            let name = SystemTree(root: "").firstLine(of: "/proc/\(number)/comm")?.text, name != "waypostd"
        else { return nil }
        return "\(oneLine(name, limit: 40)) (process \(number))"
    }

    private static func reason(of error: any Error) -> String {
        switch error {
        case let error as SystemError: error.reason
        case let error as IOError: SystemError(code: error.errnoCode, operation: "listen").reason
        default: "\(error)"
        }
    }
}
