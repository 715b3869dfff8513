import CMosquitto
import Synchronization

/// Talks MQTT 3.1.1 with a broker, with the system's libmosquitto and TLS; the library is opened with the first connection.
///
/// Messages are sent at QoS 1, and the client waits for the acknowledgement of each. It keeps nothing and sends nothing again: messages that a broken
/// connection leaves unacknowledged are the caller's to send again. The broker keeps a session under our id, with the messages that arrive for
/// ``MQTTSettings/subscriptions`` while we are away. With ``MQTTSettings/presence`` the client restores a broken connection by itself, after 1 s to
/// 5 min, because what the broker then says of us is no longer true.
/// - Concurrency: any task; one call of ``publish(_:until:patience:)`` at a time. Each connection has its own thread, which sleeps while
///   nothing happens; a name service that hangs holds up only that thread.
/// - Cost: 2.3 MB of resident memory with the first connection, 0.9 MB of it private (measured with libmosquitto 2.0.11), and its messages once more
///   while they are on their way.
public final class MQTTClient: Sendable {
    private struct State {
        var session: MQTTSession?
        var sessionCount = 0
        /// How many sessions in a row the broker ended.
        var endCount = 0
        /// Whether the broker is to forget what it keeps for us: one of those messages is longer than we accept, and would come for ever.
        var forgets = false
        /// The task that reconnects, and the longest wait before the next time in milliseconds.
        var revival: Task<Void, Never>?
        var revivalPause = MQTTClient.revivalPauses.lowerBound
    }

    /// The settings it was made with.
    public let settings: MQTTSettings
    private let receive: @Sendable (MQTTMessage) -> Void
    private let state = Mutex(State())

    /// A session that lasted this long was not ended by a rival, seconds.
    private static let steadySeconds: Int64 = 600

    /// The waits before it reconnects, milliseconds: random, below a limit that doubles each time, because the whole fleet lost its broker
    /// at once; after a session that lasted a minute it starts over.
    private static let revivalPauses: ClosedRange<Int64> = 1_000...300_000
    /// After this many ends in a row it leaves the id to its rival until something is sent.
    private static let mostEndsRevived = 3

    /// A client; nothing is opened yet.
    ///
    /// - Parameters:
    ///   - settings: the broker, and how to talk with it.
    ///   - receive: called with each message of the subscriptions, on the connection's thread; it must return soon.
    public init(_ settings: MQTTSettings, receive: @escaping @Sendable (MQTTMessage) -> Void = { _ in }) {
        var settings = settings
        settings.window = min(max(1, settings.window), 65_535)
        settings.keepAliveSeconds = min(max(5, settings.keepAliveSeconds), 65_535)
        self.settings = settings
        self.receive = receive
    }

    deinit { close() }

    /// The result of ``connect()``.
    public struct Connection: Sendable, Hashable {
        /// Grows with each connection of this client.
        public var number: Int
        /// Whether the broker knew us: what it kept for us is still there.
        public var isSessionPresent: Bool
    }

    /// Connects, unless there is a connection.
    ///
    /// - Errors: all but ``MQTTError/endedByBroker(clientID:count:)``; within ``MQTTSettings/connectTimeout``.
    public func connect() async throws(MQTTError) -> Connection {
        let session = try usableSession()
        return Connection(number: session.number, isSessionPresent: try await session.opened(within: settings.connectTimeout))
    }

