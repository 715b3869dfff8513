import Glibc

/// Reports this service's state to the service manager (systemd), by the protocol of sd_notify(3): lines in a datagram to `$NOTIFY_SOCKET`.
///
/// Implemented here because libsystemd would add 1.3 MB.
/// - Concurrency: a value; from anywhere. Sending waits only briefly when the manager is busy.
public struct ServiceNotifier: Sendable {
    /// The states to report.
    public enum Message: Sendable, Equatable {
        /// The service does its work from now on.
        case ready
        /// What it is doing, for `systemctl status`: one line.
        case status(String)
        /// The service is healthy (``watchdogPeriod``).
        case alive
        /// It is about to end normally.
        case stopping
    }

    /// The time within which ``Message/alive`` must be sent again, or the service is restarted; nil without a watchdog.
    public let watchdogPeriod: Duration?
    private let address: sockaddr_un
    private let addressLength: socklen_t

    /// The service manager that started this process; nil when none did, or when it wants no reports.
    ///
    /// - Parameters:
    ///   - environment: `NOTIFY_SOCKET`, a path or `@` and an abstract name; `WATCHDOG_USEC`, and `WATCHDOG_PID` when it is meant for one process.
    ///   - processID: this process.
    public init?(environment: [String: String], processID: Int32 = SystemProcess.processID) {
        guard let name = environment["NOTIFY_SOCKET"], name.hasPrefix("/") || name.hasPrefix("@"), name.utf8.count > 1,
            name.utf8.count <= UnixSocket.maximumPathBytes
        else { return nil }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { path in
            path.copyBytes(from: name.utf8)
            if name.hasPrefix("@") { path[0] = 0 }
        }
        self.address = address
        // An abstract name extends to the end of the address; a path may end before.
        let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? MemoryLayout<sa_family_t>.size
        addressLength = socklen_t(start + name.utf8.count)
        let isMeant = environment["WATCHDOG_PID"].map { $0 == String(processID) } ?? true
        let period = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
        watchdogPeriod = isMeant && period > 0 ? .microseconds(period) : nil
    }

    /// Sends all of them in one datagram.
    ///
    /// - Errors: the manager does not listen any more, or has accepted nothing for five seconds.
    public func send(_ messages: Message...) throws(SystemError) {
        let text = messages.map(\.line).joined(separator: "\n")
        let kind = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = try Syscalls.retrying("socket") { socket(AF_UNIX, kind, 0) }
        defer { Syscalls.close(descriptor) }
        var limit = timeval(tv_sec: 5, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let bytes = Array(text.utf8)
        try Syscalls.retrying("notify the service manager") {
            withUnsafePointer(to: address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, addressLength)
                }
            }
        }
    }
}

extension ServiceNotifier.Message {
    /// `NAME=VALUE`.
    fileprivate var line: String {
        switch self {
        case .ready: "READY=1"
        // A line end inside would begin another message.
        case .status(let words): "STATUS=" + String(words.unicodeScalars.map { $0.value < 0x20 ? " " : Character($0) })
        case .alive: "WATCHDOG=1"
        case .stopping: "STOPPING=1"
        }
    }
}
