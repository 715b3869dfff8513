import WaypostSystem

/// A failed command: one line for people and an exit code for scripts.
struct CommandFailure: Error {
    let status: ExitStatus
    let line: String

    /// `waypost: WHAT: WHY; NEXT`.
    init(_ status: ExitStatus, what: String, why: String, next: String? = nil) {
        self.status = status
        line = "waypost: \(what): \(why)" + (next.map { "; \($0)" } ?? "")
    }

    /// An input that cannot be opened.
    init(reading path: String, _ error: SystemError) {
        if path.isEmpty {
            self.init(.inputMissing, what: "''", why: "is not the name of a file", next: "name a file, or - for standard input")
            return
        }
        let next: String? =
            if error.isMissing { "check its name" } else if error.isNotPermitted { "use sudo, or let this user read it" } else { nil }
        self.init(.inputMissing, what: path, why: "cannot be read: \(error.reason)", next: next)
    }

    /// A file whose name does not give its format; standard input and output have no name.
    static func withoutFormat(_ path: String, called standard: String = "standard input", next: String) -> CommandFailure {
        if Syscalls.isFolder(path) { return CommandFailure(.usage, what: path, why: "is a folder", next: "name the files in it") }
        if standard == "standard input", path != "-", !Syscalls.exists(path) {
            return CommandFailure(reading: path, .isMissing(path))
        }
        return path == "-"
            ? CommandFailure(.usage, what: standard, why: "has no extension that gives its format", next: next)
            : CommandFailure(.usage, what: path, why: "its extension does not give a format", next: next)
    }

    /// A line whose words come from elsewhere: `WHAT: WHY; NEXT`.
    init(_ status: ExitStatus, line: String) {
        self.status = status
        self.line = "waypost: \(line)"
    }

    /// Prints the line and ends the process.
    func exit() -> Never {
        Terminal.sayError(line)
        SystemProcess.exit(status)
    }
}

/// Standard error and what it is connected to.
enum Terminal {
    /// Whether standard error is a terminal, with a person before it.
    static let isErrorInteractive = Syscalls.isTerminal(Syscalls.standardError)
    /// How many columns that person's screen has; nil where nobody looks.
    static var errorColumns: Int? { isErrorInteractive ? Syscalls.terminalColumns(Syscalls.standardError) ?? 80 : nil }

    /// Shows a line that ends between words on a person's screen; one that is set in is a command to copy, and stays whole.
    static func sayError(_ line: String) {
        let isCommand = line.hasPrefix("    ")
        for part in wrapped(line, columns: isCommand ? nil : errorColumns, indent: 4) { SystemProcess.printError(part) }
    }
}
