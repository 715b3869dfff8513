import NIOCore
import Waypost
import WaypostSystem

/// The end of a live NMEA source's pipeline: bytes in, events out through the session.
///
/// It ends an epoch when the line falls quiet, and notices silence; the source waits for the channel's end and handles it.
/// - Concurrency: belongs to its channel's event loop.
final class NMEAChannelHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// What happens to the channel once silence is a loss.
    enum Silence {
        /// It is closed, and the source opens it again: a line that hangs, a peer that is gone without notice.
        case closes
        /// It is closed later each time nothing has come at all, and while a sentence may be arriving slowly.
        case closesPatiently
        /// It stays open: a socket without connections has nothing to reconnect.
        case keeps
    }

    /// A pause that ends an epoch; within one cycle receivers pause less.
    static let quietMilliseconds = NMEAFileSource.quietMilliseconds

    /// How long the line is still read once its time is over: where the process was stopped, or held up, that timer may come before what has
    /// arrived meanwhile, and that must neither count as silence nor be thrown away.
    private static let lookMilliseconds: Int64 = 100

    private let session: NMEASession
    private let silence: Silence
    private var lastReadAt: Int64 = 0
    private var quietTimer: Scheduled<Void>?
    private var silenceTimer: Scheduled<Void>?

    /// A handler for one channel of the session.
    init(session: NMEASession, onSilence silence: Silence = .closes) {
        self.session = session
        self.silence = silence
    }

    func handlerAdded(context: ChannelHandlerContext) {
        watchSilence(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        quietTimer?.cancel()
        silenceTimer?.cancel()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        lastReadAt = MonotonicClock.milliseconds
        let buffer = unwrapInboundIn(data)
        buffer.withUnsafeReadableBytes { raw in
            session.receive(Span(_unsafeBytes: raw))
        }
        // A receiver whose last sentence is known needs no timer: its epoch has already ended.
        if quietTimer == nil, session.isEpochOpen { watchQuiet(context, milliseconds: NMEAChannelHandler.quietMilliseconds) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        session.endEpoch()
        context.fireChannelInactive()
    }

    /// An error of the channel (EIO of an unplugged line) closes it; the source sees the end.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    // One timer that is postponed, not one per read.
    private func watchQuiet(_ context: ChannelHandlerContext, milliseconds: Int64) {
        quietTimer = context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(milliseconds)) { [self] in
            quietTimer = nil
            let rest = lastReadAt + NMEAChannelHandler.quietMilliseconds - MonotonicClock.milliseconds
            if rest > 0 { return watchQuiet(context, milliseconds: rest) }
            session.endEpoch()
        }
    }

    private func watchSilence(_ context: ChannelHandlerContext) {
        watchSilence(context, in: session.judgementDeadline - MonotonicClock.milliseconds) { [self] in
            guard MonotonicClock.milliseconds >= session.judgementDeadline else { return watchSilence(context) }
            watchSilence(context, in: NMEAChannelHandler.lookMilliseconds) { [self] in judgeSilence(context) }
        }
    }

    /// Reports a silence that has lasted, and ends the channel for it.
    private func judgeSilence(_ context: ChannelHandlerContext) {
        guard session.checkSilence() else { return watchSilence(context) }
        if mustClose { return context.close(promise: nil) }
        // The deadline has passed and remains so until the next sentence: check again after a while.
        watchSilence(context, in: 1_000) { [self] in watchSilence(context) }
    }

    private func watchSilence(_ context: ChannelHandlerContext, in milliseconds: Int64, _ next: @escaping () -> Void) {
        silenceTimer = context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(max(1, milliseconds)), next)
    }

    /// Whether the silence, which is a loss, is the end of the channel.
    private var mustClose: Bool {
        switch silence {
        case .closes: true
        case .closesPatiently: MonotonicClock.milliseconds >= session.closingDeadline
        case .keeps: false
        }
    }
}
