import Glibc

extension Syscalls {
    /// How many columns the terminal behind a descriptor has; nil when it is not a terminal, or does not know.
    public static func terminalColumns(_ descriptor: Int32) -> Int? {
        var size = winsize()
        guard isTerminal(descriptor), ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}
