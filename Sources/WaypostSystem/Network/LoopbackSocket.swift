import Glibc

/// Short conversations with a server on this machine, on a thread that may block.
public enum LoopbackSocket {
    /// Connects to a port of 127.0.0.1; the descriptor closes on exec and does not block.
    ///
    /// - Errors: ECONNREFUSED when there is no listener, ETIMEDOUT.
    public static func connect(port: UInt16, timeoutMilliseconds: Int32) throws(SystemError) -> Int32 {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = try Syscalls.retrying("socket") { socket(AF_INET, kind, 0) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        let failure = result == 0 ? 0 : errno == EINPROGRESS ? outcome(descriptor, timeoutMilliseconds) : errno
        guard failure == 0 else {
            Syscalls.close(descriptor)
            throw SystemError(code: failure, operation: "connect")
        }
        return descriptor
    }

    /// Reads until the end of the first line that `isWanted` accepts; nil when the end, the time-out or the limit (64 KiB) comes first.
    ///
    /// - Parameters:
    ///   - descriptor: the descriptor to read.
    ///   - timeoutMilliseconds: how long to wait.
    ///   - isGivenUp: whether the answer is not wanted any more; called ten times a second.
    ///   - isWanted: checks each line, without its line feed.
    public static func firstLine(
        from descriptor: Int32, timeoutMilliseconds: Int32, isGivenUp: () -> Bool = { false }, where isWanted: ([UInt8]) -> Bool
    ) throws(SystemError) -> [UInt8]? {
        let deadline = MonotonicClock.milliseconds + Int64(timeoutMilliseconds)
        var pending: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while pending.count < 65_536 {
            let wait = deadline - MonotonicClock.milliseconds
            var polled = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
            guard wait > 0, !isGivenUp() else { return nil }
            if try Syscalls.poll(&polled, timeoutMilliseconds: Int32(min(wait, 100))) == 0 { continue }
            let count = try Syscalls.readAvailable(descriptor, into: &buffer)
            if count == 0 { return nil }
            pending += buffer.prefix(max(0, count))
            while let end = pending.firstIndex(of: 0x0a) {
                let line = Array(pending[..<end])
                pending.removeSubrange(...end)
                if isWanted(line) { return line }
            }
        }
        return nil
    }

    /// Waits for the result of an attempt to connect; 0 is success.
    private static func outcome(_ descriptor: Int32, _ timeoutMilliseconds: Int32) -> Int32 {
        var polled = [pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)]
        do {
            guard try Syscalls.poll(&polled, timeoutMilliseconds: timeoutMilliseconds) > 0 else { return ETIMEDOUT }
        } catch {
            return error.code
        }
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 ? code : errno
    }
}
