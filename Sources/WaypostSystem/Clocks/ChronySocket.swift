import Glibc

/// chrony's SOCK reference clock: a datagram for each measurement of how far off the clock is.
///
/// ```
/// struct sock_sample { struct timeval tv; double offset; int pulse; int leap; int _pad; int magic; }
/// ```
/// - Source: chrony's refclock_sock.c; `refclock SOCK` in chrony.conf(5). The layout is that of the machine: chronyd runs on the same one.
public enum ChronySocket {
    /// Marks the datagram as a sample for chronyd: "SOCK".
    static let magic: Int32 = 0x534f_434b

    /// Sends chronyd a sample: the true time, just now, was `milliseconds` since 1970.
    ///
    /// - Errors: `ENOENT`, `ECONNREFUSED` while chronyd does not run, `EACCES` when this user may not write to the socket.
    public static func send(trueMilliseconds milliseconds: Int64, to path: String) throws(SystemError) {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let clockSeconds = Double(now.tv_nsec) / 1e9
        // The whole seconds separately: their difference is exact.
        let offset = Double(milliseconds / 1_000 - Int64(now.tv_sec)) + Double(milliseconds % 1_000) / 1_000 - clockSeconds
        var sample: [UInt8] = []
        func append(_ value: some BitwiseCopyable) { withUnsafeBytes(of: value) { sample.append(contentsOf: $0) } }
        append(timeval(tv_sec: now.tv_sec, tv_usec: Int(now.tv_nsec / 1_000)))
        append(offset)
        append(Int32(0))
        append(Int32(0))
        append(Int32(0))
        append(magic)
        try UnixSocket.sendDatagram(sample, to: path)
    }
}

extension UnixSocket {
    /// Sends one datagram to the socket at a path, without waiting for room.
    public static func sendDatagram(_ bytes: [UInt8], to path: String) throws(SystemError) {
        guard path.utf8.count <= maximumPathBytes, !path.utf8.isEmpty else {
            throw SystemError(code: ENAMETOOLONG, operation: "send", path: path)
        }
        let kind = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = try Syscalls.retrying("socket") { socket(AF_UNIX, kind, 0) }
        defer { Syscalls.close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        try Syscalls.retrying("send", path: path) {
            withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
        }
    }
}
