import NIOCore
import WaypostSystem

/// One client's connection: splits its input into requests, answers them in order, and passes on the lines it watches.
///
/// While a request is being answered, or while the client does not read its lines, nothing more is read from it.
final class ControlConnection: ChannelInboundHandler, ChannelOutboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    let id: ControlConnectionID
    private let hub: ControlHub
    private let peer: PeerCredentials
    private var context: ChannelHandlerContext?

    /// Received but not processed yet.
    private var received = ByteBuffer()
    private var isAnswering = false
    /// The client will send no more.
    private var isInputClosed = false
    private var isClosing = false
    /// A read that was held back.
    private var isReadHeld = false

    private var watch: WatchRequest?
    private var queue: WatcherQueue

    /// Whether the client watches.
    var isWatching: Bool { watch != nil }

    /// Whether the client may see everything.
    var isTrusted: Bool { hub.policy.access(of: peer) == .full }

    init(hub: ControlHub, peer: PeerCredentials) {
        self.hub = hub
        self.peer = peer
        id = hub.makeID()
        queue = WatcherQueue(limit: hub.limits.waitingLines)
    }

    /// Identifies the user at the other end and registers the connection; without credentials it ends.
    static func join(_ channel: any Channel, _ hub: NIOLoopBound<ControlHub>) -> EventLoopFuture<Void> {
        PeerCredentials.read(from: channel).flatMapThrowing { peer in
            try channel.pipeline.syncOperations.addHandler(ControlConnection(hub: hub.value, peer: peer))
        }
    }

    // MARK: From the hub

    /// Whether it watches lines of the given topic that go to every watch.
    func wants(_ topic: ControlTopic) -> Bool { watch?.wants(topic) ?? false }

    /// Passes a line to a client that watches; when the client is slow the line waits, and the oldest are dropped.
    func deliver(_ line: ByteBuffer) {
        guard let context, watch != nil, !isClosing else { return }
        if queue.isEmpty, context.channel.isWritable {
            context.writeAndFlush(wrapOutboundOut(line), promise: nil)
        } else {
            queue.append(line)
        }
    }

    func close() {
        isClosing = true
        context?.close(promise: nil)
    }

    // MARK: From the channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelActive(context: ChannelHandlerContext) {
        if hub.admit(self) {
            context.writeAndFlush(wrapOutboundOut(hub.hello), promise: nil)
        } else {
            refuseAndClose(
                ControlRefusal(
                    .tooManyConnections, what: "control socket", why: "there are \(hub.limits.connections) connections already",
                    next: "end one and try again"), context)
        }
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        isClosing = true
        watch = nil
        hub.remove(self)
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isClosing else { return }
        var bytes = unwrapInboundIn(data)
        received.writeBuffer(&bytes)
        answerRequests(context)
    }

    func read(context: ChannelHandlerContext) {
        if isAnswering || isClosing || !context.channel.isWritable {
            isReadHeld = true
        } else {
            context.read()
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        sendWaitingLines(context)
        readOn(context)
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .some(.inputClosed) = event as? ChannelEvent {
            isInputClosed = true
            closeWhenDone(context)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Any error (a reset, a broken pipe) affects only this client.
        context.close(promise: nil)
    }

    // MARK: Requests

    private func answerRequests(_ context: ChannelHandlerContext) {
        while !isAnswering, !isClosing {
            let window = received.readableBytesView.prefix(ControlProtocol.maximumRequestBytes + 1)
            guard let lineFeed = window.firstIndex(of: UInt8(ascii: "\n")) else {
                if window.count > ControlProtocol.maximumRequestBytes {
                    refuseAndClose(
                        ControlRefusal(
                            .tooLong, what: "request", why: "is longer than \(ControlProtocol.maximumRequestBytes) bytes",
                            next: "send less at a time"),
                        context)
                }
                break
            }
            let line = Array(window[..<lineFeed])
            received.moveReaderIndex(to: lineFeed + 1)
            // An empty line (a person at the keyboard) is not a request.
            if line.allSatisfy({ $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: " ") }) { continue }
            do throws(ControlRefusal) {
                try answer(try ControlRequests.request(on: line.span), context)
            } catch {
                send(error.line, context)
            }
        }
        received.discardReadBytes()
        closeWhenDone(context)
    }

    private func answer(_ request: any ControlRequest, _ context: ChannelHandlerContext) throws(ControlRefusal) {
        let access = hub.policy.access(of: peer)
        if request is StatusRequest {
            return answer(context) { [handler = hub.handler, peer] () async throws(ControlRefusal) in
                try await handler.status(for: peer, access: access)
            }
        }
        try requireFull(access)
        if let request = request as? WatchRequest {
            watch = request
            return hub.handler.watchBegan(request, on: id)
        }
        guard let verb = request as? any ControlVerb else { preconditionFailure("\(type(of: request)) has no answer") }
        answer(context) { [handler = hub.handler, peer, id] () async throws(ControlRefusal) in
            try await handler.perform(verb, for: peer, on: id)
        }
    }

    private func requireFull(_ access: PeerAccess) throws(ControlRefusal) {
        guard access == .full else {
            throw ControlRefusal(
                .notAuthorised, what: "tracker", why: "user \(peer.userID) may not use it",
                next: "use sudo, or join the group that may: sudo usermod -aG \(PeerPolicy.trustedGroupName) $USER, then log in again")
        }
    }

    /// Answers with the daemon's line, some time later.
    private func answer(
        _ context: ChannelHandlerContext, _ answer: @escaping @Sendable () async throws(ControlRefusal) -> any ControlAnswer
    ) {
        isAnswering = true
        context.eventLoop.makeFutureWithTask {
            do throws(ControlRefusal) { return try await answer().line } catch { return error.line }
        }.assumeIsolated().whenSuccess { [self] line in
            isAnswering = false
            guard let context = self.context, !isClosing else { return }
            send(line, context)
            answerRequests(context)
            readOn(context)
        }
    }

    // MARK: Sending

    private func send(_ line: [UInt8], _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(line: line)), promise: nil)
    }

    private func sendWaitingLines(_ context: ChannelHandlerContext) {
        guard !queue.isEmpty else { return }
        while context.channel.isWritable, let item = queue.next() {
            switch item {
            case .dropped(let count): context.write(wrapOutboundOut(ByteBuffer(line: DroppedLines(count: count).line)), promise: nil)
            case .line(let line): context.write(wrapOutboundOut(line), promise: nil)
            }
        }
        context.flush()
    }

    private func readOn(_ context: ChannelHandlerContext) {
        guard isReadHeld, !isAnswering, !isClosing, context.channel.isWritable else { return }
        isReadHeld = false
        context.read()
    }

    private func refuseAndClose(_ refusal: ControlRefusal, _ context: ChannelHandlerContext) {
        isClosing = true
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(line: refusal.line))).assumeIsolated().whenComplete { [self] _ in
            self.context?.close(promise: nil)
        }
    }

    /// A client that sends no more and watches nothing has all its answers when none is under way.
    private func closeWhenDone(_ context: ChannelHandlerContext) {
        guard isInputClosed, !isAnswering, !isWatching, !isClosing else { return }
        isClosing = true
        context.writeAndFlush(wrapOutboundOut(ByteBuffer())).assumeIsolated().whenComplete { [self] _ in
            self.context?.close(promise: nil)
        }
    }
}
