import Glibc
import WaypostSystem

/// The exit codes of cli.md, which are those of sysexits.h.
enum ExitStatus: Int32 {
    case failed = 1
    case usage = 64
    case badData = 65
    case inputMissing = 66
    case unavailable = 69
    case cannotCreate = 73
    case inputOutput = 74
    case timedOut = 75
    case notAuthorised = 77
    case badConfiguration = 78
}

/// The end of a command that did not do what was asked: one line for people and an exit code for scripts.
struct CommandFailure: Error {
    let status: ExitStatus
    let line: String

    /// `waypost: WHAT: WHY; NEXT`.
    init(_ status: ExitStatus, what: String, why: String, next: String? = nil) {
        self.status = status
        line = "waypost: \(what): \(why)" + (next.map { "; \($0)" } ?? "")
    }

    /// Prints the line and ends the process.
    func exit() -> Never {
        Terminal.printError(line)
        Glibc.exit(status.rawValue)
    }
}

/// Standard error and what it is connected to.
enum Terminal {
    /// Whether a person looks at standard error.
    static let isErrorInteractive = isatty(STDERR_FILENO) == 1

    /// Prints a line to standard error.
    static func printError(_ line: String) {
        // Without standard error there is nobody to tell.
        try? Syscalls.writeAll(STDERR_FILENO, Array((line + "\n").utf8))  // See above.
    }
}
