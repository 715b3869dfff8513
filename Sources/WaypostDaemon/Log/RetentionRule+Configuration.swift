import WaypostConfiguration
import WaypostRecording
import WaypostSystem

extension RetentionRule {
    /// The rule from `[log]`, where 0 means no limit.
    init(_ log: Configuration.Log) {
        self.init()
        if log.maximumAge > .zero { maximumAge = log.maximumAge }
        if log.maximumByteCount > 0 { maximumByteCount = log.maximumByteCount }
        if log.minimumFreeByteCount == Configuration.Log.usualFreeByteCount {
            // A small disk is no reason to delete everything.
            minimumFreeByteCount = min(Configuration.Log.usualFreeByteCount, RetentionRule.diskByteCount(at: log.directory) / 20)
        } else if log.minimumFreeByteCount > 0 {
            minimumFreeByteCount = log.minimumFreeByteCount
        }
        keepsUnpulled = log.keepsUnpulled
    }

    /// The size of the disk that a folder is on, or will be; 0 when that cannot be known.
    private static func diskByteCount(at folder: String) -> Int64 {
        if let count = Syscalls.diskByteCount(at: folder) { return count }
        guard let slash = folder.lastIndex(of: "/"), slash != folder.startIndex else { return Syscalls.diskByteCount(at: "/") ?? 0 }
        return diskByteCount(at: String(folder[..<slash]))
    }
}
