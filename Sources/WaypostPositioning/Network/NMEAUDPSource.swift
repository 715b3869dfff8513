import NIOCore
import NIOPosix
import Waypost
import WaypostSystem

/// NMEA 0183 in UDP datagrams that arrive at an address of this machine, by default the loopback address.
///
/// One sender at a time, by `UDPSenderRule`. A datagram holds whole lines: one that ends within a sentence cuts it, and the rest in the
/// next datagram counts as damage; a missing line end at the datagram's end does not. Dates before 2020 get 1024 weeks added.
///
/// It never gives up: an address that cannot be used at the moment is one ``PositionSourceEvent/lost(_:)``, and it tries again after 0.5, 1,
/// 2, then every 3 seconds. Silence is a loss, too, but the socket stays open.
/// - Errors: `unusable` for an invalid address; no name but `localhost` is looked up.
/// - Concurrency: reads on the event loop of all live sources.
public struct NMEAUDPSource: PositionSource {
    // The largest datagram there is: a shorter buffer would cut silently.
    private static let largestDatagram = 65_536

    /// `nmea-udp://address:port`.
    public let name: String
    /// The address on which it listens; `0.0.0.0` or `::` is every address of this machine, `localhost` is `127.0.0.1`.
    public let address: String
    /// The port on which it listens.
    public let port: UInt16

    /// A source that listens on the given address.
    public init(address: String = "127.0.0.1", port: UInt16 = NMEATCPSource.registeredPort) {
        self.address = address
        self.port = port
        name = "nmea-udp://" + URLAuthority.text(host: address, port: port)
    }

    /// Delivers events until the task is cancelled.
    public func run(_ output: @escaping PositionSourceOutput) async throws(PositionSourceError) {
        let bound: SocketAddress
        do {
            bound = try SocketAddress(ipAddress: address == "localhost" ? "127.0.0.1" : address, port: Int(port))
        } catch {
            throw .unusable(path: name, reason: "\(address) is not an address; write one of this machine, or 0.0.0.0 for all of them")
        }
        try await NMEAReconnection(name: name, endWords: "the socket was closed") { session in
            try await DatagramBootstrap(group: LiveEventLoop.group)
                .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: NMEAUDPSource.largestDatagram))
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandlers([
                            UDPSenderFilter(session: session), NMEAChannelHandler(session: session, onSilence: .keeps),
                        ])
                    }
                }
                .bind(to: bound).getUnlessCancelled()
        }.run(output)
    }
}

/// Passes on the datagrams of one sender, as bytes whose last line is whole.
private final class UDPSenderFilter: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>
    typealias InboundOut = ByteBuffer

    private static let lineFeed = UInt8(ascii: "\n")

    private let session: NMEASession
    private var rule = UDPSenderRule()

    init(session: NMEASession) {
        self.session = session
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let envelope = unwrapInboundIn(data)
        var datagram = envelope.data
        guard let last = datagram.readableBytesView.last else { return }
        let sender = envelope.remoteAddress.hostAndPort
        let now = MonotonicClock.milliseconds
        let verdict = rule.judge(
            sender, isFollowedSilent: now >= session.silenceDeadline, isFollowedWithoutFix: now >= session.fixDeadline,
            holdsSentence: { UDPSenderFilter.read(datagram).sentenceCount > 0 }, fix: { UDPSenderFilter.read(datagram).fix })
        switch verdict {
        case .follows: break
        case .followsFromNowOn: session.connected(to: sender)
        case .isIgnored: return
        case .isIgnoredAndNamed(let followed):
            return session.warn("datagrams from \(sender) are ignored while \(followed) sends")
        case .holdsNothing: return
        }
        if last != UDPSenderFilter.lineFeed { datagram.writeInteger(UDPSenderFilter.lineFeed) }
        context.fireChannelRead(wrapInboundOut(datagram))
    }

    private static func read(_ datagram: ByteBuffer) -> (sentenceCount: Int, fix: UDPSenderRule.Fix?) {
        var decoder = NMEADecoder()
        var events: [NMEAEvent] = []
        datagram.withUnsafeReadableBytes { decoder.decode(Span(_unsafeBytes: $0), into: &events) }
        decoder.finish(into: &events)
        let fixes = events.compactMap { event -> UDPSenderRule.Fix? in
            guard case .epoch(let epoch) = event, let position = epoch.position else { return nil }
            return UDPSenderRule.Fix(millisecondOfDay: epoch.millisecondOfDay, coordinate: position.coordinate)
        }
        return (decoder.counters.sentences, fixes.last)
    }
}
