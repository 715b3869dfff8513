import Glibc

/// The pages of the program's own file in memory.
public enum ProgramPages {
    /// Unmaps the program's code and constants; what is used again comes back, a few pages at a time, from the kernel's cache of the file.
    ///
    /// Starting and rare requests touch nearly all of a program, and what was touched once counts as its memory (RSS) for ever. Only pages are
    /// unmapped that nothing can have written: tables that the loader has relocated are in other mappings.
    /// - Cost: a system call for each of two mappings, and some 60 minor faults afterwards.
    public static func release() {
        guard let program = SystemProcess.executablePath,
            let maps = try? Syscalls.contents(of: "/proc/self/maps", limit: 1 << 20)  // Without it nothing is unmapped, which does no harm.
        else { return }
        for range in ranges(inMaps: maps, of: program) {
            guard let start = UnsafeMutableRawPointer(bitPattern: range.lowerBound) else { continue }
            _ = madvise(start, Int(range.upperBound - range.lowerBound), MADV_DONTNEED)  // See above.
        }
    }

    /// The mappings of a file that are not writable and were never relocated: the code, and what is before it in the file.
    ///
    /// ```
    /// 55c72ce08000-55c72d9cb000 r-xp 00346000 fe:00 16580875   /usr/bin/waypostd
    /// ```
    /// - Source: proc_pid_maps(5).
    static func ranges(inMaps maps: [UInt8], of program: String) -> [Range<UInt>] {
        var ranges: [Range<UInt>] = []
        for line in maps.split(separator: UInt8(ascii: "\n")) {
            let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 5).map { String(decoding: $0, as: UTF8.self) }
            guard fields.count == 6, String(fields[5].drop { $0 == " " }) == program, ["r--p", "r-xp"].contains(fields[1]) else { continue }
            let ends = fields[0].split(separator: "-").map { UInt($0, radix: 16) }
            guard ends.count == 2, let start = ends[0], let end = ends[1], start < end else { continue }
            ranges.append(start..<end)
            // Constants behind the code are tables of addresses, which the loader has written.
            if fields[1] == "r-xp" { break }
        }
        return ranges
    }
}
