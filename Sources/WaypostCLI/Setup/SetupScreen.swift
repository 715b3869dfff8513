import Waypost
import WaypostSystem

/// The place where `waypost setup` asks its questions.
protocol SetupScreen {
    /// Shows a line.
    func say(_ line: String)
    /// Asks, and returns what was typed; nil at the end of the input.
    func ask(_ prompt: String) throws(CommandFailure) -> String?
    /// Asks for a secret, which is not shown while it is typed; nil at the end of the input.
    func askSecret(_ prompt: String) throws(CommandFailure) -> String?
}

extension SetupScreen {
    /// Asks until the answer is yes or no; nil at the end of the input.
    ///
    /// - Parameter usual: the meaning of Enter.
    func agrees(_ question: String, usual: Bool = false) throws(CommandFailure) -> Bool? {
        while let answer = try ask(question) {
            switch answer.lowercased() {
            case "": return usual
            case "y", "yes": return true
            case "n", "no": return false
            default: say("   write yes or no")
            }
        }
        return nil
    }
}

/// The terminal of the user who started the command.
struct SetupTerminal: SetupScreen {
    func say(_ line: String) {
        for part in SetupTerminal.lines(of: line, columns: Terminal.errorColumns) { SystemProcess.printError(part) }
    }

    /// A line as several that end between words; those behind the first begin where it begins.
    static func lines(of line: String, columns: Int?) -> [String] {
        wrapped(line, columns: columns, indent: line.prefix { $0 == " " }.count)
    }

    func ask(_ prompt: String) throws(CommandFailure) -> String? {
        try answer(prompt) { (show) throws(SystemError) in
            try show()
            return try TerminalLine.read()
        }
    }

    func askSecret(_ prompt: String) throws(CommandFailure) -> String? {
        let answer = try answer(prompt) { (show) throws(SystemError) in try TerminalLine.readSecret(asking: show) }
        // The typed secret, its line end included, has left nothing on the screen.
        say("")
        return answer
    }

    private func answer(
        _ prompt: String, _ read: (_ show: () throws(SystemError) -> Void) throws(SystemError) -> TerminalLine.End
    ) throws(CommandFailure) -> String? {
        do throws(SystemError) {
            // Where the answer is typed the line goes on.
            let lines = SetupTerminal.lines(of: printable(prompt), columns: Terminal.errorColumns)
            let end = try read { () throws(SystemError) in
                try Syscalls.writeAll(Syscalls.standardError, Array(lines.joined(separator: "\n").utf8))
            }
            switch end {
            case .line(let line): return line
            case .end: return nil
            case .interrupted:
                // So that the shell's prompt begins on a new line.
                say("")
                SystemProcess.interrupt()
            }
        } catch {
            throw CommandFailure(.inputOutput, what: "setup", why: "the terminal: \(error.reason)", next: "nothing was written")
        }
    }
}
