import WaypostSystem

/// The end of a command that did not do what was asked: one line for people and an exit code for scripts.
struct CommandFailure: Error {
    let status: ExitStatus
    let line: String

    /// `waypost: WHAT: WHY; NEXT`.
    init(_ status: ExitStatus, what: String, why: String, next: String? = nil) {
        self.status = status
        line = "waypost: \(what): \(why)" + (next.map { "; \($0)" } ?? "")
    }

    /// A line of which somebody else knows the words: `WHAT: WHY; NEXT`.
    init(_ status: ExitStatus, line: String) {
        self.status = status
        self.line = "waypost: \(line)"
    }

    /// Prints the line and ends the process.
    func exit() -> Never {
        SystemProcess.printError(line)
        SystemProcess.exit(status)
    }
}

/// Standard error and what it is connected to.
enum Terminal {
    /// Whether a person looks at standard error.
    static let isErrorInteractive = Syscalls.isTerminal(Syscalls.standardError)
}
