import Foundation
import Glibc
import Synchronization
import Waypost
import WaypostSystem

/// A real gpsd for tests: reads a pseudo terminal that the test writes NMEA to, and serves on a free port of 127.0.0.1.
///
/// It runs as a user without rights (gpsd's own when the tests run as root), with its own shared memory segment, so that any number
/// run at once. Call ``stop()`` when done; releasing the last reference does the same.
public final class GPSDServer: Sendable {
    /// Why the server cannot be used.
    public enum Failure: Error, Equatable {
        /// gpsd is not installed, or not where Debian installs it.
        case notInstalled
        /// The system refused something: the call.
        case system(String)
        /// gpsd was started, but ended at once or does not answer on its port.
        case doesNotAnswer
    }

    /// The port it serves on, on 127.0.0.1; kept over restarts.
    public let port: UInt16
    /// The path of its receiver, as gpsd reports it.
    public let devicePath: String

    private struct State {
        var process: Process?
        // The terminal's two ends; the far one stays open so that nothing hangs up while gpsd is restarted.
        var near: Int32
        var far: Int32
    }

    private let changesReceiver: Bool
    private let userID: UInt32
    private let state: Mutex<State>
    private let reservation: ReservedPort

    /// The path of gpsd, or nil: tests then say so and skip.
    public static var executable: String? {
        ["/usr/sbin/gpsd", "/usr/local/sbin/gpsd", "/usr/bin/gpsd"].first { access($0, X_OK) == 0 }
    }

    /// Whether gpsd is installed.
    public static var isInstalled: Bool { executable != nil }

    /// Opens a terminal and, by default, starts gpsd on it.
    ///
    /// - Parameters:
    ///   - starts: whether gpsd runs from the beginning.
    ///   - device: an existing line that the caller writes to.
    ///   - changesReceiver: whether gpsd may change the receiver's settings, for example a u-blox to UBX.
    ///   - userID: the user it runs as when the tests run as root; nil for gpsd's own.
    public init(starts: Bool = true, device: String? = nil, changesReceiver: Bool = false, userID: UInt32? = nil) async throws {
        guard GPSDServer.isInstalled else { throw Failure.notInstalled }
        let terminal = try device.map { (near: -1, far: -1, path: $0) } ?? GPSDServer.openTerminal()
        devicePath = terminal.path
        let userID = userID ?? SystemAccounts.userID(named: "gpsd") ?? 0
        if getuid() == 0, chown(devicePath, userID, 65_534) != 0 { throw Failure.system("chown \(devicePath)") }
        self.changesReceiver = changesReceiver
        self.userID = userID
        guard let reservation = ReservedPort() else { throw Failure.system("no free port") }
        (self.reservation, port) = (reservation, reservation.port)
        state = Mutex(State(process: nil, near: terminal.near, far: terminal.far))
        if starts { try await start() }
    }

    deinit {
        stop()
    }

    /// Starts gpsd and waits until it answers; does nothing while it runs.
    public func start() async throws {
        try state.withLock { state in
            guard state.process == nil, let executable = GPSDServer.executable else { return }
            let process = Process()
            var arguments = [executable, "-N", "-n"] + (changesReceiver ? [] : ["-b"]) + ["-S", String(port), devicePath]
            if getuid() == 0 { arguments = ["setpriv", "--reuid", "\(userID)", "--regid", "65534", "--clear-groups"] + arguments }
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = arguments
            process.environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "GPSD_SHM_KEY": String(0x4750_0000 + Int(port))]
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            state.process = process
        }
        for _ in 0..<500 {
            guard state.withLock({ $0.process?.isRunning }) == true else { throw Failure.doesNotAnswer }
            if reservation.isServed { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw Failure.doesNotAnswer
    }

    /// Ends gpsd abruptly, as a crash would (SIGKILL), and waits for its end.
    public func kill() { end(with: SIGKILL) }

    /// Ends gpsd normally (SIGTERM), and waits for its end; the receiver stays.
    public func terminate() { end(with: SIGTERM) }

    /// Writes to gpsd's receiver.
    public func write(_ text: String) throws {
        let near = state.withLock { $0.near }
        guard near >= 0 else { throw Failure.system("the receiver is unplugged") }
        try Syscalls.writeAll(near, Array(text.utf8))
    }

    /// Writes epochs of the receiver at its own pace, or faster, until the task is cancelled or the last one is written.
    ///
    /// - Parameters:
    ///   - receiver: the receiver to play.
    ///   - epochs: the range of its epochs.
    ///   - paceMilliseconds: time between epochs; nil means the receiver's period.
    public func play(_ receiver: SimulatedReceiver, epochs: Range<Int>, paceMilliseconds: Int? = nil) async throws {
        let pace = Int64(paceMilliseconds ?? receiver.periodMilliseconds)
        var next = MonotonicClock.milliseconds
        for index in epochs {
            try write(receiver.epoch(index).text)
            next += pace
            try await Task.sleep(for: .milliseconds(max(0, next - MonotonicClock.milliseconds)))
        }
    }

    /// Hangs up the terminal, as pulling the plug would.
    public func unplug() {
        let ends = state.withLock { state in
            defer { (state.near, state.far) = (-1, -1) }
            return [state.near, state.far]
        }
        for end in ends where end >= 0 { Syscalls.close(end) }
    }

    /// Ends gpsd and closes the terminal.
    public func stop() {
        kill()
        unplug()
    }

    private func end(with signal: Int32) {
        let process = state.withLock { state in
            defer { state.process = nil }
            return state.process
        }
        guard let process else { return }
        Glibc.kill(process.processIdentifier, signal)
        process.waitUntilExit()
    }

    // MARK: The system's side

    private static func openTerminal() throws -> (near: Int32, far: Int32, path: String) {
        // Like openpty, but closing on exec: a process started meanwhile would keep an unplugged terminal alive.
        let near = try Syscalls.open("/dev/ptmx", O_RDWR | O_NOCTTY)
        let (unlock, getNumber) = (UInt(0x4004_5431), UInt(0x8004_5430))
        var (lock, number) = (Int32(0), UInt32(0))
        guard ioctl(near, unlock, &lock) == 0, ioctl(near, getNumber, &number) == 0 else { throw Failure.system("no pseudo terminal") }
        let path = "/dev/pts/\(number)"
        let far = try Syscalls.open(path, O_RDWR | O_NOCTTY)
        var settings = termios()
        guard tcgetattr(far, &settings) == 0 else { throw Failure.system("\(path) is no terminal") }
        cfmakeraw(&settings)
        guard tcsetattr(far, TCSANOW, &settings) == 0 else { throw Failure.system("\(path) cannot be made raw") }
        return (near, far, path)
    }
}
