import Glibc
import NIOCore
import NIOPosix
import Synchronization
import Waypost
import WaypostSystem

/// A TCP server of NMEA on a free port of 127.0.0.1, for tests; everything sent goes to every client.
final class NMEAServer: Sendable {
    private struct State {
        var listener: (any Channel)?
        var clients: [any Channel] = []
        var acceptedCount = 0
    }

    /// The port, kept over restarts.
    let port: Int
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let state = Mutex(State())

    init() async throws {
        let probe = try await ServerBootstrap(group: group).bind(host: "127.0.0.1", port: 0).get()
        port = probe.localAddress?.port ?? 0
        try await probe.close()
        try await start()
    }

    var acceptedCount: Int { state.withLock { $0.acceptedCount } }
    var clientCount: Int { state.withLock { $0.clients.count(where: \.isActive) } }

    func start() async throws {
        let listener = try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                self.state.withLock { state in
                    state.clients.append(channel)
                    state.acceptedCount += 1
                }
                return channel.eventLoop.makeSucceededVoidFuture()
            }
            .bind(host: "127.0.0.1", port: port).get()
        state.withLock { $0.listener = listener }
    }

    /// Ends the server and its connections.
    func stop() async {
        let listener = state.withLock { $0.listener.take() }
        try? await listener?.close()
        await hangUp()
    }

    /// Ends the connections; the server takes new ones.
    func hangUp() async {
        let clients = state.withLock { state in
            defer { state.clients = [] }
            return state.clients
        }
        for client in clients { try? await client.close() }
    }

    /// Sends to everybody, and waits until it is on its way.
    func send(_ bytes: [UInt8]) async {
        for client in state.withLock({ $0.clients }) { try? await client.writeAndFlush(ByteBuffer(bytes: bytes)) }
    }

    func send(_ text: String) async { await send(Array(text.utf8)) }
}

/// A UDP socket on 127.0.0.1 that sends datagrams, for tests.
final class UDPSender: Sendable {
    private let descriptor: Int32

    init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SystemError(code: errno, operation: "socket") }
    }

    deinit { close(descriptor) }

    func send(_ text: String, to port: UInt16) throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let bytes = Array(text.utf8)
        let count = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, bytes, bytes.count, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard count == bytes.count else { throw SystemError(code: errno, operation: "sendto") }
    }

    /// A port that nobody listens at just now.
    static func freePort() throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isBound else { throw SystemError(code: errno, operation: "bind") }
        return UInt16(bigEndian: address.sin_port)
    }
}
