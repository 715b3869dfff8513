import Glibc

/// A line that a person types.
public enum TerminalLine {
    /// How the input ended.
    public enum End: Sendable, Equatable {
        /// A line, without its line end.
        case line(String)
        /// There is no more input.
        case end
        /// Ctrl-C, in a mode in which the terminal does not act on it.
        case interrupted
    }

    /// Reads a line from the standard input.
    public static func read() throws(SystemError) -> End {
        var bytes: [UInt8] = []
        while let byte = try nextByte() {
            if byte == UInt8(ascii: "\n") { return .line(text(bytes)) }
            bytes.append(byte)
        }
        return bytes.isEmpty ? .end : .line(text(bytes))
    }

    /// Reads a line from a terminal without showing it; the erase keys work, and Ctrl-C restores the terminal.
    ///
    /// - Parameter ask: shows the question, once nothing that is typed is shown any more.
    public static func readSecret(asking ask: () throws(SystemError) -> Void) throws(SystemError) -> End {
        var settings = termios()
        try Syscalls.retrying("look at the terminal") { tcgetattr(STDIN_FILENO, &settings) }
        var hidden = settings
        // The signal would end this process before it could turn the echo on again.
        hidden.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | ISIG)
        try Syscalls.retrying("hide what is typed") { tcsetattr(STDIN_FILENO, TCSANOW, &hidden) }
        defer { tcsetattr(STDIN_FILENO, TCSANOW, &settings) }
        try ask()
        var bytes: [UInt8] = []
        while let byte = try nextByte() {
            switch byte {
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"): return .line(text(bytes))
            case 0x03: return .interrupted
            case 0x04 where bytes.isEmpty: return .end
            case 0x08, 0x7F: _ = bytes.popLast()
            case 0x15: bytes = []
            default: bytes.append(byte)
            }
        }
        return bytes.isEmpty ? .end : .line(text(bytes))
    }

    /// One byte at a time, so that what follows the line is left for the next reader.
    private static func nextByte() throws(SystemError) -> UInt8? {
        var byte: UInt8 = 0
        let count = try Syscalls.retrying("read the standard input") { Glibc.read(STDIN_FILENO, &byte, 1) }
        return count == 1 ? byte : nil
    }

    private static func text(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes[...], as: UTF8.self)
    }
}
