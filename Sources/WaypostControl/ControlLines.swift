import NIOCore
import Synchronization
import WaypostSystem

/// The lines that a link has received and that nobody has read yet.
///
/// - Concurrency: the link's thread adds, one task takes.
final class ControlLines: Sendable {
    private struct State {
        var lines = CircularBuffer<[UInt8]>()
        /// Why the connection ended; nil while it is open.
        var end: ControlError?
        var isOfService = false
        /// Whether reading is suspended until some lines are taken.
        var isHeld = false
    }

    private let state = Mutex(State())
    private let arrivals = WaitingTasks()

    /// Waits for the next line; a cancelled task does not get any more.
    func next(on channel: any Channel, within limit: Duration?) async throws(ControlError) -> [UInt8] {
        let deadline = limit.map { ContinuousClock.now + $0 }
        var timer: Scheduled<Void>?
        defer { timer?.cancel() }
        while !Task.isCancelled {
            let mark = arrivals.mark
            if let line = try take(on: channel) { return line }
            if let deadline {
                let left = deadline - .now
                if left <= .zero { throw .timedOut }
                if timer == nil { timer = channel.eventLoop.scheduleTask(in: TimeAmount(left)) { [arrivals] in arrivals.resumeAll() } }
            }
            _ = await arrivals.wait(since: mark)
        }
        throw .cancelled
    }

    private func take(on channel: any Channel) throws(ControlError) -> [UInt8]? {
        let (line, end, goesOn) = state.withLock { state in
            let line = state.lines.popFirst()
            let goesOn = state.isHeld && state.lines.count <= ControlLink.linesAhead / 2
            if goesOn { state.isHeld = false }
            return (line, state.end, goesOn)
        }
        if goesOn { channel.read() }
        if line == nil, let end { throw end }
        return line
    }

    /// Notes what the HELLO line says.
    func noteHello(isOfService: Bool) { state.withLock { $0.isOfService = isOfService } }

    // MARK: - The link's thread

    func add(_ line: [UInt8]) {
        state.withLock { $0.lines.append(line) }
        arrivals.resumeAll()
    }

    /// Whether so many lines wait that reading must pause; taking some of them resumes it.
    func holdsReading() -> Bool {
        state.withLock { state in
            state.isHeld = state.lines.count >= ControlLink.linesAhead
            return state.isHeld
        }
    }

    /// Notes why the connection ended, nil for an orderly end; the first reason counts.
    func end(_ error: ControlError?) {
        state.withLock { state in
            if state.end == nil { state.end = error ?? .closed(byService: state.isOfService) }
        }
        arrivals.resumeAll()
    }
}

/// Splits the bytes from the daemon into lines.
final class ControlLineReader: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer

    private let lines: ControlLines
    private var received = ByteBuffer()
    /// How many bytes of `received` are known to have no line feed.
    private var searchedCount = 0

    init(_ lines: ControlLines) {
        self.lines = lines
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        received.writeBuffer(&bytes)
        while let feed = received.readableBytesView.dropFirst(searchedCount).firstIndex(of: UInt8(ascii: "\n")) {
            lines.add(received.readBytes(length: feed - received.readerIndex) ?? [])
            received.moveReaderIndex(forwardBy: 1)
            searchedCount = 0
        }
        searchedCount = received.readableBytes
        received.discardReadBytes()
        if searchedCount > ControlProtocol.maximumAnswerBytes {
            lines.end(.protocolMismatch(found: nil))
            context.close(promise: nil)
        }
    }

    func read(context: ChannelHandlerContext) {
        if !lines.holdsReading() { context.read() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        lines.end(nil)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let systemError = (error as? IOError).map { SystemError(code: $0.errnoCode, operation: "receive") }
        lines.end(systemError?.isConnectionEnd == true ? nil : .connectionFailed(reason: systemError?.description ?? "\(error)"))
        context.close(promise: nil)
    }
}
