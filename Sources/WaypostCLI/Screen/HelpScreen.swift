import ArgumentParser
import Waypost
import WaypostSystem

/// What the parser prints and then ends: help, the version, a script for the shell.
struct HelpScreen {
    /// The text, without the line end behind it.
    let text: String

    /// The text, with its lines of usage wrapped between options; the parser itself wraps everything else.
    ///
    /// - Parameters:
    ///   - text: what the parser would print.
    ///   - columns: how wide the screen is.
    init(_ text: String, columns: Int) {
        var lines: [String] = []
        var isUsage = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            isUsage = line.hasPrefix("USAGE: ") || isUsage && line.hasPrefix(" ")
            lines += isUsage ? HelpScreen.wrappedUsage(line, columns: columns) : [String(line)]
        }
        self.text = lines.joined(separator: "\n")
    }

    /// Shows what the parser says instead of running a command, and ends the process.
    static func show(_ message: String) -> Never {
        let columns = Syscalls.isTerminal(Syscalls.standardOutput) ? Syscalls.terminalColumns(Syscalls.standardOutput) : nil
        do throws(CommandFailure) {
            let output = try OutputStream(path: "-")
            try output.write(bytes: Array((HelpScreen(message, columns: columns ?? 80).text + "\n").utf8))
            try output.finish()
        } catch {
            error.exit()
        }
        SystemProcess.exit(.ok)
    }

    private static func wrappedUsage(_ line: Substring, columns: Int) -> [String] {
        var lines: [String] = []
        var current = ""
        for part in parts(of: line) {
            if !current.isEmpty, displayWidth(current) + 1 + displayWidth(part) > columns {
                lines.append(current)
                current = String(repeating: " ", count: 11) + part
            } else {
                current += (current.isEmpty ? "" : " ") + part
            }
        }
        return lines + [current]
    }

    /// The words of a line of usage; what is in brackets or parentheses is one, and the first has the blanks before it.
    private static func parts(of line: Substring) -> [String] {
        var parts: [String] = []
        var depth = 0
        for word in line.drop(while: { $0 == " " }).split(separator: " ") {
            if depth > 0 { parts[parts.count - 1] += " " + word } else { parts.append(String(word)) }
            depth += word.count { "[(".contains($0) } - word.count { "])".contains($0) }
        }
        if let first = parts.first { parts[0] = line.prefix { $0 == " " } + first }
        return parts
    }
}
