import NIOCore
import Waypost
import WaypostSystem

/// One program that has connected to a door: it gets what it asked for, each message in a write of its own.
///
/// While it does not read, messages for it are dropped, and nothing more is read from it: it costs a bounded amount of memory, and delays nobody.
/// - Concurrency: belongs to its channel's event loop.
final class ShareClient: ChannelInboundHandler, ChannelOutboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// What it speaks.
    private enum Language {
        /// gpsd's protocol.
        case gpsd(GPSDConversation)
        /// NMEA 0183; what it sends is ignored, as a receiver that takes no commands does.
        case nmea
    }

    let kind: ShareDoorKind
    /// Who it is, as far as that is known.
    let caller: ShareAccess.Caller
    private let hub: ShareHub
    private var language: Language
    private var context: ChannelHandlerContext?
    private var isReadHeld = false
    /// When it last sent something, was last sent something, or began to wait: milliseconds of the monotonic clock.
    private var movedAt = MonotonicClock.milliseconds

    init(_ kind: ShareDoorKind, of caller: ShareAccess.Caller, hub: ShareHub) {
        (self.kind, self.caller, self.hub) = (kind, caller, hub)
        language = kind.isNMEA ? .nmea : .gpsd(GPSDConversation())
    }

    /// Whether it needs positions.
    var needsPositions: Bool {
        switch language {
        case .gpsd(let conversation): conversation.watch.isOn
        case .nmea: true
        }
    }

    /// Whether it wants reports as JSON.
    var wantsJSON: Bool {
        if case .gpsd(let conversation) = language { conversation.watch.sendsJSON } else { false }
    }

    /// Whether it wants reports as NMEA.
    var wantsNMEA: Bool {
        switch language {
        case .gpsd(let conversation): conversation.watch.sendsNMEA
        case .nmea: true
        }
    }

    /// Sends a message, in a write of its own; a client that does not read misses it.
    func deliver(_ message: ByteBuffer) {
        guard let context, context.channel.isWritable else { return }
        movedAt = MonotonicClock.milliseconds
        context.writeAndFlush(wrapOutboundOut(message), promise: nil)
    }

    /// Ends the connection if it has been of no use for so long: it neither asks for anything nor reads what it gets.
    func closeIfIdle(for milliseconds: Int64) {
        let isStuck = context.map { !$0.channel.isWritable } ?? false
        guard isStuck || !needsPositions, MonotonicClock.milliseconds - movedAt >= milliseconds else { return }
        close()
    }

    func close() { context?.close(promise: nil) }

    // MARK: From the channel

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelActive(context: ChannelHandlerContext) {
        guard hub.admit(self) else {
            if !kind.isNMEA { deliver(ByteBuffer(bytes: GPSDWriter.error("Too many clients, try again later."))) }
            return context.close(promise: nil)
        }
        if kind.isNMEA { hub.greet(self) } else { deliver(ByteBuffer(bytes: GPSDWriter.version(WaypostVersion.text))) }
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        hub.remove(self)
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        movedAt = MonotonicClock.milliseconds
        unwrapInboundIn(data).withUnsafeReadableBytes { raw in answer(Span(_unsafeBytes: raw)) }
    }

    func read(context: ChannelHandlerContext) {
        if mayRead(context) { context.read() } else { isReadHeld = true }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            answer(Span())
            if isReadHeld, mayRead(context) {
                isReadHeld = false
                context.read()
            }
        }
        context.fireChannelWritabilityChanged()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A reset or a broken pipe affects only this client.
        context.close(promise: nil)
    }

    private func mayRead(_ context: ChannelHandlerContext) -> Bool {
        guard context.channel.isWritable else { return false }
        if case .gpsd(let conversation) = language { return !conversation.isBehind }
        return true
    }

    /// Answers what has come, as long as the answers are read.
    private func answer(_ bytes: Span<UInt8>) {
        guard case .gpsd(var conversation) = language else { return }
        let neededPositions = conversation.watch.isOn
        var bytes = bytes
        repeat {
            for line in hub.answers(of: &conversation, for: self, to: bytes) {
                context?.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: line)), promise: nil)
            }
            bytes = Span()
        } while conversation.isBehind && context?.channel.isWritable == true
        language = .gpsd(conversation)
        guard conversation.watch.isOn != neededPositions else { return }
        hub.noteNeed(of: kind)
        if conversation.watch.isOn { hub.greet(self) }
    }
}
