import NIOCore
import NIOHTTP1
import NIOPosix
import Waypost
import WaypostControl
import WaypostPositioning
import WaypostSystem

/// The page's side of the network: listens on an address, a Unix socket or both, on one thread of its own.
final class PageServer: Sendable {
    /// Why the page cannot be reached, for people.
    struct Problem: Error, CustomStringConvertible {
        var description: String
    }

    private let thread: ServerThread
    private let hub: NIOLoopBound<PageHub>
    private let listeners: [any Channel]
    private let socket: String?

    private init(thread: ServerThread, hub: NIOLoopBound<PageHub>, listeners: [any Channel], socket: String?) {
        (self.thread, self.hub, self.listeners, self.socket) = (thread, hub, listeners, socket)
    }

    /// Listens.
    ///
    /// - Parameters:
    ///   - address: the address and port; nil for none.
    ///   - socket: the path of a Unix socket, for the tracker's group; nil for none.
    ///   - live: gets the hub, so that updates reach the pages.
    ///   - hold: keeps the device followed while a page is open.
    ///   - makeHub: makes the hub for a loop.
    static func start(
        at address: ListenAddress?, socket: String?, live: PageBroadcaster, hold: PositioningHold, limits: PageLimits,
        makeHub: @escaping @Sendable (any EventLoop) -> PageHub
    ) async throws(Problem) -> PageServer {
        let thread = ServerThread.take()
        let loop = thread.loop
        var listeners: [any Channel] = []
        var place = ""
        do {
            let hub = try await loop.submit { NIOLoopBound(makeHub(loop), eventLoop: loop) }.get()
            if let address {
                place = "\(address)"
                let bootstrap = bootstrap(on: loop, hub, limits).serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                    .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                listeners.append(try await bootstrap.bind(to: SocketAddress(ipAddress: address.host, port: address.port)).get())
            }
            if let socket {
                place = socket
                try prepare(socket)
                let listener = try UnixSocket.listener(at: socket, mode: 0o660)
                listeners.append(try await bootstrap(on: loop, hub, limits).withBoundSocket(listener).get())
            }
            live.open(hub, hold: hold)
            return PageServer(thread: thread, hub: hub, listeners: listeners, socket: socket)
        } catch {
            for listener in listeners { listener.close(promise: nil) }
            thread.giveBack()
            throw Problem(description: "\(place): \(reason(of: error))")
        }
    }

    /// Returns when the thread of the connections gets to this call; never when that thread hangs.
    func answer() async {
        do { try await hub.eventLoop.submit {}.get() } catch {}  // Stopped: then nothing hangs.
    }

    /// Ends every connection, and listens no more.
    func stop() async {
        if let socket { do { try UnixSocket.unlink(socket) } catch {} }  // It does not matter if the name is already gone.
        do {
            for listener in listeners { try await listener.close() }
            try await hub.eventLoop.submit { [hub] in hub.value.closeAll() }.get()
        } catch {
            return  // Stopped before.
        }
        thread.giveBack()
    }

    private static func bootstrap(on loop: any EventLoop, _ hub: NIOLoopBound<PageHub>, _ limits: PageLimits) -> ServerBootstrap {
        ServerBootstrap(group: loop).serverChannelOption(.backlog, value: 64)
            .childChannelOption(.writeBufferWaterMark, value: .init(low: limits.unsentBytes / 4, high: limits.unsentBytes))
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let headGuard = PageHeadGuard(limits)
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(headGuard)
                    try pipeline.configureHTTPServerPipeline(withPipeliningAssistance: true, withErrorHandling: true)
                    try pipeline.addHandler(PageConnection(hub: hub.value, headGuard: headGuard))
                }
            }
    }

    /// Makes room for the socket: one on which nothing listens any more is removed.
    private static func prepare(_ path: String) throws {
        if let slash = path.lastIndex(of: "/"), slash != path.startIndex { try Syscalls.createFolders(String(path[..<slash]), mode: 0o755) }
        switch try UnixSocket.occupant(of: path) {
        case .nothing: break
        case .staleSocket: try UnixSocket.unlink(path)
        case .listener: throw Problem(description: "another program listens there")
        case .other: throw Problem(description: "is there, and is not a socket")
        }
    }

    private static func reason(of error: any Error) -> String {
        switch error {
        case let error as SystemError: error.reason
        case let error as IOError: SystemError(code: error.errnoCode, operation: "listen").reason
        case let error as Problem: error.description
        default: "\(error)"
        }
    }
}
