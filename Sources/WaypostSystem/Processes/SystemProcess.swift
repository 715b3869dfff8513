import Glibc
import Waypost

/// Properties and actions of this process.
public enum SystemProcess {
    /// The process's number.
    public static var processID: Int32 { getpid() }

    /// This machine's host name; `localhost` when it has none.
    public static var hostName: String {
        var name = [CChar](repeating: 0, count: 256)
        let code = gethostname(&name, 255)
        let text = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return code == 0 && !text.isEmpty ? text : "localhost"
    }

    /// The arguments of this process, without the program's own name.
    public static var arguments: [String] {
        let words = CommandLine.unsafeArgv
        return (1..<max(1, Int(CommandLine.argc))).compactMap { words[$0].map { String(name: $0) } }
    }

    /// Whether the system shows this process its arguments: Swift's runtime reads them from /proc, which a bare chroot lacks.
    public static var hasArguments: Bool { CommandLine.argc > 0 }

    /// The path of the running program's file, links resolved; nil where /proc is missing.
    public static var executablePath: String? {
        let path = Syscalls.resolvingLinks("/proc/self/exe")
        return path == "/proc/self/exe" ? nil : path
    }

    /// Ends the process; only the functions registered with `atexit` run.
    public static func exit(_ status: ExitStatus) -> Never {
        Glibc.exit(status.rawValue)
    }

    /// Ends the process at once, as an interrupt would.
    public static func interrupt() -> Never {
        _exit(128 + SIGINT)
    }

    /// Replaces this program by another one, with the same environment and process number; returns only when that fails.
    ///
    /// - Parameters:
    ///   - path: the program.
    ///   - arguments: the program's own name first.
    public static func replace(by path: String, arguments: [String]) -> SystemError {
        var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0.cName) }
        pointers.append(nil)
        execv(path.cName, pointers)
        let error = SystemError(code: errno, operation: "start", path: path)
        for pointer in pointers { free(pointer) }
        return error
    }

    /// Prints a line to standard error; text from others in it cannot end the line or control the terminal.
    public static func printError(_ line: String) {
        let bytes = Array((printable(line.shownName) + "\n").utf8)
        try? Syscalls.writeAll(STDERR_FILENO, bytes)  // Without standard error there is nobody to tell.
    }
}
