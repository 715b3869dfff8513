import Glibc
import Synchronization
import WaypostSystem

/// A serial line without a wire: the test writes to the near end, the program under test opens ``path``.
///
/// It is raw from the start by default, so that nothing is echoed before a program opens it, and every user may open it.
/// - Concurrency: from anywhere; the last reference unplugs it.
public final class PseudoTerminal: Sendable {
    /// Why there is no line.
    public enum Failure: Error, Equatable {
        /// The system refused: the call.
        case system(String)
        /// It is unplugged.
        case unplugged
    }

    /// The device that a program opens: `/dev/pts/7`.
    public let path: String

    private let near: Mutex<Int32>

    /// A new line.
    ///
    /// - Parameter isRaw: false leaves it as the kernel makes it, echoing.
    public init(isRaw: Bool = true) throws {
        // Like openpty, but closing on exec: a process started meanwhile would keep an unplugged terminal alive.
        let near = try Syscalls.open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK)
        let (unlock, getNumber) = (UInt(0x4004_5431), UInt(0x8004_5430))
        var (lock, number) = (Int32(0), UInt32(0))
        var settings = termios()
        guard ioctl(near, unlock, &lock) == 0, ioctl(near, getNumber, &number) == 0, tcgetattr(near, &settings) == 0 else {
            Syscalls.close(near)
            throw Failure.system("no pseudo terminal")
        }
        if isRaw { cfmakeraw(&settings) }
        guard tcsetattr(near, TCSANOW, &settings) == 0, chmod("/dev/pts/\(number)", 0o666) == 0 else {
            Syscalls.close(near)
            throw Failure.system("/dev/pts/\(number) cannot be made raw and open to all")
        }
        path = "/dev/pts/\(number)"
        self.near = Mutex(near)
    }

    deinit { unplug() }

    /// The speed that the program at the far end has set, in bits per second.
    public var baudRate: Int? {
        near.withLock { near in
            var settings = termios()
            guard near >= 0, tcgetattr(near, &settings) == 0 else { return nil }
            let rates: [Int: Int32] = [
                4_800: B4800, 9_600: B9600, 19_200: B19200, 38_400: B38400, 57_600: B57600, 115_200: B115200, 230_400: B230400,
                460_800: B460800, 921_600: B921600,
            ]
            let speed = cfgetospeed(&settings)
            return rates.first { speed_t($0.value) == speed }?.key
        }
    }

    /// Sends as much as the line accepts at once; the rest is lost, as on a wire without a reader.
    public func write(_ bytes: [UInt8]) throws {
        try near.withLock { near in
            guard near >= 0 else { throw Failure.unplugged }
            let count = Glibc.write(near, bytes, bytes.count)
            if count < 0, errno != EAGAIN { throw Failure.system("write to \(path): \(errno)") }
        }
    }

    /// Sends text.
    public func write(_ text: String) throws { try write(Array(text.utf8)) }

    /// What the program at the far end has sent, or what its terminal has echoed.
    public func received() -> [UInt8] {
        near.withLock { near in
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = near >= 0 ? Glibc.read(near, &buffer, buffer.count) : 0
            return Array(buffer.prefix(max(0, count)))
        }
    }

    /// Hangs up the line, as pulling the plug does.
    ///
    /// Its number does not come again soon: a program that waits for this line would read the next terminal of that name, which may be
    /// another test's.
    public func unplug() {
        near.withLock { near in
            guard near >= 0 else { return }
            if let far = try? Syscalls.open(path, O_RDWR | O_NOCTTY | O_NONBLOCK) { PseudoTerminal.keep(far) }
            Syscalls.close(near)
            near = -1
        }
    }

    /// How many descriptors of this process keep numbers.
    public static var keptNumberCount: Int { unplugged.withLock(\.count) }

    // The far ends of the lines that were unplugged last: the kernel gives a number again when nobody has its terminal open.
    private static let unplugged = Mutex<[Int32]>([])
    private static let mostUnplugged = 32

    private static func keep(_ far: Int32) {
        unplugged.withLock { kept in
            kept.append(far)
            if kept.count > mostUnplugged { Syscalls.close(kept.removeFirst()) }
        }
    }
}