    /// Sends messages in order, and waits until the broker has acknowledged all of them; with `isConfirmed` also until that returns true, whatever
    /// the broker says.
    ///
    /// - Parameters:
    ///   - messages: the messages to publish, in that order.
    ///   - isConfirmed: called on the connection's thread, after each message that arrives, each second and at each ``wake()``, with
    ///     whether the broker has acknowledged everything; must return soon.
    ///   - patience: how long to wait for `isConfirmed` once the broker has everything, whatever arrives meanwhile.
    /// - Returns: false when `isConfirmed` did not come true; the connection stays.
    /// - Errors: there is no connection, or it broke; no acknowledgement for ``MQTTSettings/timeout``, or not all of them within ten times that; the
    ///   task was cancelled. Some of the messages may have arrived; the connection is closed.
    public func publish(
        _ messages: [MQTTMessage], until isConfirmed: (@Sendable (_ isAcknowledged: Bool) -> Bool)? = nil, patience: Duration = .zero
    ) async throws(MQTTError) -> Bool {
        do throws(MQTTError) {
            guard let session = state.withLock({ $0.session }), session.isUsable else {
                // It may have ended since it was opened; its own error says more.
                throw state.withLock { $0.session }?.end ?? .lost(reason: "there is no connection")
            }
            return try await session.run(MQTTJob(messages, until: isConfirmed, patience: patience))
        } catch .endedByBroker(let clientID, _) {
            throw .endedByBroker(clientID: clientID, count: state.withLock { max(1, $0.endCount) })
        }
    }

    /// Makes a waiting call of ``publish(_:until:patience:)`` check again whether it is done.
    public func wake() { state.withLock { $0.session }?.wake.raise() }

    /// Says goodbye, if there is a connection; a call that is under way fails.
    public func close() {
        let session = state.withLock { state in
            defer { state.session = nil }
            state.revival?.cancel()
            return state.session
        }
        session?.close()
    }

    private func usableSession() throws(MQTTError) -> MQTTSession {
        try state.withLock { (state) throws(MQTTError) in try usableSession(&state) }
    }

    private func usableSession(_ state: inout State) throws(MQTTError) -> MQTTSession {
        let found = state.session
        if let found, found.isUsable { return found }
        // One thread that hangs in a name service is enough.
        if let found, found.isStuck { throw .unreachable(reason: "the system still tries to reach \(settings.host):\(settings.port)") }
        if let problem = cmosquitto_load() { throw .noLibrary(reason: String(cString: problem)) }
        do throws(TLSFiles.Problem) {
            try TLSFiles.check([settings.caFile, settings.clientCertificate, settings.clientKey])
        } catch {
            throw .badSettings(reason: error.description)
        }
        do throws(SystemError) {
            state.sessionCount += 1
            let session = try MQTTSession(number: state.sessionCount)
            let receive = self.receive
            var wanted = self.settings
            if state.forgets { wanted.keepsSession = false }
            let settings = wanted
            try DedicatedThread.startForGood(name: "mqtt") { [weak self] in
                let start = MonotonicClock.milliseconds
                let error = MQTTLoop(settings, session, receive).run()
                self?.noteEnd(error, after: MonotonicClock.milliseconds - start, hasForgotten: !settings.keepsSession && session.isOpen)
                session.noteEnd(error)
                self?.revive(after: error)
            }
            state.session = session
            return session
        } catch {
            throw .unreachable(reason: "\(error)")
        }
    }

    /// Reconnects when the client shows its presence; when that fails, the end of that attempt leads here again.
    private func revive(after error: MQTTError) {
        guard settings.presence != nil, error != .cancelled else { return }
        state.withLock { state in
            guard state.endCount < MQTTClient.mostEndsRevived else { return }
            let pause = Int64.random(in: state.revivalPause / 2...state.revivalPause)
            state.revivalPause = min(state.revivalPause * 2, MQTTClient.revivalPauses.upperBound)
            state.revival = Task { [weak self] in
                try? await Task.sleep(for: .milliseconds(pause))  // Cancelled: see the condition.
                if Task.isCancelled { return }
                _ = try? await self?.connect()  // Publishing reports what prevents it.
            }
        }
    }

    private func noteEnd(_ error: MQTTError, after milliseconds: Int64, hasForgotten: Bool) {
        state.withLock { state in
            if hasForgotten { state.forgets = false }
            if case .tooLong = error { state.forgets = true }
            if milliseconds >= 60_000 { state.revivalPause = MQTTClient.revivalPauses.lowerBound }
            if case .endedByBroker = error, milliseconds < MQTTClient.steadySeconds * 1_000 {
                state.endCount += 1
            } else if case .endedByBroker = error {
                state.endCount = 1
            } else if case .cancelled = error {
                state.endCount = 0
            }
        }
    }
}
