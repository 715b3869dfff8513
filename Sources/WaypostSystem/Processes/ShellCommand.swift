import CMapping
import Glibc
import Synchronization

/// A command from the user that runs beside this program, and whose output is read.
///
/// `/bin/sh -c` runs it, as cron does: pipes, quotes and variables have their usual meaning.
/// - It has its own process group, default signals, and no descriptor of ours except the two pipes. Its standard input is empty or what it is given,
///   which nobody else can read, as everybody can a command line.
/// - What is left of the group when it is ended gets SIGTERM, and SIGKILL after ``graceMilliseconds``.
/// - It ends with this process, however that ends: a watcher in its group, a second shell, waits for the end of a pipe that only this process
///   holds open, and then ends the group as above. (PR_SET_PDEATHSIG would follow the thread that started it, and would reach only the shell.)
/// - Concurrency: one owner, on a thread that may block.
public struct ShellCommand: ~Copyable {
    /// How it ended.
    public enum End: Sendable, Equatable {
        /// By itself, with that code; the shell's own are 126 (cannot be executed) and 127 (not found).
        case exited(Int32)
        /// By that signal.
        case signalled(Int32)
        /// The system does not say, because this process was set to ignore its children.
        case unknown
    }

    /// The time between SIGTERM and SIGKILL, in milliseconds.
    public static let graceMilliseconds: Int64 = 2_000
    private static let lookMilliseconds: Int32 = 10

    // The watcher first; then the command replaces the shell. Descriptor 3 ends with this process, descriptor 4 with the group.
    private static let script = """
        { trap '' TERM; read -r _ <&3; kill -s TERM 0; sleep 2; kill -s KILL 0; } </dev/null >/dev/null 2>&1 &
        exec 3<&- 4<&- /bin/sh -c "$1"
        """
    // No other command is started between creating a pipe and marking it close-on-exec.
    private static let starting = Mutex(())

    /// The shell's process number, and that of its group.
    public let processID: Int32
    /// The command's output: read from it; it does not block.
    public let output: Int32
    /// The command's error output: read from it; it does not block.
    public let errors: Int32
    private let lifeline: Int32
    private var end: End?

    /// Starts a command.
    ///
    /// - Parameters:
    ///   - command: what the shell runs.
    ///   - input: its standard input.
    ///   - lock: is held by the watcher, too, so that it lasts as long as the group even if this process is killed; the command does not get it.
    /// - Errors: no process or descriptor is left. A command that does not exist is started by the shell, and ends with 127.
    public static func start(
        _ command: String, input: [UInt8] = [], holding lock: borrowing FileLock
    ) throws(SystemError) -> ShellCommand {
        try start(command, input, holding: lock.descriptor)
    }

    /// Starts a command.
    ///
    /// - Parameters:
    ///   - command: what the shell runs.
    ///   - input: its standard input.
    /// - Errors: no process or descriptor is left. A command that does not exist is started by the shell, and ends with 127.
    public static func start(_ command: String, input: [UInt8] = []) throws(SystemError) -> ShellCommand {
        try start(command, input, holding: nil)
    }

    private static func start(_ command: String, _ input: [UInt8], holding held: Int32?) throws(SystemError) -> ShellCommand {
        try starting.withLock { _ throws(SystemError) in
            var output = try Pipe()
            var errors = try Pipe()
            var lifeline = try Pipe()
            let file = input.isEmpty ? nil : try ShellCommand.file(of: input)
            defer { if let file { Syscalls.close(file) } }
            let processID = try spawn(["/bin/sh", "-c", script, "sh", command], file, output.writer, errors.writer, lifeline.reader, held)
            return ShellCommand(
                processID: processID, output: output.takeReader(), errors: errors.takeReader(), lifeline: lifeline.takeWriter())
        }
    }

    private init(processID: Int32, output: Int32, errors: Int32, lifeline: Int32) {
        self.processID = processID
        self.output = output
        self.errors = errors
        self.lifeline = lifeline
    }

    deinit {
        if end == nil {
            kill(-processID, SIGKILL)
            var status: Int32 = 0
            while waitpid(processID, &status, 0) < 0, errno == EINTR {}
        }
        for descriptor in [output, errors, lifeline] { Syscalls.close(descriptor) }
    }

    /// Whether the command itself has ended; what it started may live on, and its number stays taken until ``stop()``.
    public var hasEnded: Bool {
        if end != nil { return true }
        var state = siginfo_t()
        let result = waitid(P_PID, id_t(processID), &state, WEXITED | WNOWAIT | WNOHANG)
        return result == 0 ? state.si_signo == SIGCHLD : errno == ECHILD
    }

