import NIOCore

/// Ends a connection whose request is too long or too slow, before anything of it is read.
final class PageHeadGuard: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let limits: PageLimits
    private var byteCount = 0
    private var deadline: Scheduled<Void>?
    private var isOver = false

    init(_ limits: PageLimits) {
        self.limits = limits
    }

    func channelActive(context: ChannelHandlerContext) {
        wait(limits.requestTime, context.channel)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        let bytes = unwrapInboundIn(data)
        byteCount += bytes.readableBytes
        guard byteCount <= limits.requestBytes else {
            isOver = true
            let text = "HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
            let channel = context.channel
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text))).whenComplete { _ in channel.close(promise: nil) }
            return
        }
        context.fireChannelRead(data)
    }

    /// A whole request has arrived.
    func noteRequest() {
        byteCount = 0
        deadline?.cancel()
    }

    /// The next request may come.
    func noteAnswer(_ channel: any Channel) {
        byteCount = 0
        wait(limits.idleTime, channel)
    }

    private func wait(_ time: TimeAmount, _ channel: any Channel) {
        deadline?.cancel()
        deadline = channel.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
    }
}
