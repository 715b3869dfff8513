import WaypostSystem

/// A failure of the control socket, on either side.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum ControlError: Error, Sendable, Hashable {
    // The daemon's side
    /// The path is longer than a Unix socket allows.
    case pathTooLong(path: String, limit: Int)
    /// Another daemon listens on the socket.
    case anotherIsListening(path: String)
    /// The path holds something that is not a socket; it is left alone.
    case notASocket(path: String)
    /// The socket cannot be made: what was tried, and the system's message.
    case cannotListen(path: String, reason: String)

    // The client's side
    /// Nothing listens on the socket.
    case notRunning(path: String)
    /// This user may not use the socket, or pass a folder above it.
    case noPermission(path: String)
    /// The socket exists but cannot be used: the system's message.
    case cannotConnect(path: String, reason: String)
    /// The other side uses another protocol, or another version of it.
    case protocolMismatch(found: Int?)
    /// This user has no access; the daemon's message.
    case notAuthorised(message: String)
    /// The daemon refused for another reason; its message.
    case refused(code: String, message: String)
    /// The daemon's answer does not belong to the request.
    case unreadable(ControlAnswerError)
    /// The daemon did not answer in time, or had nothing to tell.
    case timedOut
    /// The daemon ended the connection; whether a service manager keeps its messages.
    case closed(byService: Bool)
    /// Sending or receiving failed: the system's message.
    case connectionFailed(reason: String)
    /// The task that waited was cancelled.
    case cancelled
}

extension ControlError: CustomStringConvertible {
    /// One line for people.
    public var description: String {
        switch self {
        case .pathTooLong(let path, let limit): "control socket \(path): the path is longer than \(limit) bytes"
        case .anotherIsListening(let path): "control socket \(path): another waypostd is listening; stop it, or use another --socket"
        case .notASocket(let path): "control socket \(path): there is something that is not a socket"
        case .cannotListen(let path, let reason): "control socket \(path): \(reason)"
        case .notRunning(let path): "waypostd is not running (nothing listens on \(path))"
        case .noPermission(let path): "control socket \(path): this user may not use it"
        case .cannotConnect("", let reason): "control socket: \(reason)"
        case .cannotConnect(let path, let reason): "control socket \(path): \(reason)"
        case .protocolMismatch(let found?):
            "control protocol: the tracker speaks version \(found), this program \(ControlProtocol.version); install the same version of both"
        case .protocolMismatch(nil): "control socket: what listens there is not waypostd"
        case .notAuthorised(let message): message
        case .refused(let code, ""): "the tracker refuses without a reason (\(code))"
        case .refused(_, let message): message
        case .unreadable(let error): "the tracker's answer \(error)"
        case .timedOut: "nothing came from the tracker in time"
        case .closed: "the tracker ended the connection"
        case .connectionFailed(let reason): reason
        case .cancelled: "the task that waited for the tracker was cancelled"
        }
    }
}

extension ControlError {
    /// The error that an ERROR line reports, nil for any other line; `class` is always the first member.
    init?(refusalOn line: [UInt8]) {
        guard line.starts(with: "{\"class\":\"ERROR\"".utf8) else { return nil }
        do {
            let refusal = try RefusalLine(line: line)
            self =
                refusal.code == ControlRefusal.Code.notAuthorised.rawValue
                ? .notAuthorised(message: refusal.message) : .refused(code: refusal.code, message: refusal.message)
        } catch {
            self = .protocolMismatch(found: nil)
        }
    }

    /// Why a client cannot connect.
    init(connecting error: SystemError, to path: String) {
        if error.meansNobodyListens {
            self = .notRunning(path: path)
        } else if error.meansNoPermission {
            self = .noPermission(path: path)
        } else if error.meansPathTooLong {
            self = .pathTooLong(path: path, limit: UnixSocket.maximumPathBytes)
        } else {
            self = .cannotConnect(path: path, reason: error.reason)
        }
    }
}
