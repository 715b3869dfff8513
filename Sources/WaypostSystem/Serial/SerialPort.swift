import Glibc

/// A serial line that is open to read from: raw, without echo, and locked for this process.
///
/// - The line is made raw before anything else happens: until then the kernel echoes every sentence back to the receiver.
/// - What waits there when it is opened is discarded: it arrived at another speed perhaps, and at another time.
/// - Two locks: `TIOCEXCL` refuses other programs (except root's; not on pseudo terminals), `flock` those that ask for it, such as a second waypost.
/// - Opening and closing do not raise or drop the modem lines on purpose (`CLOCAL`, no `HUPCL`), so that devices attached to them are not reset.
/// - Concurrency: one owner; its calls may wait for the device (USB control transfers), so keep them off threads that must not.
public struct SerialPort: ~Copyable {
    /// The speeds that receivers use, in bits per second, slowest first.
    public static let baudRates = [4_800, 9_600, 19_200, 38_400, 57_600, 115_200, 230_400, 460_800, 921_600]

    /// The result of an attempt to open a line.
    public enum Attempt: ~Copyable {
        /// This process has it.
        case opened(SerialPort)
        /// Another process has it.
        case held
    }

    /// The device, links resolved.
    public let path: String
    private let descriptor: Int32

    /// Opens a line at a speed.
    ///
    /// - Parameters:
    ///   - path: the device or a link to it, which is resolved now.
    ///   - baudRate: one of ``baudRates``.
    /// - Errors: `ENOTTY` when the path is not a terminal, `EINVAL` for a speed that the device does not support.
    public static func open(_ path: String, baudRate: Int) throws(SystemError) -> Attempt {
        let device = Syscalls.resolvingLinks(path)
        let descriptor: Int32
        do {
            descriptor = try Syscalls.open(device, O_RDWR | O_NOCTTY | O_NONBLOCK)
        } catch {
            if error.code == EBUSY { return .held }
            throw error
        }
        guard isatty(descriptor) == 1 else {
            let code = errno
            Syscalls.close(descriptor)
            // A line that was unplugged since then is not a terminal either: EIO.
            throw SystemError(code: code == EIO ? EIO : ENOTTY, operation: "open", path: device)
        }
        do {
            guard try Syscalls.lockExclusively(descriptor, path: device), !isTakenByAnother(descriptor, device) else {
                Syscalls.close(descriptor)
                return .held
            }
            try configure(descriptor, baudRate: baudRate, path: device)
            try Syscalls.retrying("discard input", path: device) { tcflush(descriptor, TCIFLUSH) }
            // A pseudo terminal outlives a program that is killed, and would stay closed to all until its other end goes away.
            if !device.hasPrefix("/dev/pts/") {
                try Syscalls.retrying("lock", path: device) { ioctl(descriptor, UInt(TIOCEXCL)) }
            }
        } catch {
            Syscalls.close(descriptor)
            throw error
        }
        return .opened(SerialPort(path: device, descriptor: descriptor))
    }

    deinit {
        // A reader of this line that was made from this port may still be open.
        _ = ioctl(descriptor, UInt(TIOCNXCL))
        _ = flock(descriptor, LOCK_UN)
        Syscalls.close(descriptor)
    }

    /// Changes the speed.
    ///
    /// Bytes that wait to be read arrived at the old speed and stay: discarding them here would take them from a thread that polls for them.
    /// - Errors: `EINVAL` for a speed that the device does not support.
    public borrowing func setBaudRate(_ baudRate: Int) throws(SystemError) {
        try SerialPort.configure(descriptor, baudRate: baudRate, path: path)
    }

    /// Reads what has arrived; waits for that at most the given time, and returns nothing when nothing arrived.
    ///
    /// - Errors: `EIO` when the line hung up.
    public borrowing func read(timeoutMilliseconds: Int32) throws(SystemError) -> [UInt8] {
        var polled = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
        guard try Syscalls.poll(&polled, timeoutMilliseconds: timeoutMilliseconds) > 0 else { return [] }
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = try Syscalls.readAvailable(descriptor, into: &buffer)
        if count == 0 { throw SystemError(code: EIO, operation: "read", path: path) }
        return Array(buffer.prefix(max(0, count)))
    }

