import Waypost
import WaypostSystem

/// How long the disk takes until a small record is safe: fdatasync, as the log and the outbox wait for it.
struct DiskBench {
    /// The folders to try, in their order: the first in which this user may write.
    let folders: [String]
    let mounts: MountTable?

    private static let mostSyncs = 64
    private static let limitMilliseconds: Int64 = 5_000
    private static let recordByteCount = 512

    /// The line.
    var line: BenchReport.Line {
        var why = "the tracker has no folder yet"
        for folder in folders where Syscalls.isFolder(folder) {
            do throws(SystemError) { return .init(name: "disk", value: try DiskBench.measured(in: folder).words + place(of: folder)) } catch
            {
                // The next one; a path may have somebody's name.
                why = error.meansNoPermission ? "this user may not write in the tracker's folder; use sudo" : error.reason
            }
        }
        return .init(name: "disk", value: "not measured: \(why)")
    }

    /// The kind of the disk, without its name.
    private func place(of folder: String) -> String {
        guard let mount = mounts?.mount(of: folder) else { return "" }
        let device = mount.evidence.text.split(separator: " ").first.map(String.init) ?? ""
        // The name of a mapped one may have that of the machine in it.
        let name = device.hasPrefix("/dev/mapper/") ? "/dev/mapper" : device
        return ", \(mount.kind)" + (name.hasPrefix("/dev/") ? " on \(name.dropFirst(5))" : "")
    }

    /// Durations in microseconds.
    struct Figures: Equatable {
        var microseconds: [Int64]

        /// The figures for people: half of the syncs took no longer than the median.
        var words: String {
            let sorted = microseconds.sorted()
            guard let last = sorted.last else { return "no fdatasync" }
            func milliseconds(_ value: Int64) -> String { (Double(value) / 1_000).text(decimals: 2) + " ms" }
            return "\(sorted.count) fdatasyncs of \(DiskBench.recordByteCount) bytes: median \(milliseconds(sorted[sorted.count / 2])), "
                + "95 % \(milliseconds(sorted[sorted.count * 95 / 100])), at most \(milliseconds(last))"
        }
    }

    /// Appends records to a file of its own, which is gone afterwards.
    static func measured(in folder: String) throws(SystemError) -> Figures {
        let path = "\(folder)/.waypost-bench-\(SystemProcess.processID)"
        let file = try AppendOnlyFile(creating: path)
        defer { _ = try? Syscalls.remove(path) }  // It has no content that matters.
        let record = [UInt8](repeating: 0x5A, count: recordByteCount)
        let start = MonotonicClock.milliseconds
        var figures = Figures(microseconds: [])
        while figures.microseconds.count < mostSyncs, MonotonicClock.milliseconds - start < limitMilliseconds {
            let before = MonotonicClock.nanoseconds
            try file.append(record)
            try file.synchronize()
            figures.microseconds.append((MonotonicClock.nanoseconds - before) / 1_000)
        }
        return figures
    }
}