    /// Ends the command and its whole group, and waits for that; what it still prints is discarded.
    ///
    /// - Returns: how the command ended: by itself if it already had.
    /// - Cost: a few milliseconds when the group obeys, ``graceMilliseconds`` when it does not.
    public mutating func stop() -> End {
        if let end { return end }
        kill(-processID, SIGTERM)
        let deadline = MonotonicClock.milliseconds + ShellCommand.graceMilliseconds
        var isQuiet = false
        var scrap = [UInt8](repeating: 0, count: 4_096)
        // The processes of the group that matter hold the output open: when it ends, they have ended.
        while !(isQuiet && hasEnded), MonotonicClock.milliseconds < deadline {
            var descriptors = isQuiet ? [] : [pollfd(fd: output, events: Int16(POLLIN), revents: 0)]
            _ = try? Syscalls.poll(&descriptors, timeoutMilliseconds: ShellCommand.lookMilliseconds)  // A failure is a shorter wait.
            // An output that cannot be read any more has ended.
            if !isQuiet { isQuiet = ((try? Syscalls.readAvailable(output, into: &scrap)) ?? 0) == 0 }  // As said.
        }
        // Also the watcher, and processes that ignored SIGTERM. The group's number is ours until the shell is waited for.
        kill(-processID, SIGKILL)
        var status: Int32 = 0
        var result = waitpid(processID, &status, 0)
        while result < 0, errno == EINTR { result = waitpid(processID, &status, 0) }
        let end: End
        if result < 0 {
            end = .unknown
        } else if status & 0x7F == 0 {
            end = .exited(status >> 8 & 0xFF)
        } else {
            end = .signalled(status & 0x7F)
        }
        self.end = end
        return end
    }

    // MARK: - Starting

    private static func spawn(
        _ arguments: [String], _ input: Int32?, _ output: Int32, _ errors: Int32, _ lifeline: Int32, _ held: Int32?
    ) throws(SystemError) -> Int32 {
        var files = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&files)
        defer { posix_spawn_file_actions_destroy(&files) }
        if let input {
            posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO)
        } else {
            posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        }
        posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&files, errors, STDERR_FILENO)
        // First, as its number may be one of these.
        if let held { posix_spawn_file_actions_adddup2(&files, held, 4) }
        posix_spawn_file_actions_adddup2(&files, lifeline, 3)
        // Libraries open descriptors that do not close on exec. Without /proc the program inherits these.
        let names = (try? Syscalls.names(inFolder: "/proc/self/fd")) ?? []  // As said.
        let last: Int32 = held == nil ? 3 : 4
        for descriptor in names.compactMap({ Int32($0) }) where descriptor > last { posix_spawn_file_actions_addclose(&files, descriptor) }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))

        var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0.cName) }
        defer { for pointer in pointers { free(pointer) } }
        pointers.append(nil)
        var processID: pid_t = 0
        let code = posix_spawn(&processID, arguments[0].cName, &files, &attributes, pointers, environ)
        guard code == 0 else { throw SystemError(code: code, operation: "start", path: arguments[0]) }
        return processID
    }

    /// A file in memory with these bytes, without a name, at its start.
    private static func file(of bytes: [UInt8]) throws(SystemError) -> Int32 {
        let made = try Syscalls.retrying("create memory") { cmapping_memory_file() }
        defer { Syscalls.close(made) }
        // Not the number of a standard descriptor, which is given away while the command is started.
        let descriptor = try Syscalls.retrying("duplicate") { fcntl(made, F_DUPFD_CLOEXEC, 10) }
        // It stays at its start.
        do throws(SystemError) { try Syscalls.writeAll(descriptor, bytes.span.bytes, at: 0) } catch {
            Syscalls.close(descriptor)
            throw error
        }
        return descriptor
    }

    /// A pipe whose ends close on exec and are not standard descriptors; an end that is not taken is closed.
    private struct Pipe: ~Copyable {
        private(set) var reader: Int32 = -1
        private(set) var writer: Int32 = -1

        init() throws(SystemError) {
            var ends: [Int32] = [-1, -1]
            try Syscalls.retrying("pipe") { pipe(&ends) }
            defer { for end in ends { Syscalls.close(end) } }
            reader = try Pipe.move(ends[0])
            writer = try Pipe.move(ends[1])
        }

        deinit {
            if reader >= 0 { Syscalls.close(reader) }
            if writer >= 0 { Syscalls.close(writer) }
        }

        /// The reading end, which does not block from now on; the caller must close it.
        mutating func takeReader() -> Int32 {
            _ = fcntl(reader, F_SETFL, O_NONBLOCK)
            defer { reader = -1 }
            return reader
        }

        /// The writing end; the caller must close it.
        mutating func takeWriter() -> Int32 {
            defer { writer = -1 }
            return writer
        }

        private static func move(_ descriptor: Int32) throws(SystemError) -> Int32 {
            try Syscalls.retrying("duplicate") { fcntl(descriptor, F_DUPFD_CLOEXEC, 10) }
        }
    }
}

extension ShellCommand.End: CustomStringConvertible {
    /// What happened, as the end of a sentence: `ended with exit code 3`.
    public var description: String {
        switch self {
        case .exited(0): "ended (exit code 0)"
        case .exited(126): "cannot be executed: it is not a program, or this user may not run it (exit code 126)"
        case .exited(127): "was not found (exit code 127)"
        // How a shell reports the signal that ended its last command.
        case .exited(let code) where code > 128 && code <= 192:
            "ended with exit code \(code) (\(ShellCommand.End.name(ofSignal: code - 128)))"
        case .exited(let code): "ended with exit code \(code)"
        case .signalled(let number): "was ended by signal \(number) (\(ShellCommand.End.name(ofSignal: number)))"
        case .unknown: "ended"
        }
    }

    private static func name(ofSignal number: Int32) -> String {
        strsignal(number).map { String(cString: $0) } ?? "unknown"
    }
}
