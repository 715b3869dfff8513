import WaypostControl
import WaypostSystem

/// When a lost connection is tried again: after 0.1 s, then after twice as long each time, up to 5 s.
///
/// A connection that lasts for a second resets the pause; one that is lost at once does not.
/// - Concurrency: a value; moments are milliseconds of the monotonic clock, given by the caller.
struct Reconnection: Sendable {
    private static let firstMilliseconds: Int64 = 100
    private static let longestMilliseconds: Int64 = 5_000
    private static let lastingMilliseconds: Int64 = 1_000

    private var failureCount = 0
    private var connectedAt: Int64?
    /// The last failure that was reported since the last connection.
    private var told: ControlError?

    /// How long to wait before the next attempt; zero before the first.
    var pause: Duration {
        guard failureCount > 0 else { return .zero }
        return .milliseconds(min(Reconnection.longestMilliseconds, Reconnection.firstMilliseconds << Int64(min(failureCount - 1, 10))))
    }

    /// Notes a new connection.
    mutating func noteConnection(at now: Int64) {
        connectedAt = now
        told = nil
    }

    /// Notes that an attempt failed or a connection ended; returns whether the reason is new.
    mutating func noteFailure(_ error: ControlError, at now: Int64) -> Bool {
        if let connectedAt, now - connectedAt >= Reconnection.lastingMilliseconds { failureCount = 0 }
        connectedAt = nil
        failureCount += 1
        defer { told = error }
        return told != error
    }
}

extension ControlError {
    /// Whether another attempt may succeed: the tracker is not running yet, has ended, or is busy.
    var isPassing: Bool {
        switch self {
        case .cannotConnect("", _): false
        case .notRunning, .noPermission, .cannotConnect, .timedOut, .closed, .connectionFailed: true
        case .refused(let code, _):
            // The tracker is starting or stopping, or has too many clients for the moment.
            [ControlRefusal.Code.tooManyConnections, .unavailable].contains { $0.rawValue == code }
        case .pathTooLong, .anotherIsListening, .notASocket, .cannotListen, .protocolMismatch, .notAuthorised, .unreadable, .cancelled:
            false
        }
    }
}
