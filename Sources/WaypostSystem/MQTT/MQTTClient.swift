import CMosquitto
import Synchronization

/// Speaks MQTT 3.1.1 with a broker, with the system's libmosquitto and TLS; the library is opened with the first connection.
///
/// Messages go out at QoS 1 and each one's acknowledgement is waited for. Nothing is kept and nothing is sent again: what a connection that broke
/// leaves unacknowledged is the caller's to send once more. The broker keeps a session under our id, with what comes for ``MQTTSettings/subscriptions``
/// while we are away. With ``MQTTSettings/presence`` a connection that breaks is made again by itself, after 1 s to 5 min: what the broker said of us
/// then is no longer true.
/// - Concurrency: any task; one call of ``publish(_:until:patience:)`` at a time. Each connection has a thread of its own, which sleeps while
///   nothing happens; a name service that hangs holds up that thread alone.
/// - Cost: 2.3 MB of resident memory with the first connection, 0.9 MB of it private (measured with libmosquitto 2.0.11), and its messages once more
///   while they are on their way.
public final class MQTTClient: Sendable {
    private struct State {
        var session: MQTTSession?
        var sessionCount = 0
        /// So many sessions in a row were ended by the broker.
        var endCount = 0
        /// Whether the broker is to forget what it keeps for us: a message among that is longer than is read, and would come for ever.
        var forgets = false
        /// What connects again by itself, and after how many milliseconds at most the next time.
        var revival: Task<Void, Never>?
        var revivalPause = MQTTClient.revivalPauses.lowerBound
    }

    /// The settings it was made with.
    public let settings: MQTTSettings
    private let receive: @Sendable (MQTTMessage) -> Void
    private let state = Mutex(State())

    /// A session that held so long was not thrown out by a rival, seconds.
    private static let steadySeconds: Int64 = 600

    /// The pauses before it connects again by itself, milliseconds; each a random part of twice the one before, as the fleet lost its broker
    /// together; after a session that held for a minute the first again.
    private static let revivalPauses: ClosedRange<Int64> = 1_000...300_000
    /// Thrown out so often in a row, it leaves the id to its rival until somebody sends.
    private static let mostEndsRevived = 3

    /// A client; nothing is opened yet.
    ///
    /// - Parameters:
    ///   - settings: the broker, and how to talk with it.
    ///   - receive: is given the messages of the subscriptions, on the connection's thread; it must return soon.
    public init(_ settings: MQTTSettings, receive: @escaping @Sendable (MQTTMessage) -> Void = { _ in }) {
        var settings = settings
        settings.window = min(max(1, settings.window), 65_535)
        settings.keepAliveSeconds = min(max(5, settings.keepAliveSeconds), 65_535)
        self.settings = settings
        self.receive = receive
    }

    deinit { close() }

    /// What ``connect()`` has found.
    public struct Connection: Sendable, Hashable {
        /// Grows with each connection of this client.
        public var number: Int
        /// Whether the broker knew us: what it had for us then, it has still.
        public var isSessionPresent: Bool
    }

    /// Connects, unless there is a connection.
    ///
    /// - Errors: all but ``MQTTError/endedByBroker(clientID:count:)``; within ``MQTTSettings/connectTimeout``.
    public func connect() async throws(MQTTError) -> Connection {
        let session = try usableSession()
        return Connection(number: session.number, isSessionPresent: try await session.opened(within: settings.connectTimeout))
    }

    /// Sends messages in their order, and waits until the broker has acknowledged all of them; and, with `isConfirmed`, until that is true, whatever
    /// the broker says.
    ///
    /// - Parameters:
    ///   - messages: what is published, in that order.
    ///   - isConfirmed: asked on the connection's thread, after each message that came, each second and at each ``wake()``, and told
    ///     whether the broker has acknowledged everything; must return soon.
    ///   - patience: how long it is waited for once the broker has everything, after the last message that came.
    /// - Returns: false when `isConfirmed` did not come true; the connection stays.
    /// - Errors: there is no connection, or it broke; no acknowledgement for ``MQTTSettings/timeout``, or not all of them within ten times that; the
    ///   task was cancelled. Some of the messages may have arrived; the connection is closed.
    public func publish(
        _ messages: [MQTTMessage], until isConfirmed: (@Sendable (_ isAcknowledged: Bool) -> Bool)? = nil, patience: Duration = .zero
    ) async throws(MQTTError) -> Bool {
        do throws(MQTTError) {
            guard let session = state.withLock({ $0.session }), session.isUsable else {
                // It may have ended since it was opened; what ended it says more.
                throw state.withLock { $0.session }?.end ?? .lost(reason: "there is no connection")
            }
            return try await session.run(MQTTJob(messages, until: isConfirmed, patience: patience))
        } catch .endedByBroker(let clientID, _) {
            throw .endedByBroker(clientID: clientID, count: state.withLock { max(1, $0.endCount) })
        }
    }

    /// Lets a call of ``publish(_:until:patience:)`` that waits ask once more whether it is done.
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
        for path in [settings.caFile, settings.clientCertificate, settings.clientKey].compactMap({ $0 }) {
            do throws(SystemError) { Syscalls.close(try Syscalls.openForReading(path)) } catch {
                throw .badSettings(reason: "\(path): cannot be read: \(error.reason)")
            }
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

    /// Who shows that it is there connects again by itself; when that fails, its end leads here again.
    private func revive(after error: MQTTError) {
        guard settings.presence != nil, error != .cancelled else { return }
        state.withLock { state in
            guard state.endCount < MQTTClient.mostEndsRevived else { return }
            let pause = Int64.random(in: state.revivalPause / 2...state.revivalPause)
            state.revivalPause = min(state.revivalPause * 2, MQTTClient.revivalPauses.upperBound)
            state.revival = Task { [weak self] in
                try? await Task.sleep(for: .milliseconds(pause))  // Cancelled: see the condition.
                if Task.isCancelled { return }
                _ = try? await self?.connect()  // What stands in the way is told by those who send.
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
