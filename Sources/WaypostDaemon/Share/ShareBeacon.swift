import NIOCore
import NIOPosix
import WaypostSystem

/// Sends what everybody may hear in datagrams; nobody answers, so nobody is counted.
///
/// - Concurrency: belongs to its channel's event loop.
final class ShareBeacon {
    private let channel: any Channel
    private let destination: SocketAddress
    private let noteFailure: @Sendable (SystemError?) -> Void
    private var hasFailed = false

    /// A datagram stays within what every network carries in one piece; lines are never cut.
    private static let longestDatagram = 1_400

    init(_ channel: any Channel, to destination: SocketAddress, noteFailure: @escaping @Sendable (SystemError?) -> Void) {
        (self.channel, self.destination, self.noteFailure) = (channel, destination, noteFailure)
    }

    /// Sends whole lines, in as few datagrams as they fit in.
    func send(_ lines: ByteBuffer) {
        guard channel.isWritable else { return }
        var rest = lines
        while rest.readableBytes > 0 {
            let piece = rest.readableBytesView.prefix(ShareBeacon.longestDatagram)
            let end = rest.readableBytes <= ShareBeacon.longestDatagram ? nil : piece.lastIndex(of: UInt8(ascii: "\n"))
            guard let datagram = rest.readSlice(length: end.map { $0 + 1 - piece.startIndex } ?? piece.count) else { return }
            channel.writeAndFlush(AddressedEnvelope(remoteAddress: destination, data: datagram)).assumeIsolated().whenComplete { [self] in
                note($0)
            }
        }
    }

    func close() { channel.close(promise: nil) }

    private func note(_ result: Result<Void, any Error>) {
        var failure: SystemError?
        if case .failure(let error) = result { failure = (error as? IOError).map { SystemError(code: $0.errnoCode, operation: "send") } }
        guard hasFailed != (failure != nil) else { return }
        hasFailed = failure != nil
        noteFailure(failure)
    }
}
