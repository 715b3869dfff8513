import Waypost
import WaypostSystem

/// Positions from gpsd, over its socket, with libgps.
///
/// It never gives up: each missing, dead or hanging daemon, and each receiver that goes or falls silent, is one
/// ``PositionSourceEvent/lost(_:)``, and it tries again after 0.5, 1, 2, then every 3 seconds. `GPSDInterpreter` decides which fix is new and
/// which receiver counts; accuracy is gpsd's 95 % `eph` times 0.62, and the raw `eph`, `epv`, `eps` stay in the quality.
/// A program of another user that listens on gpsd's port on this machine is refused, by the rules of `GPSDTrust`.
/// A reader that falls behind by 64 events loses the oldest fixes: live positions do not wait.
///
/// - Errors: `unusable` for a device path that gpsd's protocol cannot carry, and in a program that was built without the trait `GPSD`; otherwise
///   only cancellation ends the run.
/// - Concurrency: each `run` has one thread of its own, which sleeps in `poll`. A thread that hangs in name resolution or connect when the
///   task is cancelled ends by itself later.
public struct GPSDSource: PositionSource {
    /// `gpsd://host:port`, followed by the device's path if one is set.
    public let name: String
    /// The daemon's host name or address.
    public let host: String
    /// The daemon's port.
    public let port: UInt16
    /// The path of the one receiver to listen to, as gpsd knows it (`/dev/ttyACM0`, not a link to it); nil follows any.
    public let device: String?
    /// Whose gpsd on this machine is trusted.
    let trust: GPSDTrust

    /// A source that listens to the given daemon.
    ///
    /// - Parameters:
    ///   - host: the name or address of the machine.
    ///   - port: the port on which gpsd listens.
    ///   - device: one of gpsd's devices; nil for all of them.
    ///   - user: a user, by name or number, whose gpsd on this machine is trusted besides that of root, of user gpsd and of this
    ///     process's own user; `any` means everybody.
    public init(host: String = "localhost", port: UInt16 = 2_947, device: String? = nil, user: String? = nil) {
        trust = GPSDTrust(user: user)
        self.host = host
        self.port = port
        self.device = device
        let address = host.contains(":") ? "[\(host)]" : host
        name = "gpsd://\(address):\(port)\(device ?? "")"
    }

    /// Whether gpsd runs on this machine.
    fileprivate var isLocal: Bool { LoopbackHost.contains(host) }

    /// Delivers events until the task is cancelled.
    public func run(_ output: @escaping PositionSourceOutput) async throws(PositionSourceError) {
        #if GPSD
        if let device, device.utf8.count > 127 || device.utf8.contains(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x5c }) {
            throw .unusable(path: name, reason: "gpsd cannot be asked for a device of that path")
        }
        let heartbeat = SourceHeartbeat(name: name, patience: isLocal ? SourceHeartbeat.localPatience : SourceHeartbeat.networkPatience)
        try await EventQueue.run(threadName: "gpsd:\(port)", whenFull: .dropsOldest, heartbeat: heartbeat, output: output) {
            queue, stop in
            var session = GPSDSession(source: self, queue: queue, stop: stop)
            session.run()
        }
        #else
        throw .unusable(path: name, reason: "this program was built without gpsd: build it with waypost's trait GPSD")
        #endif
    }
}

#if GPSD

/// The thread's work: connects, reads, and connects again, until cancelled.
private struct GPSDSession {
    private static let firstBackOffMilliseconds: Int64 = 500
    // Short enough that positions return within 5 s after a long outage.
    private static let longestBackOffMilliseconds: Int64 = 3_000
    // How long a silent gpsd has to answer a question, and how long until the next question.
    private static let answerMilliseconds: Int64 = 5_000
    private static let mostTogether = 16

    let source: GPSDSource
    let queue: EventQueue
    let stop: WakeSignal
    var interpreter: GPSDInterpreter
    var backOffMilliseconds = GPSDSession.firstBackOffMilliseconds
    private var waiting: [PositionSourceEvent] = []

