import Synchronization
import WaypostControl
import WaypostSystem

/// Keeps the receiver on for every fix until it is released or dropped.
///
/// When the tracker ends, the hold is renewed with the next one: tried after 0.1 s, then after twice as long each time, up to 5 s; after a
/// second or more with a tracker, this begins again. If the next tracker refuses it, the hold ends. It also ends when its user may no longer
/// know the position.
/// - Concurrency: from anywhere.
public final class TrackerHold: Sendable {
    /// The reason, which `waypost status` shows.
    public let reason: String

    private let connection: Connection
    private let keeper: Task<Void, Never>

    /// The connection that keeps the hold at the moment; nil while there is none.
    private final class Connection: Sendable {
        private let state: Mutex<(link: ControlLink?, isReleased: Bool)>

        init(_ link: ControlLink) {
            state = Mutex((link, false))
        }

        var link: ControlLink? { state.withLock { $0.link } }

        /// Replaces the connection; false if the hold was released.
        func replace(with link: ControlLink?) -> Bool {
            state.withLock { state in
                state.link = state.isReleased ? nil : link
                return !state.isReleased
            }
        }

        func release() {
            let link = state.withLock { state in
                defer { state = (nil, true) }
                return state.link
            }
            link?.close()
        }
    }

    init(_ reason: String, with tracker: Tracker, on link: ControlLink) {
        let connection = Connection(link)
        self.reason = reason
        self.connection = connection
        keeper = Task.detached { await TrackerHold.keep(reason, with: tracker, connection) }
    }

    deinit { release() }

    /// Whether a tracker keeps the hold at the moment.
    public var isHeld: Bool { connection.link != nil }

    /// Ends the hold for good.
    public func release() {
        connection.release()
        keeper.cancel()
    }

    /// Opens a connection and requests the hold on it.
    static func begin(_ reason: String, with tracker: Tracker) async throws(ControlError) -> ControlLink {
        let link = try await tracker.connect()
        _ = try await link.ask(HoldRequest(reason: reason), within: Tracker.usualPatience)
        return link
    }

    /// Renews the hold whenever its connection ends; returns when the hold is released.
    private static func keep(_ reason: String, with tracker: Tracker, _ connection: Connection) async {
        var reconnection = Reconnection()
        reconnection.noteConnection(at: MonotonicClock.milliseconds)
        while !Task.isCancelled {
            do throws(ControlError) {
                if let link = connection.link {
                    // Nothing is sent on it; this waits for its end.
                    while true { _ = try await link.nextLine() }
                }
                do { try await Task.sleep(for: reconnection.pause) } catch { throw .cancelled }
                let link = try await begin(reason, with: tracker)
                guard connection.replace(with: link) else { return }
                reconnection.noteConnection(at: MonotonicClock.milliseconds)
            } catch {
                _ = connection.replace(with: nil)
                guard error.isPassing else { return }
                _ = reconnection.noteFailure(error, at: MonotonicClock.milliseconds)
            }
        }
    }
}
