import NIOCore
import Waypost
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
    /// The user at the other end.
    var userID: UInt32 { peer.userID }
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
    /// Whether lines come to the client that answer nothing, though it does not watch: it is told what it may know, or what its programs wait for.
    private var isListening = false
    /// Whether it keeps the receiver on.
    private var isHolding = false

    /// What the client may know and do.
    private(set) var access: PeerAccess

    /// Whether the client watches.
    var isWatching: Bool { watch != nil || isListening }

    init(hub: ControlHub, peer: PeerCredentials) {
        self.hub = hub
        self.peer = peer
        id = hub.makeID()
        access = hub.policy.access(of: peer)
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
        guard let context, isWatching, !isClosing else { return }
        if queue.isEmpty, context.channel.isWritable {
            context.writeAndFlush(wrapOutboundOut(line), promise: nil)
        } else {
            queue.append(line)
        }
    }

    /// Finds out what the client may know now, tells it when that has changed, and drops what it may not know any more.
    func reassess() {
        let before = access
        access = hub.policy.access(of: peer)
        guard access.authorisation != before.authorisation, let context, !isClosing else { return }
        if access.level < before.level { queue = WatcherQueue(limit: hub.limits.waitingLines) }
        if let watch, access.level != before.level { hub.handler.watchBegan(watch, on: id, level: access.level) }
        if isWatching { send(AuthorisationChange(access.authorisation).line, context) }
        if isHolding, !HoldRequest.permission.allows(access) { endHolds(context) }
    }

    /// Ends what its user may not ask for any more; a connection that is there for nothing else ends with it.
    private func endHolds(_ context: ChannelHandlerContext) {
        isHolding = false
        hub.handler.holdsEnded(on: id)
        if !isWatching { refuseAndClose(refusal(of: HoldRequest()), context) }
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
        if let refusal = hub.admit(self) {
            refuseAndClose(refusal, context)
        } else {
            context.writeAndFlush(wrapOutboundOut(hub.hello), promise: nil)
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
        reassess()
        let access = access
        guard type(of: request).permission.allows(access) else { throw refusal(of: request) }
        if request is StatusRequest {
            return answer(context, request) { [handler = hub.handler, peer] () async throws(ControlRefusal) in
                try await handler.status(for: peer, access: access)
            }
        }
        if let request = request as? WatchRequest {
            watch = request
            return hub.handler.watchBegan(request, on: id, level: access.level)
        }
        if request.opensListening { isListening = true }
        guard let verb = request as? any ControlVerb else { preconditionFailure("\(type(of: request)) has no answer") }
        answer(context, request) { [handler = hub.handler, peer, id] () async throws(ControlRefusal) in
            try await handler.perform(verb, for: peer, access: access, on: id)
        }
    }

    private func refusal(of request: any ControlRequest) -> ControlRefusal {
        let user = SystemAccounts.name(ofUser: peer.userID)
        var join: String {
            let group = PeerPolicy.trustedGroupName
            // A member who is refused has been given less by name.
            guard SystemAccounts.groupID(named: group).map(peer.groupIDs.contains) != true else {
                return "take back what was decided about it: sudo waypost revoke \(shellWord(user))"
            }
            return "join the group that may do everything: sudo usermod -aG \(group) $USER, then log in again"
        }
        func refusal(_ why: String, _ next: String) -> ControlRefusal {
            ControlRefusal(.notAuthorised, what: "tracker", why: why, next: next)
        }
        return switch type(of: request).permission {
        case .administrators: refusal("user \(user) may not decide what others may know", "use sudo")
        case _ where access.isClosed:
            refusal("its policy or its grants cannot be used, so it serves only root", "this shows what is wrong: sudo waypost doctor")
        case .operators: refusal("user \(user) may not operate the tracker", "use sudo, or \(join)")
        case .full where access.level == .reduced:
            refusal(
                "user \(user) may only know roughly where it is",
                "ask for more: waypost request-full --purpose KEY; or as root: sudo waypost grant \(shellWord(user)) full")
        case .anybody where access.level.isAllowed, .reduced where access.level.isAllowed:
            refusal("what user \(user) may know has changed meanwhile", "ask again")
        case .anybody, .reduced, .full:
            refusal("user \(user) may not know the position", "as root: sudo waypost grant \(shellWord(user)) full; or \(join)")
        }
    }

    /// Answers with the daemon's line, some time later.
    private func answer(
        _ context: ChannelHandlerContext, _ request: any ControlRequest,
        _ answer: @escaping @Sendable () async throws(ControlRefusal) -> any ControlAnswer
    ) {
        isAnswering = true
        let startLevel = access.level
        context.eventLoop.makeFutureWithTask {
            do throws(ControlRefusal) { return try await answer().line } catch { return error.line }
        }.assumeIsolated().whenSuccess { [self] line in
            isAnswering = false
            guard let context = self.context, !isClosing else { return }
            // What was allowed when the answer began may not be allowed any more.
            reassess()
            if isClosing { return }
            let isStillAllowed = access.level >= startLevel && type(of: request).permission.allows(access)
            if request is HoldRequest {
                if isStillAllowed { isHolding = true } else { hub.handler.holdsEnded(on: id) }
            }
            send(isStillAllowed ? line : refusal(of: request).line, context)
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

extension ControlRequest {
    /// Whether lines follow on the connection that answer nothing.
    fileprivate var opensListening: Bool {
        if let request = self as? AuthorisationRequest { return request.isFollowed }
        return self is AttachRequest || self is AgentRequest
    }
}
