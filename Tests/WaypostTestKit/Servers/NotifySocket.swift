import Glibc
import WaypostSystem

/// The service manager's side of sd_notify(3): receives the messages of a service.
public final class NotifySocket: Sendable {
    /// The value of a service's `$NOTIFY_SOCKET`.
    public let name: String

    private let descriptor: Int32

    /// A new socket.
    ///
    /// - Parameter isAbstract: whether it has an abstract name; otherwise it has a path below `/tmp`.
    public init(isAbstract: Bool = false) throws {
        let word = "waypost-notify-" + String(UInt64.random(in: .min ... .max), radix: 16)
        name = isAbstract ? "@" + word : "/tmp/" + word
        let kind = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        descriptor = try Syscalls.retrying("socket") { socket(AF_UNIX, kind, 0) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = (isAbstract ? [0] : [UInt8(ascii: "/")]) + Array(name.utf8.dropFirst())
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = MemoryLayout<sa_family_t>.size + bytes.count
        do {
            try Syscalls.retrying("bind", path: name) {
                withUnsafePointer(to: &address) {
                    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(length)) }
                }
            }
        } catch {
            Syscalls.close(descriptor)
            throw error
        }
    }

    deinit {
        Syscalls.close(descriptor)
        if name.hasPrefix("/") { unlink(name) }
    }

    /// The next datagram; nil when there is none now.
    public func receive() -> String? {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return count < 0 ? nil : String(decoding: buffer.prefix(count), as: UTF8.self)
    }
}
