import Glibc

/// Identifies a file's content without reading it: which file it is, how long, and when it was changed.
///
/// A change that keeps all of these within one tick of the file system's clock is not noticed; editors and copies make another file.
public struct FileStamp: Sendable, Hashable {
    private let identity: FileIdentity
    private let byteCount: Int64
    private let modified: Int64
    private let changed: Int64

    /// Whether both are of the same file, at whatever times, not of one that was put in its place.
    public func isSameFile(as other: FileStamp) -> Bool { identity == other.identity }

    /// The stamp of what a path names, links followed; nil when there is nothing.
    public init?(of path: String) {
        var status = stat()
        guard stat(path.cName, &status) == 0 else { return nil }
        identity = FileIdentity(status)
        byteCount = Int64(status.st_size)
        modified = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
        changed = Int64(status.st_ctim.tv_sec) * 1_000_000_000 + Int64(status.st_ctim.tv_nsec)
    }
}
