import Glibc

/// Blocking calls for Unix stream sockets, for clients and for finding listeners.
public enum UnixSocket {
    /// The longest path in bytes that the kernel accepts (`sun_path` less its terminator).
    public static let maximumPathBytes = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    /// The address of a path.
    ///
    /// - Errors: ENAMETOOLONG; EINVAL for an empty path.
    public static func address(_ path: String) throws(SystemError) -> sockaddr_un {
        let name = path.nameBytes
        if name.isEmpty { throw SystemError(code: EINVAL, operation: "connect", path: path).explained("its path is empty") }
        guard name.count <= maximumPathBytes else {
            throw SystemError(code: ENAMETOOLONG, operation: "connect", path: path)
        }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        return address
    }

    /// Connects to the listener at a path.
    ///
    /// - Errors: ENAMETOOLONG, ENOENT (no such path), ECONNREFUSED (no listener), EACCES, EAGAIN (its queue stayed full for five seconds).
    public static func connect(_ path: String) throws(SystemError) -> Int32 {
        var address = try address(path)
        let descriptor = try Syscalls.retrying("socket") { socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0) }
        // This also limits connect, in case the listener's queue is full.
        var limit = timeval(tv_sec: 5, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        do {
            try Syscalls.retrying("connect", path: path) {
                withUnsafePointer(to: &address) {
                    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                    }
                }
            }
        } catch {
            Syscalls.close(descriptor)
            throw error
        }
        return descriptor
    }

    /// A socket that listens at a path which nothing is at, with these permission bits from the first connection on: whoever comes a moment too early
    /// finds no listener, and not one that refuses.
    ///
    /// - Errors: ENAMETOOLONG, EADDRINUSE, ENOENT (no such folder), EACCES.
    public static func listener(at path: String, mode: UInt32) throws(SystemError) -> Int32 {
        var address = try address(path)
        let descriptor = try Syscalls.retrying("socket") { socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0) }
        do {
            try Syscalls.retrying("bind", path: path) {
                withUnsafePointer(to: &address) {
                    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                    }
                }
            }
            try setMode(path, mode)
            try Syscalls.retrying("listen", path: path) { listen(descriptor, backlog) }
        } catch {
            Syscalls.close(descriptor)
            throw error
        }
        return descriptor
    }

    /// How many connections wait to be accepted at most.
    private static let backlog: Int32 = 256

    /// Sends all of the bytes; when the peer is gone, this throws EPIPE and raises no signal.
    public static func sendAll(_ descriptor: Int32, _ bytes: [UInt8]) throws(SystemError) {
        try bytes.span.bytes.withUnsafeBytes { (raw) throws(SystemError) in
            var rest = raw
            while !rest.isEmpty {
                let sent = try Syscalls.retrying("send") { send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL)) }
                rest = UnsafeRawBufferPointer(rebasing: rest[sent...])
            }
        }
    }

    /// Waits until there is something to read (or the end); returns false when the time is over.
    ///
    /// - Parameters:
    ///   - descriptor: the descriptor to wait for.
    ///   - timeoutMilliseconds: -1 waits for ever.
    public static func waitReadable(_ descriptor: Int32, timeoutMilliseconds: Int32) throws(SystemError) -> Bool {
        var descriptors = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
        return try Syscalls.poll(&descriptors, timeoutMilliseconds: timeoutMilliseconds) > 0
    }

    /// What is at a path where a program wants to listen.
    public enum Occupant: Sendable, Equatable {
        /// Nothing.
        case nothing
        /// A socket with a listener.
        case listener
        /// A socket that its owner left behind: connecting is refused.
        case staleSocket
        /// Something that is not a socket.
        case other
    }

    /// Finds out what is at a path, by connecting.
    public static func occupant(of path: String) throws(SystemError) -> Occupant {
        var status = stat()
        guard lstat(path.cName, &status) == 0 else {
            if errno == ENOENT { return .nothing }
            throw SystemError(code: errno, operation: "look at", path: path)
        }
        guard status.st_mode & S_IFMT == S_IFSOCK else { return .other }
        do {
            Syscalls.close(try connect(path))
            return .listener
        } catch {
            switch error.code {
            case ECONNREFUSED: return .staleSocket
            case ENOENT: return .nothing
            case EAGAIN: return .listener
            default: throw error
            }
        }
    }

    /// Removes a socket or file.
    public static func unlink(_ path: String) throws(SystemError) {
        try Syscalls.retrying("remove", path: path) { Glibc.unlink(path.cName) }
    }

    /// Sets the permission bits of a path.
    public static func setMode(_ path: String, _ mode: UInt32) throws(SystemError) {
        try Syscalls.retrying("set permissions of", path: path) { chmod(path.cName, mode) }
    }
}

extension SystemError {
    /// Whether there is no listener: no such path, or a socket left behind.
    public var meansNobodyListens: Bool { code == ENOENT || code == ECONNREFUSED }

    /// Whether this user may not use the socket, or may not pass a folder above it.
    public var meansNoPermission: Bool { code == EACCES || code == EPERM }

    /// Whether a path is longer than the system accepts.
    public var meansPathTooLong: Bool { code == ENAMETOOLONG }

    /// Whether the other end has gone.
    public var isConnectionEnd: Bool { code == EPIPE || code == ECONNRESET }
}
