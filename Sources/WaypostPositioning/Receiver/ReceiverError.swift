import WaypostSystem

/// Why a receiver cannot be read or changed; each case has one line for people.
package enum ReceiverError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The port is not there.
    case missing(String)
    /// The path does not belong to a serial line.
    case notALine(String)
    /// Reading or writing has failed.
    case failed(String)
    /// gpsd or another program has it.
    case held(String)
    /// This user may not open it.
    case denied(String)
    /// Nothing on the line is understood.
    case silent(String)
    /// It is neither a u-blox nor a MediaTek receiver, or does not answer.
    case unknown(String)
    /// Receivers of this make, or on such a line, cannot do that.
    case impossible(String)
    /// The receiver refused the request, or does not know it.
    case refused(String)
    /// It confirmed the change, but reports a different value.
    case notKept(String)

    /// One line for people.
    package var description: String {
        switch self {
        case .missing(let words), .notALine(let words), .failed(let words), .held(let words), .denied(let words), .silent(let words),
            .unknown(let words), .impossible(let words), .refused(let words), .notKept(let words):
            words
        }
    }

    private static let look = "; waypost devices lists the ports"

    init(_ failure: SerialOpening.Failure, path: String) {
        switch failure {
        case .missing: self = .missing("\(path) is not there\(ReceiverError.look)")
        case .notALine: self = .notALine(SerialRefusal.notALine(path: path).words + ReceiverError.look)
        case .heldByGPSD:
            self = .held("\(path): gpsd has it; take it from gpsd first: sudo systemctl stop gpsd.socket gpsd.service")
        case .held(let holders, _): self = .held(SerialRefusal.held(path: path, by: holders, isOwn: false).orConsole().words)
        case .refused(let error, _): self.init(error, path: path)
        }
    }

    init(_ error: SystemError, path: String) {
        if error.isPermissionDenied {
            self = .denied(SerialRefusal.denied(path: path, group: Syscalls.groupName(of: path)).orConsole().words)
        } else if error.isNoTerminal {
            self = .notALine(SerialRefusal.notALine(path: path).words + ReceiverError.look)
        } else if error.isMissing {
            self = .missing("\(path) is not there\(ReceiverError.look)")
        } else {
            self = .failed("\(path): \(error.reason)")
        }
    }
}
