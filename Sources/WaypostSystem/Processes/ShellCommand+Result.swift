import Glibc

extension ShellCommand {
    /// Waits until the command has ended, and ends it when that takes too long.
    ///
    /// - Returns: how it ended, and what it printed.
    /// - Cost: blocks this thread.
    public consuming func result(withinMilliseconds limit: Int64) throws(SystemError) -> (end: End, output: [UInt8]) {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let deadline = MonotonicClock.milliseconds + limit
        var isOpen = true
        while isOpen || !hasEnded, MonotonicClock.milliseconds < deadline {
            var descriptors = isOpen ? [pollfd(fd: output, events: Int16(POLLIN), revents: 0)] : []
            _ = try Syscalls.poll(&descriptors, timeoutMilliseconds: 10)
            let count = isOpen ? try Syscalls.readAvailable(output, into: &buffer) : -1
            if count == 0 { isOpen = false }
            bytes += buffer[..<max(0, count)]
        }
        return (stop(), bytes)
    }
}
