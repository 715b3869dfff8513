import CMosquitto
import Glibc
import Synchronization

/// A connection to a broker from beginning to end, on its own thread.
///
/// - Concurrency: confined to one thread; tasks reach it through its ``MQTTSession``.
final class MQTTLoop {
    private let settings: MQTTSettings
    private let session: MQTTSession
    private let receive: @Sendable (MQTTMessage) -> Void
    private var connection: OpaquePointer?

    private var state = State.connecting
    private var lastLook = MonotonicClock.milliseconds

    /// How many messages may still arrive for our subscriptions, and for others: an earlier run under our id may have subscribed to those.
    private var asked = MessageAllowance(burst: 20_000, perSecond: 1_000)
    private var unasked = MessageAllowance(burst: 1_000, perSecond: 10)

    /// All messages of a job must be acknowledged within this many time-outs.
    private static let mostTimeouts: Int64 = 10

    /// The progress of the connection: it goes through the cases in this order, and ends with an error.
    private enum State {
        /// The network connection is not yet established.
        case connecting
        /// The broker has not answered.
        case greeting
        /// The broker has answered, and its answer has not been processed yet.
        case answered(code: Int32, isSessionPresent: Bool)
        /// The broker has our subscriptions and our birth message; it still has to acknowledge the subscriptions that are due.
        case subscribing(due: Set<Int32>, isRefused: Bool, isSessionPresent: Bool)
        /// The connection serves the session, and delivers its job if there is one.
        case open(Delivery?)
    }

    /// The messages of a job while they are sent.
    private final class Delivery {
        let job: MQTTJob
        var nextMessage = 0
        /// Those without an acknowledgement.
        var inFlight: Set<Int32> = []
        let start = MonotonicClock.milliseconds
        /// When the broker last acknowledged one of them; what arrives for the subscriptions is no progress, because anybody may have sent it.
        var lastProgress: Int64

        init(_ job: MQTTJob) {
            self.job = job
            lastProgress = start
        }

        var isSent: Bool { nextMessage == job.messages.count }
        /// Whether the broker has all messages.
        var isAcknowledged: Bool { isSent && inFlight.isEmpty }
    }

    private var hasConnected: Bool { if case .connecting = state { false } else { true } }
    private var hasAnswered: Bool {
        switch state {
        case .connecting, .greeting: false
        case .answered, .subscribing, .open: true
        }
    }
    private var isOpen: Bool { if case .open = state { true } else { false } }
    private var delivery: Delivery? { if case .open(let delivery) = state { delivery } else { nil } }

    init(_ settings: MQTTSettings, _ session: MQTTSession, _ receive: @escaping @Sendable (MQTTMessage) -> Void) {
        self.settings = settings
        self.session = session
        self.receive = receive
    }

    /// Connects and serves the session until it ends; returns why it ended.
    func run() -> MQTTError {
        defer { if let connection { cmosquitto_free(connection) } }
        do throws(MQTTError) {
            try make()
            try check(session.connecting { cmosquitto_connect(connection, settings.host, Int32(settings.port), keepAlive) })
            if case .connecting = state { state = .greeting }
            while true { try step() }
        } catch {
            return error
        }
    }

    private var keepAlive: Int32 { Int32(settings.keepAliveSeconds) }

    // MARK: - Connecting

