import Glibc

/// What this process uses.
package struct ProcessFigures: Sendable {
    /// The processor time, in user and kernel mode, seconds.
    package var processorSeconds: Double
    /// The memory (RSS), bytes.
    package var residentByteCount: Int

    /// The figures now; nil where /proc is missing.
    ///
    /// - Source: proc_pid_stat(5).
    package static func current() -> ProcessFigures? {
        guard let stat = try? Syscalls.contents(of: "/proc/self/stat"),  // See above.
            // The name of the program may have blanks and parentheses.
            let end = stat.lastIndex(of: UInt8(ascii: ")"))
        else { return nil }
        let fields = stat[(end + 1)...].split { $0 <= UInt8(ascii: " ") }.map { Int(String(decoding: $0, as: UTF8.self)) }
        guard fields.count > 21, let user = fields[11], let system = fields[12], let pages = fields[21] else { return nil }
        return ProcessFigures(
            processorSeconds: Double(user + system) / Double(sysconf(Int32(_SC_CLK_TCK))),
            residentByteCount: pages * sysconf(Int32(_SC_PAGESIZE)))
    }
}
