import NIOCore
import NIOHTTP1
import Waypost

/// One browser's connection: lets its requests through the door, answers them in order, and passes on the events of a stream.
final class PageConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let hub: PageHub
    private let headGuard: PageHeadGuard
    private(set) var channel: (any Channel)?
    private var head: HTTPRequestHead?
    private var hasBody = false
    private var isClosing = false
    /// Who has shown a token last.
    private var visitor: PageVisitor?
    /// How many requests wait for the end of their answers: two for a moment, when one is sent and the next has come already.
    private var unansweredCount = 0
    /// Whether the browser has said that it asks for nothing more.
    private var isLast = false
    /// The hub's count of uses, when this one was used last.
    var lastUse = 0

    /// Who looks at the stream; nil while there is none.
    private(set) var watcher: PageVisitor?
    private var waiting = CircularBuffer<ByteBuffer>()
    private var droppedCount = 0
    private var stall: Scheduled<Void>?

    init(hub: PageHub, headGuard: PageHeadGuard) {
        self.hub = hub
        self.headGuard = headGuard
    }

    /// By whom it is needed, and whether anything is asked or watched.
    enum Need {
        /// By somebody who has not shown a token, or not yet.
        case stranger
        case idleGuest, guest, idleOwner, owner
    }

    /// By whom this one is needed.
    var need: Need {
        guard let visitor else { return .stranger }
        let isBusy = unansweredCount > 0 || watcher != nil
        return visitor.isOwner ? (isBusy ? .owner : .idleOwner) : (isBusy ? .guest : .idleGuest)
    }

    // MARK: From the hub

    /// Sends an event of the stream; when the browser takes nothing it waits if it must not be missed, and is left out otherwise.
    func deliver(_ event: ByteBuffer, mayBeMissed: Bool) {
        guard let channel, watcher != nil, !isClosing else { return }
        if channel.isWritable, waiting.isEmpty {
            channel.writeAndFlush(HTTPServerResponsePart.body(.byteBuffer(event)), promise: nil)
        } else if mayBeMissed || waiting.count >= hub.limits.waitingEvents {
            droppedCount += 1
        } else {
            waiting.append(event)
        }
    }

    func close() {
        isClosing = true
        channel?.close(promise: nil)
    }

    // MARK: From the channel

    func channelActive(context: ChannelHandlerContext) {
        channel = context.channel
        if !hub.admit(self) { close() }
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        isClosing = true
        stall?.cancel()
        hub.remove(self)
        watcher = nil
        channel = nil
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            hasBody = false
        case .body: hasBody = true
        case .end:
            headGuard.noteRequest()
            unansweredCount += 1
            if let head = head.take() { answer(head, context.channel) }
        }
    }

    /// A browser that ends its side gets what it has asked for; one that is gone altogether is noticed by the next byte that is sent to it.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent {
            isLast = true
            if unansweredCount == 0, watcher == nil { close() }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            stall?.cancel()
            stall = nil
            sendWaiting(context.channel)
        } else if stall == nil {
            let channel = context.channel
            stall = context.eventLoop.scheduleTask(in: hub.limits.stallTime) { channel.close(promise: nil) }
        }
        context.fireChannelWritabilityChanged()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Any error (a reset, a request that is not HTTP) affects only this browser.
        context.close(promise: nil)
    }

    private func sendWaiting(_ channel: any Channel) {
        while channel.isWritable, let event = waiting.popFirst() {
            channel.writeAndFlush(HTTPServerResponsePart.body(.byteBuffer(event)), promise: nil)
        }
        guard droppedCount > 0, waiting.isEmpty, watcher != nil else { return }
        let answer = PageAnswer.object("DROPPED") { [droppedCount] json in json.member("count", droppedCount) }
        if case .bytes(let data) = answer.body { deliver(hub.buffer(ServerSentEvent(name: "dropped", data: data)), mayBeMissed: true) }
        droppedCount = 0
    }

    // MARK: Requests

    private func answer(_ head: HTTPRequestHead, _ channel: any Channel) {
        guard
            let request = BrowserRequest(method: head.method.rawValue, target: head.uri, headers: head.headers.map { ($0.name, $0.value) })
        else {
            return send(.plain("the address is not one", status: 400), to: head, channel)
        }
        if hasBody { return send(.plain("the page takes no data", status: 413), to: head, channel) }
        switch hub.door.decide(request, now: hub.router.now) {
        case .refused(401, _) where request.path == "/":
            send(hub.router.notAdmitted(mayComeBack: request.folder == nil), to: head, channel)
        case .refused(let status, let why):
            send(request.path.hasPrefix("/api/") ? .error(status, why) : .plain(why, status: status), to: head, channel)
        case .welcomed(let ticket, let cookie):
            guard isLetIn(ticket.visitor, request, head, channel) else { return }
            send(hub.router.welcome(ticket, settingCookie: cookie), to: head, channel)
        case .admitted(let visitor):
            guard isLetIn(visitor, request, head, channel) else { return }
            let reply = NIOLoopBound((self, head, channel), eventLoop: channel.eventLoop)
            let router = hub.router
            Task {
                let answer = await router.answer(request, for: visitor)
                channel.eventLoop.execute {
                    let (connection, head, channel) = reply.value
                    switch answer.body {
                    case .stream: connection.begin(visitor, after: request["last-event-id"] ?? request.query["after"], head, channel)
                    case .file, .track:
                        guard connection.hub.downloadCount < connection.hub.limits.downloads else {
                            return connection.send(.error(503, "too many files are being fetched; try again soon"), to: head, channel)
                        }
                        connection.send(answer, to: head, channel)
                    case .bytes: connection.send(answer, to: head, channel)
                    }
                }
            }
        case .wayBack:
            let reply = NIOLoopBound((self, head, channel), eventLoop: channel.eventLoop)
            let router = hub.router
            Task {
                let answer = await router.wayBack(request)
                channel.eventLoop.execute { reply.value.0.send(answer, to: reply.value.1, reply.value.2) }
            }
        }
    }

    /// Whether the policy lets a visitor in; if not, the answer says so.
    private func isLetIn(_ visitor: PageVisitor, _ request: BrowserRequest, _ head: HTTPRequestHead, _ channel: any Channel) -> Bool {
        let isAdmitted = hub.router.admits(visitor)
        self.visitor = isAdmitted ? visitor : nil
        if !isAdmitted {
            let why = "the policy of this tracker shuts the page\(visitor.isOwner ? "" : " for guests")"
            send(request.path.hasPrefix("/api/") ? .error(403, why) : .plain(why, status: 403), to: head, channel)
        }
        return isAdmitted
    }

    private func send(_ answer: PageAnswer, to head: HTTPRequestHead, _ channel: any Channel) {
        guard !isClosing, self.channel != nil else { return }
        var headers = fields(answer)
        let byteCount: Int? =
            switch answer.body {
            case .bytes(let bytes): bytes.count
            case .file(let file): file.byteCount
            case .track, .stream: nil
            }
        let isOver = isLast || !head.isKeepAlive || [400, 413, 421].contains(answer.status) || head.method == .HEAD && byteCount == nil
        if isOver { headers.replaceOrAdd(name: "connection", value: "close") }
        // Without a length the pieces say how long they are.
        if let byteCount, answer.status != 304 { headers.add(name: "content-length", value: "\(byteCount)") }
        // HTTP 1.0 has no pieces: their end would follow the headers of a HEAD, which nothing may follow.
        let version: HTTPVersion = head.method == .HEAD && byteCount == nil ? .http1_0 : .http1_1
        channel.write(
            HTTPServerResponsePart.head(.init(version: version, status: .init(statusCode: answer.status), headers: headers)), promise: nil)
        let connection = NIOLoopBound(self, eventLoop: channel.eventLoop)
        let limit = hub.limits.stallTime
        @Sendable func sent(_ piece: [UInt8]) async -> Bool {
            // One piece is too little for the channel to count as one that takes nothing.
            let stall = channel.eventLoop.scheduleTask(in: limit) { channel.close(promise: nil) }
            defer { stall.cancel() }
            do {
                try await channel.writeAndFlush(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(bytes: piece)))).get()
                return true
            } catch {
                return false
            }
        }
        @Sendable func end() {
            let stall = channel.eventLoop.scheduleTask(in: limit) { channel.close(promise: nil) }
            channel.writeAndFlush(HTTPServerResponsePart.end(nil)).whenComplete { _ in
                stall.cancel()
                if isOver { connection.value.close() } else { connection.value.noteAnswer(channel) }
            }
        }
        func download(_ isSentWhole: @escaping @Sendable () async -> Bool) {
            channel.flush()
            hub.downloadCount += 1
            Task {
                let isWhole = await isSentWhole()
                channel.eventLoop.execute {
                    connection.value.hub.downloadCount -= 1
                    // The length was promised: a file that cannot be read to its end ends the connection.
                    if isWhole { end() } else { connection.value.close() }
                }
            }
        }
        let router = hub.router
        switch answer.body {
        case _ where head.method == .HEAD || answer.status == 304: end()
        case .bytes(let bytes):
            channel.write(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(bytes: bytes))), promise: nil)
            end()
        case .stream: end()
        // The next piece is read when the last one was taken.
        case .file(let file): download { await router.disk.read(file, sent) }
        case .track(let track): download { await router.send(track, sent) }
        }
    }

    /// The answer has been sent.
    private func noteAnswer(_ channel: any Channel) {
        unansweredCount -= 1
        guard unansweredCount == 0 else { return }
        if isLast { return close() }
        headGuard.noteAnswer(channel)
        // A stranger gets no younger by asking.
        if visitor != nil { hub.noteUse(of: self) }
    }

    private func begin(_ visitor: PageVisitor, after lastID: String?, _ head: HTTPRequestHead, _ channel: any Channel) {
        guard !isClosing, self.channel != nil else { return }
        guard hub.hasRoomForStream(of: visitor) else {
            return send(.error(503, "too many pages are open"), to: head, channel)
        }
        if head.method == .HEAD { return send(PageAnswer(type: "text/event-stream", body: .stream), to: head, channel) }
        var headers = fields(PageAnswer(type: "text/event-stream", body: .stream))
        // A proxy must not wait for the end.
        headers.add(name: "x-accel-buffering", value: "no")
        channel.writeAndFlush(HTTPServerResponsePart.head(.init(version: .http1_1, status: .ok, headers: headers)), promise: nil)
        watcher = visitor
        hub.begin(self, after: lastID)
    }

    private func fields(_ answer: PageAnswer) -> HTTPHeaders {
        var headers = HTTPHeaders([("Content-Type", answer.type), ("Cache-Control", answer.isKept ? "no-cache" : "no-store")])
        for (name, value) in hub.protection + answer.headers { headers.add(name: name, value: value) }
        return headers
    }
}