    private func make() throws(MQTTError) {
        if let problem = settings.problem { throw .badSettings(reason: problem) }
        var wanted = cmosquitto_settings()
        wanted.is_forgotten = !settings.keepsSession
        wanted.is_encrypted = settings.isEncrypted
        wanted.window = Int32(settings.window)
        wanted.context = Unmanaged.passUnretained(self).toOpaque()
        wanted.connected = { MQTTLoop.of($0).noteAnswer($1, isSessionPresent: $2) }
        wanted.acknowledged = { MQTTLoop.of($0).noteAcknowledged($1) }
        wanted.subscribed = { MQTTLoop.of($0).noteSubscribed($1, granted: $2) }
        wanted.received = { MQTTLoop.of($0).noteReceived($1, UnsafeRawBufferPointer(start: $2, count: Int($3)), isRetained: $4) }
        let texts = [
            settings.clientID, settings.user, settings.password, settings.caFile, settings.clientCertificate, settings.clientKey,
            settings.presence?.will.topic,
        ].map { $0.map(CText.init) }
        wanted.client_id = texts[0]?.start
        wanted.user = texts[1]?.start
        wanted.password = texts[2]?.start
        wanted.ca_file = texts[3]?.start
        wanted.client_certificate = texts[4]?.start
        wanted.client_key = texts[5]?.start
        wanted.will_topic = texts[6]?.start
        wanted.is_will_retained = settings.presence?.will.isRetained ?? false
        let code = (settings.presence?.will.payload ?? []).withUnsafeBytes { will in
            wanted.will_payload = will.baseAddress
            wanted.will_count = Int32(will.count)
            return withExtendedLifetime(texts) { cmosquitto_make(&wanted, &connection) }
        }
        guard connection != nil else { throw .unreachable(reason: "no memory for libmosquitto") }
        try check(code)
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> MQTTLoop {
        guard let context else { preconditionFailure("libmosquitto gives back what it was given") }
        return Unmanaged<MQTTLoop>.fromOpaque(context).takeUnretainedValue()
    }

    /// Acts on the broker's answer, once it has arrived.
    private func open() throws(MQTTError) {
        if case .answered(let code, let isSessionPresent) = state {
            if let error = MQTTError(answer: code) { throw error }
            var due: Set<Int32> = []
            for topic in settings.subscriptions {
                var message: Int32 = 0
                try check(cmosquitto_subscribe(connection, &message, topic))
                due.insert(message)
            }
            if let birth = settings.presence?.birth { try send(birth) }
            state = .subscribing(due: due, isRefused: false, isSessionPresent: isSessionPresent)
        }
        guard case .subscribing(let due, let isRefused, let isSessionPresent) = state, due.isEmpty else { return }
        if isRefused {
            throw .refused(reason: "the broker does not let this client read \(settings.subscriptions.joined(separator: ", "))")
        }
        state = .open(nil)
        session.noteOpen(isSessionPresent: isSessionPresent)
    }

    // MARK: - Serving

    private func step() throws(MQTTError) {
        try open()
        try takeWork()
        try fillWindow()
        try settle()
        try wait()
    }

    private func takeWork() throws(MQTTError) {
        let work = session.work()
        if work.hasEnded { throw sayGoodbye() }
        if work.isClosing || work.job?.isCancelled.load(ordering: .relaxed) == true { throw sayGoodbye() }
        if let job = work.job, case .open(let delivery) = state, delivery?.job !== job { state = .open(Delivery(job)) }
    }

    private func fillWindow() throws(MQTTError) {
        guard let delivery else { return }
        while !delivery.isSent, delivery.inFlight.count < settings.window {
            delivery.inFlight.insert(try send(delivery.job.messages[delivery.nextMessage]))
            delivery.nextMessage += 1
        }
    }

    @discardableResult
    private func send(_ message: MQTTMessage) throws(MQTTError) -> Int32 {
        if MQTTTopic.hasControl(message.topic) { throw .badSettings(reason: "the topic of a message holds a control character") }
        var number: Int32 = 0
        let code = message.payload.withUnsafeBytes {
            cmosquitto_publish(connection, &number, message.topic, $0.baseAddress, Int32($0.count), message.isRetained)
        }
        try check(code)
        return number
    }

    /// Ends the job or the connection when it is due.
    private func settle() throws(MQTTError) {
        let now = MonotonicClock.milliseconds
        guard let delivery else {
            let idle = settings.idleLimit.wholeMilliseconds
            if isOpen, settings.presence == nil, now - session.lastUse >= idle, session.endIfUnused(since: now - idle) {
                throw sayGoodbye()
            }
            return
        }
        let job = delivery.job
        if job.isConfirmed?(delivery.isAcknowledged) ?? delivery.isAcknowledged { return end(job, true) }
        if delivery.isAcknowledged {
            if now - delivery.lastProgress >= job.patience.wholeMilliseconds { end(job, false) }
        } else {
            let limit = settings.timeout.wholeMilliseconds
            if now - delivery.lastProgress >= limit || now - delivery.start >= limit * MQTTLoop.mostTimeouts {
                throw .timedOut(
                    reason: "\(settings.host):\(settings.port) did not acknowledge everything in \((now - delivery.start) / 1_000) s")
            }
        }
    }

    private func end(_ job: MQTTJob, _ isConfirmed: Bool) {
        state = .open(nil)
        session.noteDone(job, .success(isConfirmed))
    }

    /// Says goodbye and disconnects.
    private func sayGoodbye() -> MQTTError {
        guard isOpen else { return .cancelled }
        if let will = settings.presence?.will { _ = try? send(will) }  // It is lost already.
        _ = cmosquitto_disconnect(connection)
        // What the socket could not send at once has a moment more.
        let end = MonotonicClock.milliseconds + 500
        while cmosquitto_socket(connection) >= 0, cmosquitto_wants_to_write(connection), MonotonicClock.milliseconds < end {
            var descriptors = [pollfd(fd: cmosquitto_socket(connection), events: Int16(POLLOUT), revents: 0)]
            guard (try? Syscalls.poll(&descriptors, timeoutMilliseconds: 100)) != nil,  // It is closed, then.
                cmosquitto_write(connection) == 0
            else { break }
        }
        return .cancelled
    }

    /// Waits until something arrives, can be sent, or is due.
    private func wait() throws(MQTTError) {
        let socket = cmosquitto_socket(connection)
        guard socket >= 0 else { throw .lost(reason: "\(settings.host):\(settings.port) closed the connection") }
        // The broker may hold back its next acknowledgements until its last ones are acknowledged (Nagle): at the end of a batch we have no data to
        // carry that acknowledgement, and the system would delay it by 40 ms.
        if let delivery, delivery.isSent, !delivery.inFlight.isEmpty { Syscalls.acknowledgeAtOnce(socket) }
        let events = POLLIN | (cmosquitto_wants_to_write(connection) ? POLLOUT : 0)
        var descriptors = [
            pollfd(fd: socket, events: Int16(events), revents: 0),
            pollfd(fd: session.wake.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        do throws(SystemError) {
            _ = try Syscalls.poll(&descriptors, timeoutMilliseconds: Int32(clamping: untilNextDue))
        } catch {
            throw .lost(reason: "\(error)")
        }
        if descriptors[1].revents != 0 { session.wake.clear() }
        if descriptors[0].revents & Int16(POLLOUT) != 0 { try check(cmosquitto_write(connection)) }
        if descriptors[0].revents & ~Int16(POLLOUT) != 0 { try check(cmosquitto_read(connection)) }
        if asked.isOver || unasked.isOver {
            throw .refused(reason: "\(settings.host):\(settings.port): the broker sends more messages than anybody asked for")
        }
        let now = MonotonicClock.milliseconds
        if now - lastLook >= lookInterval {
            lastLook = now
            try check(cmosquitto_look(connection))
        }
    }

    /// libmosquitto pings the broker only when it is called; the broker drops us after one and a half keep-alives.
    private var lookInterval: Int64 { isOpen && delivery == nil ? Int64(settings.keepAliveSeconds) * 250 : 1_000 }

    private var untilNextDue: Int64 {
        let now = MonotonicClock.milliseconds
        var due = lastLook + lookInterval
        if let delivery {
            let limit = delivery.isAcknowledged ? delivery.job.patience : settings.timeout
            due = min(due, delivery.lastProgress + limit.wholeMilliseconds)
        } else if isOpen, settings.presence == nil {
            due = min(due, session.lastUse + settings.idleLimit.wholeMilliseconds)
        }
        return max(0, due - now)
    }

    // MARK: - What arrives

    /// The first answer counts; a second one was not requested.
    private func noteAnswer(_ code: Int32, isSessionPresent: Bool) {
        if !hasAnswered { state = .answered(code: code, isSessionPresent: isSessionPresent) }
    }

    private func noteAcknowledged(_ message: Int32) {
        if let delivery, delivery.inFlight.remove(message) != nil { delivery.lastProgress = MonotonicClock.milliseconds }
    }

    private func noteSubscribed(_ message: Int32, granted: Int32) {
        guard case .subscribing(var due, let isRefused, let isSessionPresent) = state else { return }
        due.remove(message)
        state = .subscribing(due: due, isRefused: isRefused || granted >= 128, isSessionPresent: isSessionPresent)
    }

    private func noteReceived(_ topic: UnsafePointer<CChar>?, _ payload: UnsafeRawBufferPointer, isRetained: Bool) {
        guard let topic else { return }
        guard settings.subscriptions.contains(where: { cmosquitto_matches($0, topic) }) else { return unasked.use() }
        asked.use()
        receive(MQTTMessage(topic: String(cString: topic), payload: Array(payload), isRetained: isRetained))
    }

    /// Throws what a code of the library means; in some places the code reflects what a broker did.
    private func check(_ code: Int32) throws(MQTTError) {
        guard code != CMOSQUITTO_SUCCESS else { return }
        // A broker that refuses closes the connection after its answer.
        if case .answered(let answer, _) = state, let error = MQTTError(answer: answer) { throw error }
        if code == CMOSQUITTO_CONNECTION_LOST {
            if isOpen { throw .endedByBroker(clientID: settings.clientID, count: 1) }
            let hint = settings.isEncrypted ? "it may want a certificate of ours" : "it may want TLS: mqtts://"
            throw .lost(reason: "\(settings.host):\(settings.port) closed the connection before it let us in (\(hint))")
        }
        var words = cmosquitto_words(connection, code).map { String(cString: $0) } ?? "error \(code)"
        // Some of the library's messages are lines.
        while words.last?.isNewline == true { words.removeLast() }
        let reason = "\(settings.host):\(settings.port): \(words)"
        // With TLS 1.3 the other side's objection to us arrives after the handshake.
        if code == CMOSQUITTO_SYSTEM, settings.isEncrypted, !hasAnswered, cmosquitto_system_code(connection) == EPROTO {
            if TLSWords.sayTooOld(reason) { throw MQTTError(code: Int32(CMOSQUITTO_TLS), reason: reason) }
            throw .tls(reason: "\(reason) (the broker may want a certificate of ours)")
        }
        if code == CMOSQUITTO_SYSTEM, hasConnected { throw .lost(reason: reason) }
        // A message that arrives although the broker keeps nothing for us will come again.
        if code == CMOSQUITTO_TOO_LONG, !settings.keepsSession { throw .refused(reason: reason) }
        throw MQTTError(code: code, reason: reason)
    }
}
