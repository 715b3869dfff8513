import NIOCore
import NIOPosix
import Waypost
import WaypostSystem

/// NMEA 0183 from a TCP server: a multiplexer on a boat, a receiver on the network, a phone.
///
/// It never gives up: a server that is absent, closes, resets or falls silent (no whole sentence for five seconds or three periods) is
/// one ``PositionSourceEvent/lost(_:)``, and it connects again after 0.5, 1, 2, then every 3 seconds. When a connection has brought nothing,
/// the next is kept longer, up to 30 seconds, so that a server that speaks rarely is heard; also while a sentence may be arriving slowly.
/// Half-read data is discarded when a connection ends. Nothing is ever sent. Dates before 2020 get 1024 weeks added.
/// - Concurrency: reads on the event loop of all live sources; only the name is resolved elsewhere. A resolution that hangs when the task
///   is cancelled ends by itself later.
public struct NMEATCPSource: PositionSource {
    /// The port that is registered for NMEA 0183 (IANA, nmea-0183).
    public static let registeredPort: UInt16 = 10_110

    /// `nmea-tcp://host:port`.
    public let name: String
    /// The server's name or address.
    public let host: String
    /// The server's port.
    public let port: UInt16

    /// A source that connects to the given server.
    public init(host: String = "localhost", port: UInt16 = NMEATCPSource.registeredPort) {
        self.host = host
        self.port = port
        name = "nmea-tcp://" + URLAuthority.text(host: host, port: port)
    }

    /// Delivers events until the task is cancelled.
    public func run(_ output: @escaping PositionSourceOutput) async throws(PositionSourceError) {
        try await NMEAReconnection(name: name, endWords: "the connection has ended") { session in
            // Its own positions would come back to it.
            if LoopbackHost.contains(host), OwnPorts.contains(port) { throw OwnDoor() }
            return try await ClientBootstrap(group: LiveEventLoop.group)
                .connectTimeout(.seconds(5))
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(NMEATCPGreeter(session: session))
                    }
                }
                .connect(host: host, port: Int(port)).getUnlessCancelled()
        }.run(output)
    }
}

/// The server is this process.
private struct OwnDoor: Error, CustomStringConvertible {
    let description = "the tracker itself listens there ([share] nmea)"
}

/// Begins a connection of the session when the channel is open: of the attempts at several addresses only one opens.
private final class NMEATCPGreeter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let session: NMEASession

    init(session: NMEASession) {
        self.session = session
    }

    func channelActive(context: ChannelHandlerContext) {
        session.connected(to: context.remoteAddress.map(\.hostAndPort) ?? "the server")
        do {
            try context.pipeline.syncOperations.addHandler(
                NMEAChannelHandler(session: session, onSilence: .closesPatiently), position: .after(self))
        } catch {
            return context.close(promise: nil)
        }
        context.fireChannelActive()
    }
}