    /// Writes all of the bytes; throws `ETIMEDOUT` when the device does not accept them within a second.
    public borrowing func write(_ bytes: [UInt8]) throws(SystemError) {
        let deadline = MonotonicClock.milliseconds + 1_000
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = Array(rest)
            do throws(SystemError) {
                rest = rest.dropFirst(try Syscalls.retrying("write", path: path) { Glibc.write(descriptor, piece, piece.count) })
            } catch {
                guard error.code == EAGAIN else { throw error }
                var polled = [pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)]
                let wait = Int32(clamping: deadline - MonotonicClock.milliseconds)
                guard wait > 0, try Syscalls.poll(&polled, timeoutMilliseconds: wait) > 0 else {
                    throw SystemError(code: ETIMEDOUT, operation: "write", path: path)
                }
            }
        }
    }

    /// A descriptor of the same line, which the caller reads and closes; it does not block.
    public borrowing func makeReadingDescriptor() throws(SystemError) -> Int32 {
        try Syscalls.retrying("duplicate", path: path) { fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }
    }

    // MARK: The terminal's settings

    private static func configure(_ descriptor: Int32, baudRate: Int, path: String) throws(SystemError) {
        guard let speed = speeds[baudRate] else { throw SystemError(code: EINVAL, operation: "set speed", path: path) }
        var settings = termios()
        try Syscalls.retrying("read settings", path: path) { tcgetattr(descriptor, &settings) }
        cfmakeraw(&settings)
        settings.c_cflag |= tcflag_t(CLOCAL | CREAD)
        settings.c_cflag &= ~(tcflag_t(HUPCL | CSTOPB) | hardwareFlowControl)
        cfsetspeed(&settings, speed)
        try Syscalls.retrying("set speed", path: path) { tcsetattr(descriptor, TCSANOW, &settings) }
        // tcsetattr succeeds when it could set anything at all.
        try Syscalls.retrying("read settings", path: path) { tcgetattr(descriptor, &settings) }
        guard cfgetispeed(&settings) == speed else { throw SystemError(code: EINVAL, operation: "set speed", path: path) }
    }

    private static let speeds: [Int: speed_t] = [
        4_800: speed_t(B4800), 9_600: speed_t(B9600), 19_200: speed_t(B19200), 38_400: speed_t(B38400), 57_600: speed_t(B57600),
        115_200: speed_t(B115200), 230_400: speed_t(B230400), 460_800: speed_t(B460800), 921_600: speed_t(B921600),
    ]

    // CRTSCTS and TIOCGEXCL are macros that are not imported.
    private static let hardwareFlowControl: tcflag_t = 0x8000_0000
    private static let getExclusive: UInt = 0x8004_5440

    /// Whether another process has exclusive use of the line, so that only root can open it.
    ///
    /// The mark may remain from a killed process on a pseudo terminal: root sees in /proc whether a process still holds the line.
    private static func isTakenByAnother(_ descriptor: Int32, _ path: String) -> Bool {
        var isExclusive: Int32 = 0
        guard ioctl(descriptor, getExclusive, &isExclusive) == 0, isExclusive != 0 else { return false }
        return DeviceHolder.all(of: path).contains { $0.processID != getpid() }
    }
}

extension SystemError {
    /// Whether the device rejected a value: a speed that it does not support.
    public var isInvalidArgument: Bool { code == EINVAL }

    /// Whether this user may not.
    public var isPermissionDenied: Bool { code == EACCES || code == EPERM }

    /// Whether the device went away.
    public var meansDeviceGone: Bool { code == ENOENT || code == ENXIO || code == ENODEV || code == EIO }

    /// Whether what was opened is not a terminal.
    public var isNoTerminal: Bool { code == ENOTTY }
}
