import NIOCore
import Waypost
import WaypostSystem

/// The first handler of a serial line's channel: holds the bytes back until the speed is right, then leaves the pipeline to NMEA.
///
/// Bytes at the right speed are passed on completely: the first epoch is not lost to the search.
/// - Concurrency: belongs to its channel's event loop; the line's speed is set on the line's own thread.
final class BaudSearchHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let line: SerialLine
    private let opened: SerialLine.Opened
    private let session: NMEASession
    private let memory: BaudMemory
    private var search: BaudSearch
    private var held = ByteBuffer()
    private var isChanging = false
    private var timer: Scheduled<Void>?
    // How many times the receiver was asked to send NMEA, and until when it may take.
    private var requests = 0
    private var requestDeadline: Int64 = .max

    /// More bytes than this are not worth keeping for a decoder.
    private static let mostHeld = 65_536
    private static let mostRequests = 2
    private static let requestMilliseconds: Int64 = 8_000

    init(line: SerialLine, opened: SerialLine.Opened, session: NMEASession, memory: BaudMemory) {
        self.line = line
        self.opened = opened
        self.session = session
        self.memory = memory
        search = opened.search
    }

    func handlerAdded(context: ChannelHandlerContext) {
        session.searchSpeed()
        search.begin(at: MonotonicClock.milliseconds)
        wait(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // Bytes that arrive during a change of speed belong to neither speed. All of them are read before the change is reported here.
        if isChanging { return }
        var buffer = unwrapInboundIn(data)
        session.noteNoise(buffer.readableBytes)
        let step = buffer.withUnsafeReadableBytes { search.process(Span(_unsafeBytes: $0), at: MonotonicClock.milliseconds) }
        if held.readableBytes + buffer.readableBytes > BaudSearchHandler.mostHeld { held.clear() }
        held.writeBuffer(&buffer)
        // A line that never pauses never lets the timer fire.
        if MonotonicClock.milliseconds >= session.silenceDeadline { _ = session.checkSilence() }
        take(step, context)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func take(_ step: BaudSearch.Step, _ context: ChannelHandlerContext) {
        if search.hasTriedAll { session.noteEverySpeedTried() }
        switch step {
        case .listen where MonotonicClock.milliseconds >= requestDeadline: context.close(promise: nil)  // To open it again.
        case .listen: wait(context)
        case .change(let baudRate): change(to: baudRate, context)
        case .found(.ubx) where opened.mayBeToldToSpeakNMEA && requests < BaudSearchHandler.mostRequests: requestNMEA(context)
        case .found(let speech): finish(speech, context)
        case .garbled where requests > 0: wait(context)
        case .garbled:
            session.warn(
                "\(opened.device): what comes at \(search.baudRate) baud is not NMEA; leave ?baud=\(search.baudRate) out to let waypost find the speed"
            )
            wait(context)
        case .exhausted:
            session.warn(
                search.hasHeardNoise
                    ? "\(opened.device): something comes, but no NMEA at any speed from 4800 to 921600 baud: is it a GNSS receiver?"
                    : "\(opened.device): nothing comes at any speed")
            context.close(promise: nil)
        }
    }

    // One timer for the search's deadline and for reporting the loss in time.
    private func wait(_ context: ChannelHandlerContext) {
        timer?.cancel()
        let now = MonotonicClock.milliseconds
        let silence = session.silenceDeadline
        let next = silence > now ? min(search.deadline, silence) : search.deadline
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(max(1, next - now))) { [self] in
            _ = session.checkSilence()
            take(search.process(Span(), at: MonotonicClock.milliseconds), context)
        }
    }

    private func change(to baudRate: Int, _ context: ChannelHandlerContext) {
        timer?.cancel()
        isChanging = true
        held.clear()
        let done = context.eventLoop.makePromise(of: Bool.self)
        done.completeWithTask { [line] in try await line.setBaudRate(baudRate) }
        done.futureResult.assumeIsolated().whenComplete { [self] result in
            isChanging = false
            guard context.channel.isActive else { return }
            switch result {
            case .success(true):
                search.begin(at: MonotonicClock.milliseconds)
                wait(context)
            case .success(false): take(search.refuse(at: MonotonicClock.milliseconds), context)
            case .failure: context.close(promise: nil)  // The device has gone.
            }
        }
    }

    /// Asks a u-blox to send NMEA, and keeps listening at the same speed: only the NMEA itself counts as an answer.
    private func requestNMEA(_ context: ChannelHandlerContext) {
        timer?.cancel()
        requests += 1
        if requests == 1 { requestDeadline = MonotonicClock.milliseconds + BaudSearchHandler.requestMilliseconds }
        search = BaudSearch(only: search.baudRate)
        let commands = UBXSettings.speakNMEA(baudRate: search.baudRate).flatMap(\.bytes)
        let done = context.eventLoop.makePromise(of: Void.self)
        done.completeWithTask { [line] in try await line.write(commands) }
        done.futureResult.assumeIsolated().whenComplete { [self] result in
            guard context.channel.isActive else { return }
            switch result {
            case .success:
                search.begin(at: MonotonicClock.milliseconds)
                wait(context)
            case .failure: context.close(promise: nil)  // The device has gone, or hangs.
            }
        }
    }

    // On a thread of its own: writing to a worn card may take seconds, during which the line must not be blocked.
    private func remember() {
        let (memory, baudRate, identity) = (memory, search.baudRate, opened.identity)
        let work = { @Sendable (_: WakeSignal) in memory.remember(baudRate, for: identity) }
        _ = try? DedicatedThread.start(name: "baud memory", body: work)  // Without a thread the speed is searched for next time.
    }

    /// The remedy when UBX was not, or could not be, switched off.
    private var remedy: String {
        if requests > 0 { return "it was switched to NMEA and does not send any: unplug it, or read it through gpsd (gpsd://localhost)" }
        if line.neverWrites { return "never_write keeps it so: gpsctl -f -n \(opened.device) changes it, and unplugging it sets most back" }
        return "its USB ids are not u-blox's: name its port (serial://\(opened.device)) to have it switched to NMEA"
    }

    private func finish(_ speech: BaudSearch.Speech, _ context: ChannelHandlerContext) {
        timer?.cancel()
        session.connected(to: "\(opened.device) at \(search.baudRate) baud")
        switch speech {
        case .ubx:
            session.lose(.unusable(LossDetail("the receiver speaks UBX binary, not NMEA, as gpsd leaves it", advice: remedy)))
        case .nmea where requests > 0: session.warn("\(opened.device): the receiver was in UBX binary mode; it has been switched to NMEA")
        case .nmea: break
        }
        remember()
        let held = held
        do {
            try context.pipeline.syncOperations.addHandler(NMEAChannelHandler(session: session), position: .after(self))
        } catch {
            return context.close(promise: nil)
        }
        context.fireChannelRead(wrapInboundOut(held))
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }
}