    init(source: GPSDSource, queue: EventQueue, stop: WakeSignal) {
        self.source = source
        self.queue = queue
        self.stop = stop
        interpreter = GPSDInterpreter(
            name: source.name, device: source.device, isLocal: source.isLocal, at: MonotonicClock.milliseconds
        ) { SourceObstacle.Candidate.forGPSD(of: SerialDeviceCatalogue().devices()) }
    }

    mutating func run() {
        while !stop.isRaised {
            let reason = connectAndRead()
            if stop.isRaised { return }
            send(interpreter.disconnected(reason))
            flush()
            queue.noteLook()
            guard stop.sleep(milliseconds: backOffMilliseconds) else { return }
            backOffMilliseconds = min(2 * backOffMilliseconds, GPSDSession.longestBackOffMilliseconds)
        }
    }

    /// One connection from beginning to end; returns why it ended.
    private mutating func connectAndRead() -> LossDetail {
        // Its own positions would come back to it.
        if source.isLocal, OwnPorts.contains(source.port) {
            return LossDetail("\(source.name): the tracker itself listens there ([share] gpsd), not a gpsd")
        }
        do throws(GPSDConnection.Refusal) {
            let connection = try GPSDConnection.open(host: source.host, port: source.port, device: source.device, trust: source.trust)
            interpreter.connected(at: MonotonicClock.milliseconds)
            return read(connection)
        } catch {
            let obstacle = error.isUnreachable ? obstacle(isUnknownHost: error.isUnknownHost) : nil
            return LossDetail("\(source.name): \(obstacle?.absenceWords ?? error.reason)", advice: error.advice, obstacle: obstacle)
        }
    }

    /// Why nothing answers.
    private func obstacle(isUnknownHost: Bool) -> SourceObstacle {
        if isUnknownHost { return .unknownHost(source.host) }
        // Where Debian's package has it, and where it is installed from its sources.
        let isInstalled = ["/usr/sbin/gpsd", "/usr/local/sbin/gpsd"].contains(where: Syscalls.exists)
        return source.isLocal && !isInstalled ? .gpsdNotInstalled : .noGPSD(isLocal: source.isLocal)
    }

    private mutating func read(_ connection: borrowing GPSDConnection) -> LossDetail {
        var questionAt = MonotonicClock.milliseconds
        var answerDeadline: Int64?
        while !stop.isRaised {
            let now = MonotonicClock.milliseconds
            switch connection.read() {
            case .report(let report):
                answerDeadline = nil
                questionAt = now + GPSDSession.answerMilliseconds
                send(interpreter.process(report, at: now))
                if case .fix = report { backOffMilliseconds = GPSDSession.firstBackOffMilliseconds }
                // gpsd does not have the requested device, and will not report when it comes.
                if case .error(let words) = report, source.device != nil { return LossDetail(words) }
            case .ended:
                return "gpsd has closed the connection"
            case .incomplete:
                // Only now, because unread data is not silence.
                send(interpreter.checkSilence(at: now))
                // While no report is due, a gpsd that answers is healthy.
                if now >= interpreter.silenceDeadline { queue.noteLook() }
                flush()
                let silenceDeadline = interpreter.silenceDeadline
                if let answerDeadline, now >= answerDeadline { return "gpsd does not answer" }
                if answerDeadline == nil, now >= max(silenceDeadline, questionAt) {
                    // A receiver may be silent for long; a daemon answers at once, or is gone without notice.
                    guard connection.requestVersion() else { return "gpsd does not take requests" }
                    answerDeadline = now + GPSDSession.answerMilliseconds
                }
                let wakeAt = silenceDeadline > now ? silenceDeadline : answerDeadline ?? questionAt
                _ = stop.wait(forReading: connection.descriptor, timeoutMilliseconds: wakeAt - MonotonicClock.milliseconds)
            }
        }
        return "cancelled"
    }

    /// Delivers what gpsd sends together, a view of the sky and a fix, together, before this thread sleeps.
    private mutating func send(_ events: [PositionSourceEvent]) {
        waiting += events
        if waiting.count >= GPSDSession.mostTogether { flush() }
    }

    private mutating func flush() {
        if waiting.isEmpty { return }
        queue.send(waiting)
        waiting.removeAll(keepingCapacity: true)
    }
}
#endif
