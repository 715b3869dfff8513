import Glibc
import Waypost

/// A file as memory: only the pages that are touched are read, and the system takes them back when it needs room.
///
/// Whoever replaces such a file must do so by renaming another one over it, as ``AtomicFile`` does: a program that reads behind the end of a
/// file that was cut is stopped by the system.
/// - Concurrency: the bytes may be read by several threads.
public final class MappedFile: RoadStorage {
    /// Where it is.
    public let path: String
    /// The whole file.
    public var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

    nonisolated(unsafe) private let start: UnsafeMutableRawPointer?  // Read-only memory, unmapped at the end.
    private let count: Int

    /// Maps the file.
    ///
    /// - Errors: it is missing, a folder or not an ordinary file, or may not be read.
    public init(path: String) throws(SystemError) {
        if Syscalls.isFolder(path) { throw SystemError.isFolder(path) }
        let descriptor = try Syscalls.open(path, O_RDONLY, as: .named)
        defer { Syscalls.close(descriptor) }
        guard let size = Syscalls.size(descriptor) else { throw SystemError.oddFile(path, "is not an ordinary file", code: EINVAL) }
        self.path = path
        count = Int(size)
        guard count > 0 else {
            start = nil
            return
        }
        let mapped = mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0)
        guard let mapped, mapped != MAP_FAILED else { throw SystemError(code: errno, operation: "map", path: path) }
        start = mapped
    }

    /// Gives back the memory of whole pages in a range that is not needed for now; they are read again when they are.
    public func release(_ range: Range<Int>) {
        guard let start, !range.isEmpty, range.upperBound <= count else { return }
        let page = Int(sysconf(Int32(_SC_PAGESIZE)))
        let first = range.lowerBound / page * page
        // Advice that is not taken costs memory, nothing else.
        _ = madvise(start + first, range.upperBound - first, MADV_DONTNEED)
    }

    deinit {
        if let start { munmap(start, count) }
    }
}
