import Glibc

extension ShellCommand {
    /// How long what a command printed may still take to arrive when the command has ended, in milliseconds.
    private static var leftoverMilliseconds: Int64 { 500 }

    /// Waits until the command has ended, and ends it when that takes too long.
    ///
    /// What the command has left running is ended with it, and is not waited for, although it may hold the output open.
    /// - Parameters:
    ///   - limit: how long it may take.
    ///   - look: is called every now and then while it runs.
    /// - Returns: how it ended, and what it printed.
    /// - Cost: blocks this thread.
    public consuming func result(
        withinMilliseconds limit: Int64, meanwhile look: () -> Void = {}
    ) throws(SystemError) -> (end: End, output: [UInt8]) {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        var deadline = MonotonicClock.milliseconds + limit
        var (isOpen, isRunning) = (true, true)
        while isOpen || isRunning, MonotonicClock.milliseconds < deadline {
            if isRunning, hasEnded {
                isRunning = false
                deadline = min(deadline, MonotonicClock.milliseconds + ShellCommand.leftoverMilliseconds)
            }
            var descriptors = isOpen ? [pollfd(fd: output, events: Int16(POLLIN), revents: 0)] : []
            _ = try Syscalls.poll(&descriptors, timeoutMilliseconds: 10)
            let count = isOpen ? try Syscalls.readAvailable(output, into: &buffer) : -1
            if count == 0 { isOpen = false }
            bytes += buffer[..<max(0, count)]
            look()
        }
        return (stop(), bytes)
    }
}
